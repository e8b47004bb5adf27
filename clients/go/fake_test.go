package fastjournal

// A daemon of the tests' own: each test says what it receives, and what it answers. Nothing sleeps; what never comes
// fails after `patience`.

import (
	"context"
	"net"
	"testing"
	"time"
)

const patience = 20 * time.Second

type fake struct {
	*testing.T
	net.Listener
}

func newFake(t *testing.T) *fake {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return &fake{t, listener}
}

func (f *fake) address() string { return f.Addr().String() }

// A peer is one connection of the client.
type peer struct {
	*testing.T
	net.Conn
	in *reader
}

// peer is the next connection.
func (f *fake) peer() *peer {
	f.Helper()
	conn, err := f.Accept()
	if err != nil {
		f.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(patience))
	f.Cleanup(func() { conn.Close() })
	return &peer{f.T, conn, newReader(conn, 1<<20)}
}

// take is the next command, which must have this name.
func (p *peer) take(command string) Message {
	p.Helper()
	message, err := p.in.next()
	if err != nil {
		p.Fatalf("expected %s, got %v", command, err)
	}
	if message.Command != command {
		p.Fatalf("expected %s, got %v", command, message)
	}
	return message
}

// say sends a message.
func (p *peer) say(command string, params Params) {
	p.Helper()
	frame, err := appendFrame(nil, command, params)
	if err == nil {
		_, err = p.Write(frame)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// answer sends a message of the answer to a command.
func (p *peer) answer(to Message, command string, params Params) {
	p.Helper()
	params["request"] = to.Params["request"]
	p.say(command, params)
}

// serve takes a command and answers it.
func (p *peer) serve(command, answer string, params Params) Message {
	p.Helper()
	message := p.take(command)
	p.answer(message, answer, params)
	return message
}

// quick are the options of most tests.
func quick() Options { return Options{Pauses: []time.Duration{time.Millisecond}} }

func connected(t *testing.T, server string, options Options) *Connection {
	t.Helper()
	c, err := Connect(context.Background(), server, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// start has a client of one fake daemon, and its connection there.
func start(t *testing.T, options Options) (*Connection, *fake, *peer) {
	f := newFake(t)
	c := connected(t, f.address(), options)
	return c, f, f.peer()
}

// later runs a call, and has its error.
func later(call func() error) <-chan error {
	out := make(chan error, 1)
	go func() { out <- call() }()
	return out
}

func want(t *testing.T, got, wanted any) {
	t.Helper()
	if got != wanted {
		t.Fatalf("expected %v, got %v", wanted, got)
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
