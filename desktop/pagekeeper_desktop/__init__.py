"""The Qt window, the command line, and the one place where the parts are put together."""
