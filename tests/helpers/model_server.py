"""A small server on the loopback interface that serves model files as Hugging Face does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ModelServer:
    """Serves `files` (by path) with byte ranges, and misbehaves on request.

    Attributes:
        files: What is served, by path such as "/owner/name/resolve/revision/file.gguf".
        cut_after: Bytes after which each answer breaks off; None: never.
        ignores_ranges: Whether every answer is the whole file.
        keeps_open: Whether a connection stays open for further requests.
        ranges: The Range headers that came in, in order; "" for none.
        clients: The client's port of each request, in order.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.cut_after: int | None = None
        self.ignores_ranges = False
        self.keeps_open = False
        self.ranges: list[str] = []
        self.clients: list[int] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def endpoint(self) -> str:
        """What HF_ENDPOINT must say."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    @contextmanager
    def running(self) -> Iterator["ModelServer"]:
        """Serve inside the `with` block."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.close_connection = not server.keeps_open
                with suppress(ConnectionError):
                    server.answer(self)

            def log_message(self, *arguments: object) -> None:
                """Keep quiet."""

        return Handler

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer one GET."""
        wanted = request.headers.get("Range", "")
        self.ranges.append(wanted)
        self.clients.append(request.client_address[1])
        content = self.files.get(request.path)
        if content is None:
            request.send_error(404)
            return
        start = 0 if self.ignores_ranges or not wanted else int(wanted[len("bytes=") : -1])
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(content) - start))
        request.end_headers()
        end = len(content) if self.cut_after is None else start + self.cut_after
        request.wfile.write(content[start:end])
