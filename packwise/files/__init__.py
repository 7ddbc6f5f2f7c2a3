"""Files: read whole and unpacked, written whole or not at all."""
