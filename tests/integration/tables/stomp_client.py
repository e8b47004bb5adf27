"""A client of STOMP by python3-stomp as it is in Debian: what its user would write. Each run is one connection.

    stomp_client.py ADDRESS [OPTION=VALUE ...] VERB ...

    send DESTINATION BODY [HEADER=VALUE ...]      with a receipt, for which it waits
    take DESTINATION COUNT HOW [HEADER=VALUE ...] subscribes and waits for so many messages; HOW: auto, ack (each), ack-last
                                                  (mode client), nack, reject or leave. A line for each
    unsubscribe DESTINATION [HEADER=VALUE ...]    of a durable subscription
    topics PATTERN KEY ...                        subscribes, and sends a message under each key; a line for each that comes
    move FROM TO commit|abort                     takes a message and sends its body on, in a transaction
    ask DESTINATION QUESTION                      asks, with a queue for the answer, and answers by another connection
    refused DESTINATION                           sends, and shows the error

Options: version (1.1 or 1.2), login, passcode. It waits for events with a limit of a minute, and ends with 1 behind it.
"""

import queue
import sys

import stomp

LIMIT_S = 60


class Inbox(stomp.ConnectionListener):
    def __init__(self):
        self.events = queue.Queue()
        self.early = []  # messages that came while a receipt was waited for

    def on_message(self, frame):
        self.events.put(("message", frame))

    def on_error(self, frame):
        self.events.put(("error", frame))

    def on_receipt(self, frame):
        self.events.put(("receipt", frame.headers["receipt-id"]))

    def on_disconnected(self):
        self.events.put(("disconnected", None))

    def next(self, wanted):
        """The next event of this kind."""
        if wanted == "message" and self.early:
            return self.early.pop(0)
        while True:
            kind, what = self.events.get(timeout=LIMIT_S)
            if kind == wanted:
                return what
            if kind == "message":
                self.early.append(what)
            if kind in ("error", "disconnected"):
                raise SystemExit(f"{kind}: {'' if what is None else what.body}")


class Client:
    def __init__(self, address, options):
        host, port = address.rsplit(":", 1)
        version = options.pop("version", "1.2")
        kind = stomp.Connection12 if version == "1.2" else stomp.Connection11
        self.is_newest = version == "1.2"
        self.connection = kind([(host, int(port))], reconnect_attempts_max=1, heartbeats=(0, 0))
        self.inbox = Inbox()
        self.connection.set_listener("", self.inbox)
        self.connection.connect(options.get("login"), options.get("passcode"), wait=True)
        self.receipts = 0

    def receipt(self):
        self.receipts += 1
        return f"r{self.receipts}"

    def sync(self, do, *words, **more):
        receipt = self.receipt()
        do(*words, receipt=receipt, **more)
        got = self.inbox.next("receipt")
        assert got == receipt, got

    def send(self, destination, body, headers=None, **more):
        receipt = self.receipt()
        self.connection.send(destination, body, headers={**(headers or {}), "receipt": receipt}, **more)
        got = self.inbox.next("receipt")
        assert got == receipt, got

    def name(self, frame):
        """What ACK and NACK take, by version."""
        if self.is_newest:
            return (frame.headers["ack"],)
        return (frame.headers["message-id"], frame.headers["subscription"])

    def leave(self):
        """The library closes the connection when the receipt comes, and may tell of that first."""
        self.connection.disconnect(receipt="bye")
        kind = what = None
        while (kind, what) != ("receipt", "bye") and kind != "disconnected":
            kind, what = self.inbox.events.get(timeout=LIMIT_S)
            if kind == "error":
                raise SystemExit(f"error: {what.body}")


def headers_of(words):
    return dict(word.split("=", 1) for word in words)


def show(frame):
    shown = {name: value for name, value in frame.headers.items()
             if name in ("destination", "redelivered", "dead-of", "colour", "priority", "reply-to", "fj-error")}
    print(frame.body, " ".join(f"{name}={shown[name]}" for name in sorted(shown)), flush=True)


def take(client, destination, count, how, headers):
    mode = {"auto": "auto", "ack-last": "client"}.get(how, "client-individual")
    name = headers.pop("id", "1")
    client.connection.subscribe(destination, id=name, ack=mode, headers=headers)
    last = None
    for _ in range(count):
        last = client.inbox.next("message")
        show(last)
        if how == "ack":
            client.sync(client.connection.ack, *client.name(last))
        elif how == "nack":
            client.sync(client.connection.nack, *client.name(last))
        elif how == "reject":
            client.sync(client.connection.nack, *client.name(last), requeue="false")
    if how == "ack-last":
        client.sync(client.connection.ack, *client.name(last))


def main(words):
    address, *words = words
    options = {}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        options[name] = value
    client = Client(address, options)
    verb, *words = words
    if verb == "send":
        client.send(words[0], words[1], headers_of(words[2:]))
    elif verb == "take":
        take(client, words[0], int(words[1]), words[2], headers_of(words[3:]))
    elif verb == "unsubscribe":
        headers = headers_of(words[1:])
        name = headers.pop("id")
        client.connection.subscribe(words[0], id=name, ack="client", headers=headers)
        client.sync(lambda **more: client.connection.unsubscribe(name, headers={**headers, **more}))
    elif verb == "topics":
        client.connection.subscribe("/topic/" + words[0], id="1", ack="auto")
        for key in (*words[1:], words[0].replace("*", "end").replace(">", "end")):
            client.send("/topic/" + key, key)
        while True:
            frame = client.inbox.next("message")
            if frame.body.endswith(".end"):
                break
            show(frame)
    elif verb == "move":
        client.connection.subscribe(words[0], id="1", ack="client-individual")
        frame = client.inbox.next("message")
        transaction = client.connection.begin()
        client.connection.send(words[1], frame.body + " moved", transaction=transaction)
        client.connection.ack(*client.name(frame), transaction=transaction)
        end = client.connection.commit if words[2] == "commit" else client.connection.abort
        receipt = client.receipt()
        end(transaction, receipt=receipt)
        assert client.inbox.next("receipt") == receipt
        print(words[2], flush=True)
    elif verb == "ask":
        client.connection.subscribe("/temp-queue/answers", id="1", ack="auto")
        client.send(words[0], words[1], {"reply-to": "/temp-queue/answers"})
        other = Client(address, {})
        other.connection.subscribe(words[0], id="1", ack="client-individual")
        question = other.inbox.next("message")
        other.send(question.headers["reply-to"], "answer to " + question.body)
        other.sync(other.connection.ack, *other.name(question))
        other.leave()
        print(client.inbox.next("message").body, flush=True)
    elif verb == "refused":
        client.connection.send(words[0], "x", receipt="r")
        kind, frame = client.inbox.events.get(timeout=LIMIT_S)
        print(kind, frame.headers.get("receipt-id"), frame.headers.get("code"), frame.body.strip(), flush=True)
        return
    else:
        raise SystemExit(f"no verb {verb}")
    client.leave()


main(sys.argv[1:])
