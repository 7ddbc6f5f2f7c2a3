"""Energy scenarios from files, and those that come with Packwise."""
