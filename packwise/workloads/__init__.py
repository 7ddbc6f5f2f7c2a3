"""Where jobs come from: readers, writers, cleaning, transformations, a generator, the archive.

Import from the submodule you need (``packwise.workloads.cleaning``, ``packwise.workloads.swf``):
nothing is imported here, so that asking for help stays fast.
"""
