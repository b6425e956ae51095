"""The guard refuses every connection of Python code outside an allowed download.

An audit hook cannot be taken out again, so each test runs in an interpreter of its own.
"""

import subprocess
import sys

import pytest

PRELUDE = """
import os, socket, urllib.request, urllib.error
from pagekeeper_core.network_guard import *
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
install_network_guard()
"""


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "attempt",
    [
        "socket.create_connection(('192.0.2.1', 80), timeout=1)",
        "socket.create_connection(('127.0.0.1', port), timeout=1)",
        "socket.getaddrinfo('example.org', 443)",
        "socket.gethostbyname('example.org')",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
        "socket.socket().bind(('0.0.0.0', 0))",
        "socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    ],
)
def test_connections_and_look_ups_are_refused(attempt: str) -> None:
    program = (
        f"try: {attempt}\n"
        "except NetworkRefusedError as error:\n"
        "    print(error, '|', error.hint, '|', isinstance(error, PermissionError))"
    )
    message, hint, is_permission_error = run(program).strip().split(" | ")
    assert message.startswith("A connection to ")
    assert message.endswith(" was refused: Pagekeeper works offline.")
    assert "pagekeeper models download" in hint
    assert is_permission_error == "True"


def test_a_library_sees_an_ordinary_network_failure() -> None:
    program = (
        "try: urllib.request.urlopen(f'http://127.0.0.1:{port}/')\n"
        "except urllib.error.URLError as error: print(error.reason)"
    )
    assert "works offline" in run(program)


def test_sockets_inside_the_machine_pass() -> None:
    program = (
        "import asyncio, tempfile\n"
        "a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))\n"
        "path = tempfile.mkdtemp() + '/s'\n"
        "server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()\n"
        "socket.socket(socket.AF_UNIX).connect(path); asyncio.run(asyncio.sleep(0)); print('ok')"
    )
    assert run(program) == "b'x'\nok\n"


def test_a_download_may_connect_and_nothing_may_after_it() -> None:
    program = (
        "print(os.environ['HF_HUB_OFFLINE'])\n"
        "with allow_network():\n"
        "    socket.create_connection(('127.0.0.1', port)).close()\n"
        "    print('HF_HUB_OFFLINE' in os.environ)\n"
        "print(os.environ['HF_HUB_OFFLINE'], os.environ['DO_NOT_TRACK'])\n"
        "try: socket.create_connection(('127.0.0.1', port))\n"
        "except NetworkRefusedError: print('refused')"
    )
    assert run(program).split() == ["1", "False", "1", "1", "refused"]
