// Package fastjournal is the client of the durable job queue fastjournal.
//
//	connection, err := fastjournal.Connect(ctx, "127.0.0.1:4050", fastjournal.Options{})
//	jobs := connection.Journal("jobs")
//	put, err := jobs.Put(ctx, fastjournal.Columns{"name": "report-1"}, fastjournal.PutOptions{})
//
// The typed calls are made from the declarations of the table types; README.md says how, and what the options mean.
package fastjournal

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"
)

// DefaultServer is where a daemon listens by default.
const DefaultServer = "127.0.0.1:4050"

// DefaultPauses are those of Options.Pauses.
var DefaultPauses = []time.Duration{
	time.Second, time.Second, time.Second, 3 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second,
	30 * time.Second, time.Minute,
}

// Options are those of a connection; zero values stand for what is said in brackets.
type Options struct {
	// Token of a user, shown on each new connection before anything else (none). A refused one (not_allowed) ends the
	// attempt, and no other follows by itself.
	Token string
	// CA, Certificate and Key are for "tls:": files in PEM format, read with each attempt to connect. The authorities
	// that are trusted (the system's), and this client's certificate with its key (none).
	CA, Certificate, Key string
	// TimeLimit of a command from send to answer, including reconnects, beside that of its context; `wait` of a NEXT is
	// added (30 s). Negative: none.
	TimeLimit time.Duration
	// ConnectLimit of one attempt to connect (5 s).
	ConnectLimit time.Duration
	// SilenceLimit, with several servers, or after a table has moved: a daemon that owes an answer and says nothing for
	// so long is given up as if its connection were lost (2 s). Negative: never.
	SilenceLimit time.Duration
	// Pauses before the attempts to reconnect; the last one repeats, and each varies by up to a quarter (DefaultPauses).
	// With several servers the others are tried at once, and a pause is made when each was tried. Not nil and empty:
	// never reconnect.
	Pauses []time.Duration
	// OnConnection is for people: called with the reason when an existing connection is lost, and with nil when it is
	// back. It must not call the connection.
	OnConnection func(error)
	// InFlightMax is of commands without an answer (4096); further ones wait.
	InFlightMax int
	// NoticesMax is of each Listener: notices not yet fetched (65536).
	NoticesMax int
	// MessageBytesMax is of one message from the daemon (66 MiB).
	MessageBytesMax int
}

func defaultTo[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}

func (o Options) withDefaults() Options {
	defaultTo(&o.TimeLimit, 30*time.Second)
	defaultTo(&o.ConnectLimit, 5*time.Second)
	defaultTo(&o.SilenceLimit, 2*time.Second)
	defaultTo(&o.InFlightMax, 4096)
	defaultTo(&o.NoticesMax, 65536)
	defaultTo(&o.MessageBytesMax, 66<<20)
	if o.Pauses == nil {
		o.Pauses = DefaultPauses
	}
	return o
}

// Connection is a client of a daemon, made by Connect, for any number of goroutines. It reconnects by itself. After a
// loss it sends again what may be sent twice, as the declarations say (rules.go); all else fails with the code closed:
// whether it was carried out is not known.
//
// There is one line to home, the daemon that Connect named, and one to each node to which tables have moved.
type Connection struct {
	options Options
	servers []string
	slots   chan struct{} // one for each command in flight

	mutex      sync.Mutex // of all below
	home       *line
	nodes      map[string]*line
	calls      map[uint64]*call
	routes     map[string]*route
	listeners  []*Listener
	wanted     map[string]bool // addresses of nodes to which a line is needed
	dialing    map[string]bool
	doubted    map[string]time.Time // addresses that said nothing, and until when
	number     uint64
	client     string // the drawn name under which puts and sends are numbered
	sequence   int64
	noRoom     map[string]time.Time // tables that have no room for one more name, and until when
	noTraces   bool                 // the daemon knows no error_trace
	connects   int
	changed    chan struct{} // closed when what belongs to a connection, such as leases, may be over
	drained    chan struct{} // closed when bytes were sent
	unsent     int
	attempts   int    // since the last message from home
	refusal    *Error // by one of the servers, since the last pause
	lastError  *Error
	forGood    bool // another attempt to reach home would end in the same way
	restoring  bool
	isClosed   bool
	closed     chan struct{}
	look       timer // for what waits to be sent
	lookSilent timer // for silent daemons
	lookAt     time.Time
	dropped    int64
	stop       context.CancelFunc // of attempts to connect
	alive      context.Context
}

// Connect connects, with one attempt for each address. server is "127.0.0.1:4050", "[::1]:4050", "name:4050",
// "unix:/run/fastjournal.sock", or the path of a unix socket that begins with "/". With "tls:" before it, encrypted:
// the daemon's certificate must be for this name or IP address, or for "localhost" on a unix socket. Several,
// separated by commas, are daemons with the same tables: the first that answers is home, and after a loss the next.
// No path may have a comma then. Empty: DefaultServer.
//
// The error has the code unavailable, not_allowed (the token or certificate is refused), or bad_parameter (no
// address, or files that cannot be read).
func Connect(ctx context.Context, server string, options Options) (*Connection, error) {
	defaultTo(&server, DefaultServer)
	c := &Connection{
		options: options.withDefaults(), nodes: map[string]*line{}, calls: map[uint64]*call{}, routes: map[string]*route{},
		wanted: map[string]bool{}, dialing: map[string]bool{}, doubted: map[string]time.Time{},
		noRoom: map[string]time.Time{}, client: drawnName(), changed: make(chan struct{}), drained: make(chan struct{}),
		closed: make(chan struct{}), lookAt: never,
	}
	for _, one := range strings.Split(server, ",") {
		c.servers = append(c.servers, strings.TrimSpace(one))
	}
	c.slots = make(chan struct{}, c.options.InFlightMax)
	c.home = &line{address: c.servers[0]}
	c.alive, c.stop = context.WithCancel(context.Background())
	c.lastError = failure("unavailable", "there is no connection to %s", server)
	var reasons []*Error
	for _, address := range c.servers {
		c.home.address = address
		why := c.open(ctx, c.home)
		if why == nil {
			return c, nil
		}
		reasons = append(reasons, why)
	}
	c.stop()
	return nil, noneReached(reasons)
}

func noneReached(reasons []*Error) *Error {
	if len(reasons) == 1 {
		return reasons[0]
	}
	out := failure("unavailable", "")
	var words []string
	for _, one := range reasons {
		if one.Code == "not_allowed" {
			out.Code = one.Code
		}
		for name, value := range one.Facts {
			out.Facts[name] = value
		}
		words = append(words, one.Message)
	}
	out.Message = strings.Join(words, "; ")
	return out
}

// drawnName is a client name that nobody else has.
func drawnName() string {
	var bits [16]byte
	if _, err := rand.Read(bits[:]); err != nil {
		panic(err) // the system has no random numbers
	}
	return "client-" + hex.EncodeToString(bits[:])
}

// Close ends the connection. Rows leased to it are returned after the table's grace.
func (c *Connection) Close() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isClosed {
		return nil
	}
	c.isClosed = true
	c.stop()
	close(c.closed)
	c.look.stop()
	c.lookSilent.stop()
	c.lastError = failure("closed", "the connection was closed by its owner")
	for _, one := range c.lines() {
		one.end()
	}
	for _, one := range c.calls {
		c.finish(one, c.lastError)
	}
	for len(c.listeners) > 0 {
		c.endListener(c.listeners[0], c.lastError)
	}
	return nil
}

// Connects is the number of connections made to home, of those to other nodes that were lost, and of tables that moved.
// More than before: what belongs to a connection, such as leases, may be over.
func (c *Connection) Connects() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.connects
}

// NoticesDropped is the number of notices lost because NoticesMax were waiting. What is leased is never dropped.
func (c *Connection) NoticesDropped() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.dropped
}

// Call sends a command of doc/protocol.md and waits for its answer: one message or, for NEXT, LIST, STATS and others,
// several. Dates and durations are in milliseconds.
//
// The error is an *Error: the daemon's refusal with its code; timed_out: no answer in time, or the context has ended,
// and rows and messages that a late answer leases are released; closed, unavailable: there is no connection.
func (c *Connection) Call(ctx context.Context, command string, params Params) ([]Message, error) {
	one, err := c.send(ctx, command, params, nil)
	if err != nil {
		return nil, err
	}
	return c.receive(ctx, one)
}

// Stats are the figures of a table, by the names of STATS; of the daemon, if the name is empty.
func (c *Connection) Stats(ctx context.Context, table string) (Params, error) {
	params := Params{}
	params.setText("table", table)
	return oneOf(ctx, c, "STATS", params, "STATS")
}

// Command is one of a transaction.
type Command struct {
	Name   string
	Params Params
}

// Transaction carries out all of these commands, or none (doc/transactions.md). It returns their answers, in their
// order. A refusal has the number of its command, from 1, as the fact "op". After the code closed all was done, or
// nothing.
func (c *Connection) Transaction(ctx context.Context, commands []Command) ([]Message, error) {
	frames := []byte{}
	for _, one := range commands {
		var err error
		if frames, err = appendFrame(frames, one.Name, one.Params); err != nil {
			return nil, err
		}
	}
	answer, err := c.Call(ctx, "TRANSACTION", Params{"commands": frames})
	if err != nil {
		return nil, err
	}
	return answer[1:], nil
}

// --- for the typed calls

// A put or send without a name is sent for so long where a table has no room for one more.
const withoutName = time.Minute

// request is Call for a typed call, to which `params` belongs. A report of a failure goes without its trace to a daemon
// that knows none.
func (c *Connection) request(ctx context.Context, command string, params Params) ([]Message, error) {
	if _, traced := params["error_trace"]; traced {
		return c.report(ctx, command, params)
	}
	return c.Call(ctx, command, params)
}

// requestNumbered gives the command a number, unless it has one, so that it is sent again after a loss, and counts
// once.
func (c *Connection) requestNumbered(ctx context.Context, command string, params Params) ([]Message, error) {
	table := params.Text("table")
	if params["client"] == nil && c.give(table, params) {
		answer, err := c.Call(ctx, command, params)
		if err == nil || !c.hasNoRoom(table, err) {
			return answer, err
		}
		delete(params, "client")
		delete(params, "sequence")
	}
	return c.Call(ctx, command, params)
}

// give gives a number, unless the table had no room for our name lately.
func (c *Connection) give(table string, params Params) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if time.Now().Before(c.noRoom[table]) {
		return false
	}
	c.sequence++
	params["client"], params["sequence"] = c.client, c.sequence
	return true
}

// hasNoRoom learns from a refusal of a name that was given. If it is another peer's, as ours is another address now,
// the next command has another one.
func (c *Connection) hasNoRoom(table string, err error) bool {
	var why *Error
	if !errors.As(err, &why) || why.Facts.Text("parameter") != "client" {
		return false
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if why.Code == "not_allowed" {
		c.client, c.sequence = drawnName(), 0
	}
	if why.Code != "over_limit" {
		return false
	}
	c.noRoom[table] = time.Now().Add(withoutName)
	return true
}

func (c *Connection) report(ctx context.Context, command string, params Params) ([]Message, error) {
	c.mutex.Lock()
	knows := !c.noTraces
	c.mutex.Unlock()
	if knows {
		answer, err := c.Call(ctx, command, params)
		var why *Error
		if !errors.As(err, &why) || why.Code != "unknown_parameter" || why.Facts.Text("parameter") != "error_trace" {
			return answer, err
		}
		c.mutex.Lock()
		c.noTraces = true
		c.mutex.Unlock()
	}
	delete(params, "error_trace")
	return c.Call(ctx, command, params)
}
