"""The page: templates, scripts and data in one HTML file."""
