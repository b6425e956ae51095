"""Another start on a data folder, in a process of its own: says "first" or "second".

instance_child.py DATA_FOLDER once|stay
"""

import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from pagekeeper_desktop.single_instance import SingleInstance

if __name__ == "__main__":
    app = QCoreApplication(sys.argv)
    instance = SingleInstance(Path(sys.argv[1]))
    is_first = instance.claim()
    sys.stdout.write("first\n" if is_first else "second\n")
    sys.stdout.flush()
    if is_first and sys.argv[2] == "stay":
        app.exec()
