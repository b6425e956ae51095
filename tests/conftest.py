"""What holds for all tests."""

from hypothesis import settings

# No test fails because the machine is slow.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# For `bootstrap.py test --quick`. A test that names its number of examples keeps it.
settings.register_profile("quick", max_examples=15, deadline=None)
