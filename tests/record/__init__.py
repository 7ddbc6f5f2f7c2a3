"""A record of what Packwise computes, line by line, so that no rebuilding changes a result unseen."""
