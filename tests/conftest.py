"""What holds for all tests."""

from hypothesis import settings

# For `bootstrap.py test --quick`. A test that names its number of examples keeps it.
settings.register_profile("quick", max_examples=15)
