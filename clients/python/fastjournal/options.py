"""What a client may choose, the address of a daemon, and the context of TLS. For both kinds of connections."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .errors import Error, failure

DEFAULT_SERVER = "127.0.0.1:4050"
PAUSES = (1.0, 1.0, 1.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0)


@dataclass(kw_only=True)
class Options:
    """The options of a connection. All times are seconds.

    server: "127.0.0.1:4050", "[::1]:4050", "name:4050", "unix:/run/fastjournal.sock", or the path of a unix socket that
        begins with "/". With "tls:" before it, encrypted: the daemon's certificate must be for this name or IP address,
        or for "localhost" on a unix socket. Several, separated by commas, are daemons with the same tables: the first
        that answers is home, and after a loss the next. No path may have a comma then.
    token: of a user; empty: none. Shown on each new connection before anything else. A refused one (not_allowed) ends
        the attempt, and no other follows by itself.
    ca, certificate, key: for "tls:", files in PEM format, read with each attempt to connect. The authorities that are
        trusted (empty: the system's), and this client's certificate with its key (empty: it has none).
    time_limit: of a command from send to answer, including reconnects; `wait` of a NEXT is added. None: no limit.
    connect_limit: of one attempt to connect.
    silence_limit: with several servers, or after a table has moved: a daemon that owes an answer and says nothing for
        so long is given up as if its connection were lost, as a computer without power says nothing. No daemon may take
        longer to connect, and for 5 s after it was given up no longer than 200 ms. Listeners ask it now and then.
        Commands that take longer, such as DIGEST, and BACKUP with digest=1, on large tables, need more. None: never.
    pauses: before the attempts to reconnect; the last one repeats. Each varies by up to a quarter. With several servers
        the others are tried at once, and a pause is made when each was tried. Empty: never reconnect.
    on_connection: for people: called with the reason when an existing connection is lost, and with None when it is
        back. Must not call the connection.
    in_flight_max: commands without an answer. pushes_max: notices not yet fetched. message_bytes_max: of one message
        from the daemon.
    """

    server: str = DEFAULT_SERVER
    token: str = field(default="", repr=False)
    ca: str = ""
    certificate: str = ""
    key: str = ""
    time_limit: float | None = 30.0
    connect_limit: float = 5.0
    silence_limit: float | None = 2.0
    pauses: Sequence[float] = PAUSES
    on_connection: Callable[[Error | None], None] | None = None
    in_flight_max: int = 4096
    pushes_max: int = 65_536
    message_bytes_max: int = 66 << 20


class Place(NamedTuple):
    """Where a daemon is: a path, or a host and a port."""

    tls: bool
    host: str
    port: int
    path: str


def place_of(server: str) -> Place:
    """Reads an address. Raises Error (bad_parameter)."""
    tls = server.startswith("tls:")
    rest = server.removeprefix("tls:")
    if rest.startswith("unix:") or rest.startswith("/"):
        path = rest.removeprefix("unix:")
        if not path or "\0" in path or len(path.encode("utf-8", "surrogateescape")) > 107:
            raise Error("bad_parameter", f"'{server}' is no address: the path of a unix socket has 1 to 107 bytes")
        return Place(tls, "localhost", 0, path)
    host, _, port = rest.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        host = ""
    if not host or not (port.isascii() and port.isdigit()) or len(port) > 5 or int(port) > 65_535:
        raise Error(
            "bad_parameter",
            f"'{server}' is no address: expected HOST:PORT, [IPV6]:PORT, unix:PATH or /PATH, and tls: before it where "
            "the daemon speaks TLS",
        )
    return Place(tls, host, int(port), "")


def tls_context(options: Options) -> ssl.SSLContext:
    """Raises Error (bad_parameter) for files that cannot be used."""
    try:
        context = ssl.create_default_context(cafile=options.ca or None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["fastjournal"])
        if options.certificate:
            context.load_cert_chain(options.certificate, options.key or None)
        return context
    except (OSError, ValueError) as why:
        files = ", ".join(name for name in (options.ca, options.certificate, options.key) if name)
        raise Error("bad_parameter", f"the files of TLS ({files}) cannot be used: {why}") from None


def tune(made: socket.socket) -> None:
    """For small messages and long silence."""
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A listener may be idle for hours: without keep-alive it never notices a vanished daemon.
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 30)


def connect_failed(server: str, why: BaseException) -> Error:
    """An attempt to connect failed."""
    if isinstance(why, Error):
        return why
    facts = {}
    if isinstance(why, ssl.SSLCertVerificationError):
        reason = f"its certificate is not accepted: {why.verify_message}"
        facts = {"tls": "certificate"}
    elif isinstance(why, TimeoutError):
        reason = "no answer in time"
    else:
        reason = _words_of(why)
    code = "not_allowed" if _refuses_certificate(why) else "unavailable"
    return failure(code, f"cannot connect to {server}: {reason}", facts)


def none_reached(reasons: Sequence[Error]) -> Error:
    """None of several servers can be reached."""
    code = "not_allowed" if any(one.code == "not_allowed" for one in reasons) else "unavailable"
    facts = {name: value for one in reasons for name, value in one.facts.items()}
    return failure(code, "; ".join(one.message for one in reasons), facts)


def connection_lost(server: str, why: BaseException | None) -> Error:
    """An existing connection ended; None: the daemon ended it."""
    if why is None:
        return failure("closed", f"the connection to {server} was lost: the daemon ended the connection")
    code = "closed"
    if isinstance(why, Error):
        code = why.code
    elif _refuses_certificate(why):
        code = "not_allowed"
    return failure(code, f"the connection to {server} was lost: {_words_of(why)}")


def _words_of(why: BaseException) -> str:
    if isinstance(why, Error):
        return why.message
    if isinstance(why, OSError) and why.strerror:
        return why.strerror
    return str(why) or type(why).__name__


def _refuses_certificate(why: BaseException) -> bool:
    # An alert of TLS about this client's certificate: the next attempt would end in the same way.
    reason = str(getattr(why, "reason", "") or "")
    return isinstance(why, ssl.SSLError) and "ALERT" in reason and ("CERT" in reason or "UNKNOWN_CA" in reason)
