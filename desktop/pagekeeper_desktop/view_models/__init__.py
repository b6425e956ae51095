"""What the widgets show, as Qt objects that know nothing of widgets."""
