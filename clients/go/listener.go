package fastjournal

// Messages that no command asked for: notices of LISTEN, and what it delivers.

import (
	"context"
	"time"
)

// Notice is what a Listener is told.
type Notice struct {
	// Kind is "work" (mode wake: Ready rows, messages or documents, the first due since Date), "due" (mode row: Row,
	// QueueMessage or Document is what is known of one that is due), "missed" (mode row: so many were not told),
	// "delivered" (mode deliver: Row, QueueMessage or Document is leased to this connection), or "changed" (of a
	// key/value table: Message says what).
	Kind         string
	Table        string
	Ready        int64
	Missed       int64
	Date         time.Time
	Row          Row
	QueueMessage QueueMessage
	Document     Document
	Message      Message
}

// ListenOptions are those of LISTEN.
type ListenOptions struct {
	// Mode is "wake": when there is work, to one idle listener, who leases until there is none; "row": of each row that
	// becomes due; "deliver": what is leased, up to Credit at once (1 to 1024). Empty: wake.
	Mode string
	// Domain, Queue, Source, Key and Prefix are what it is about, of a journal, a queue table, a pipeline, and a
	// key/value table: its rows, messages, documents or values only.
	Domain, Queue, Source, Key, Prefix string
	Credit                             int64
	// Worker is a name for people.
	Worker string
	// Lease is that of what is delivered.
	Lease time.Duration
}

// What a listener is about.
type listenKey struct{ table, domain, queue, source, key, prefix string }

// Listener has the notices of one LISTEN, also after a reconnect and after its table has moved.
type Listener struct {
	connection *Connection
	key        listenKey
	params     Params
	delivers   bool

	// With the connection's mutex:
	line    *line // where it was sent; nil: it waits to be sent
	inForce bool  // the first LISTEN was answered
	due     time.Time
	pauses  int
	notices []Notice
	arrived chan struct{} // closed when there is one, or an end
	err     *Error
}

// Listen sends LISTEN. A second one about the same replaces the first, whose notices end with the code closed.
func (c *Connection) Listen(ctx context.Context, table string, options ListenOptions) (*Listener, error) {
	key := listenKey{table, options.Domain, options.Queue, options.Source, options.Key, options.Prefix}
	out := &Listener{
		connection: c, key: key, params: key.params(), delivers: options.Mode == "deliver", arrived: make(chan struct{}),
	}
	out.params.setText("mode", options.Mode)
	out.params.setInt("credit", options.Credit)
	out.params.setText("worker", options.Worker)
	out.params.setSpan("lease", options.Lease)
	c.mutex.Lock()
	for _, one := range c.listeners {
		if one.key == key {
			c.endListener(one, failure("closed", "another Listen took the place of this one"))
			out.notices, one.notices = one.notices, nil
			break
		}
	}
	c.listeners = append(c.listeners, out)
	c.mutex.Unlock()
	one, err := c.send(ctx, "LISTEN", out.params, out)
	if err == nil {
		_, err = c.receive(ctx, one)
	}
	if err != nil {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.endListener(out, failure("closed", "it was refused"))
		if on := c.lineFor(table); isOutage(err) && on != nil && on.state == readyState {
			// It may be in force all the same, and what it delivers would be given back again and again.
			c.start("UNLISTEN", key.params(), ofNobody, on) // of parameters that a message has carried
		}
		return nil, err
	}
	return out, nil
}

func (k listenKey) params() Params {
	out := Params{"table": k.table}
	for name, value := range k.topics() {
		out.setText(name, value)
	}
	return out
}

func (k listenKey) topics() map[string]string {
	return map[string]string{"domain": k.domain, "queue": k.queue, "source": k.source, "key": k.key, "prefix": k.prefix}
}

// Next waits for the next notice. The error has the code timed_out where the context has ended; any other one is the
// end of the Listener: its table was dropped, or LISTEN was refused after a reconnect.
func (l *Listener) Next(ctx context.Context) (Notice, error) {
	c := l.connection
	for {
		c.mutex.Lock()
		if len(l.notices) > 0 {
			out := l.notices[0]
			l.notices = l.notices[1:]
			c.mutex.Unlock()
			return out, nil
		}
		arrived, err := l.arrived, l.err
		c.mutex.Unlock()
		if err != nil {
			return Notice{}, err
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return Notice{}, ended(ctx, failure("timed_out", "there was no notice in time"))
		}
	}
}

// Close sends UNLISTEN, unless there is no connection that has its LISTEN. What was delivered and not fetched is
// given back.
func (l *Listener) Close(ctx context.Context) error {
	c := l.connection
	c.mutex.Lock()
	on := l.line
	isOver := l.err != nil || on == nil
	c.endListener(l, failure("closed", "the Listener was closed by its owner"))
	for _, one := range l.notices {
		c.giveBack(one.Message, on)
	}
	l.notices = nil
	c.mutex.Unlock()
	if isOver {
		return nil
	}
	_, err := c.Call(ctx, "UNLISTEN", l.key.params())
	return err
}

// All below: with the mutex.

// endListener: its owner is told when the notices that are there are fetched.
func (c *Connection) endListener(l *Listener, why *Error) {
	for at, one := range c.listeners {
		if one == l {
			c.listeners = append(c.listeners[:at:at], c.listeners[at+1:]...)
		}
	}
	if l.err == nil {
		l.err = why
		close(l.arrived)
	}
}

// subscribe sends LISTEN again.
func (c *Connection) subscribe(l *Listener, now time.Time) {
	if l.due.After(now) {
		c.lookNotAfter(l.due)
		return
	}
	on := c.reach(c.routes[l.key.table])
	if on == nil || on.state != readyState {
		return
	}
	l.line = on
	if one, err := c.start("LISTEN", l.params, ofSubscription, on); err == nil {
		one.listener = l
	}
}

// takePush is about a message that no command asked for.
func (c *Connection) takePush(on *line, push Message) *Error {
	if push.Command == "UNLISTENED" {
		c.takeUnlistened(on, push)
		return nil
	}
	l := c.listenerOf(push)
	leased := isLease(push)
	if l == nil {
		// Its Listener was closed meanwhile.
		c.giveBack(push, on)
		return nil
	}
	if len(l.notices) >= c.options.NoticesMax {
		// What is leased is never dropped; more than any credit allows is no daemon of ours.
		if !leased {
			c.dropped++
			return nil
		}
		if len(l.notices) >= 2*c.options.NoticesMax {
			return failure("invalid", "the daemon leases more than was asked for")
		}
	}
	l.notices = append(l.notices, noticeOf(push))
	close(l.arrived)
	l.arrived = make(chan struct{})
	return nil
}

// takeUnlistened: a daemon ends listeners of a table: as another one decides for it, or nobody, which is followed; or
// for good.
func (c *Connection) takeUnlistened(on *line, push Message) {
	table, code := push.Params.Text("table"), push.Params.Text("code")
	due, isFollowed := time.Time{}, code == "moved" || code == "unavailable"
	if isFollowed {
		pauses := 0
		due = c.dueAfter(on, table, push, &pauses)
	}
	for _, one := range append([]*Listener{}, c.listeners...) {
		if one.key.table != table || !one.isNamedBy(push.Params) {
			continue
		}
		switch {
		case isFollowed:
			// Of several pushes about it, the first one counts.
			if one.line == on {
				one.line, one.due = nil, due
			}
		case code != "":
			c.endListener(one, failure(code, "%s", push.Params.Text("message")))
		default:
			c.endListener(one, failure("unknown_table", "table %s was dropped", table))
		}
	}
	c.lookNotAfter(due)
}

// isNamedBy says whether what an UNLISTENED names is what the listener is about.
func (l *Listener) isNamedBy(params Params) bool {
	for name, value := range l.key.topics() {
		if params[name] != nil && params.Text(name) != value {
			return false
		}
	}
	return true
}

// listenerOf is who is told: whose topics the push has, or else the first of the table whose topics it does not deny. A
// row that is delivered does not say by which domain it was listened to.
func (c *Connection) listenerOf(push Message) *Listener {
	var best *Listener
	bestFit := 0
	for _, one := range c.listeners {
		if one.key.table != push.Params.Text("table") || one.delivers != isLease(push) {
			continue
		}
		fit := 1
		for name, value := range one.key.topics() {
			told := push.Params.Text(name)
			if value != "" && told != "" && told != value {
				fit = -10
			} else if value == told {
				fit++
			}
		}
		if fit > bestFit {
			best, bestFit = one, fit
		}
	}
	return best
}

func noticeOf(push Message) Notice {
	p := push.Params
	out := Notice{Kind: "delivered", Table: p.Text("table"), Message: push}
	switch push.Command {
	case "ROW":
		out.Row = rowOf(p)
		return out
	case "MESSAGE":
		out.QueueMessage = queueMessageOf(p)
		return out
	case "DOCUMENT":
		out.Document = documentOf(p)
		return out
	case "LISTEN":
	default:
		out.Kind = "changed"
		return out
	}
	out.Kind = "due"
	switch {
	case p["row"] != nil:
		out.Row = rowOf(p)
	case p["message"] != nil:
		out.QueueMessage = queueMessageOf(p)
	case p["document"] != nil:
		out.Document = documentOf(p)
	case p["missed"] != nil:
		out.Kind, out.Missed = "missed", p.Int("missed")
	default:
		out.Kind, out.Ready, out.Date = "work", p.Int("ready"), p.Time("date")
	}
	return out
}
