"""What is compiled before it is used, by whom, and who is told.

``parts`` has the compiled parts of Packwise, ``needs`` says which of them somebody needs, and ``crew`` has what
is missing compiled in processes side by side: ``begin`` while there is something else to do, ``ready`` when it
is needed. ``telling`` says so to who waits.
"""
