package fastjournal

// Commands in flight: what is sent again after a loss, and whose answer comes.

import (
	"context"
	"sort"
	"time"
)

const (
	answerMessagesMax = 1 << 20
	waitMax           = 24 * time.Hour
	// Beyond so many bytes that are not sent yet, further commands wait.
	unsentMax = 16 << 20
)

// resend says whether a command may be sent again after a loss.
type resend int

const (
	once     resend = iota
	always          // it may
	numbered        // if it has `client` and `sequence`
)

// A rule is what is declared of a command.
type rule struct {
	resend     resend
	waits      bool   // it has the parameter `wait`: such an answer may overtake others
	doneBefore string // the answer to assume if a command that was sent again finds the row gone
	givesBack  bool   // what an answer leases is given back if nobody waits for it any more
}

// A lease is what a message that leases something has, and how it is given back.
type lease struct {
	proof     string   // is there only if something is leased: epoch or token
	givesBack string   // the command
	names     []string // its parameters
}

func ruleOf(command string) rule { return rules[command] }

type role int

const (
	ofCaller       role = iota
	ofNobody            // given up: the answer is dropped
	ofSubscription      // after a reconnect: only a refusal matters
	ofLogin
)

// A call is a command in flight. When `finished`, it has either messages or an error.
type call struct {
	number    uint64
	command   string
	table     string
	rule      rule
	frame     []byte
	mayResend bool // after a loss: what was refused with `moved` always may
	role      role
	listener  *Listener // that it puts in force
	wait      time.Duration
	line      *line     // nil: it waits to be sent, if it is not finished
	due       time.Time // not before
	answerDue time.Time // after its `wait`; zero: not sent, or the look for silence has not seen it
	pauses    int       // that were made before it was sent again
	refusal   *Error    // why it was not carried out so far
	messages  []Message
	err       *Error
	resent    bool
	finished  bool
	done      chan struct{}
}

// hold: it waits to be sent, or sent again.
func (one *call) hold(refusal *Error, due time.Time) {
	one.line, one.refusal, one.due = nil, refusal, due
	one.answerDue = time.Time{}
	one.messages, one.err = nil, nil
}

// send puts a command in flight. It waits while there are too many.
func (c *Connection) send(ctx context.Context, command string, params Params, listener *Listener) (*call, error) {
	if command == "BEGIN" || command == "XA_START" {
		return nil, failure("not_supported", "%s: a connection is for many; use Transaction", command)
	}
	if command == "WATCH" || command == "LISTEN" && listener == nil {
		return nil, failure("not_supported", "%s: nobody would get its notices; there is Connection.Listen", command)
	}
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ended(ctx, failure("timed_out", "%d commands are in flight", cap(c.slots)))
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for c.unsent > unsentMax && !c.isClosed {
		drained := c.drained
		c.mutex.Unlock()
		select {
		case <-drained:
		case <-ctx.Done():
		}
		c.mutex.Lock()
		if ctx.Err() != nil {
			<-c.slots
			return nil, ended(ctx, failure("timed_out", "%s takes no more bytes", c.home.address))
		}
	}
	if c.isClosed {
		<-c.slots
		return nil, c.lastError
	}
	one, err := c.start(command, params, ofCaller, c.lineFor(params.Text("table")))
	if err != nil {
		<-c.slots
		return nil, err
	}
	one.listener = listener
	if c.home.state == closedState {
		c.restore()
	}
	c.serve()
	return one, nil
}

// receive waits for the answer to a command that was sent.
func (c *Connection) receive(ctx context.Context, one *call) ([]Message, error) {
	var late <-chan time.Time
	if c.options.TimeLimit > 0 {
		limit := time.NewTimer(c.options.TimeLimit + one.wait)
		defer limit.Stop()
		late = limit.C
	}
	select {
	case <-one.done:
	case <-late:
	case <-ctx.Done():
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	defer c.serve()
	if !one.finished {
		return nil, ended(ctx, c.timedOut(one))
	}
	if one.err != nil {
		c.abandon(one)
		return nil, one.err
	}
	// From now on they are the caller's.
	messages := one.messages
	one.messages = nil
	return messages, nil
}

// ended is an error of a call that a context has ended, or a time limit.
func ended(ctx context.Context, why *Error) *Error {
	why.cause = ctx.Err()
	return why
}

// All below: with the mutex.

func (c *Connection) start(command string, params Params, role role, on *line) (*call, error) {
	all := make(Params, len(params)+1)
	for name, value := range params {
		all[name] = value
	}
	all["request"] = c.number + 1
	frame, err := appendFrame(nil, command, all)
	if err != nil {
		return nil, err
	}
	c.number++
	rule := ruleOf(command)
	one := &call{
		number: c.number, command: command, rule: rule, frame: frame, role: role, line: on, done: make(chan struct{}),
		mayResend: rule.resend == always ||
			rule.resend == numbered && params["client"] != nil && params["sequence"] != nil,
	}
	if role == ofCaller {
		one.table = params.Text("table")
	}
	if rule.waits {
		one.wait = within(params.Span("wait"), 0, waitMax)
	}
	c.calls[one.number] = one
	if on == nil || on.state == closedState || on.state == loginState && role != ofLogin {
		one.line = nil
		c.lookAgain()
	} else {
		c.write(on, frame)
	}
	return one, nil
}

func within(span, least, most time.Duration) time.Duration {
	if span < least {
		return least
	}
	if span > most {
		return most
	}
	return span
}

// remove ends the bookkeeping of a call.
func (c *Connection) remove(one *call) {
	if c.calls[one.number] != one {
		return
	}
	delete(c.calls, one.number)
	if one.role == ofCaller {
		<-c.slots
	}
}

func (c *Connection) finish(one *call, err *Error) {
	c.remove(one)
	if one.finished {
		return
	}
	if one.err == nil {
		one.err = err
	}
	one.finished = true
	close(one.done)
}

// inOrder are the calls in the order of sending.
func (c *Connection) inOrder() []*call {
	out := make([]*call, 0, len(c.calls))
	for _, one := range c.calls {
		out = append(out, one)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].number < out[j].number })
	return out
}

// abandon: nobody waits any more. What its answer leased, or a late one leases, is given back.
func (c *Connection) abandon(one *call) {
	if one.rule.givesBack {
		for _, message := range one.messages {
			c.giveBack(message, one.line)
		}
	}
	one.messages = nil
	if c.calls[one.number] == one {
		c.remove(one)
		if one.line != nil && one.line.state == readyState {
			one.role = ofNobody
			c.calls[one.number] = one
		}
		c.lookAgain()
	}
}

// timedOut gives a call up whose time is over; why.
func (c *Connection) timedOut(one *call) *Error {
	on := one.line
	c.abandon(one)
	if on != nil && on.state == readyState {
		c.doubt(one.table, on)
		return failure("timed_out", "no answer to %s from %s in time", one.command, on.address)
	}
	if one.refusal != nil {
		return &Error{Code: one.refusal.Code, Message: one.refusal.Message, Facts: one.refusal.Facts}
	}
	if c.home.state != readyState {
		return failure("unavailable", "%s (tried again until the time limit)", c.lastError.Message)
	}
	return failure("unavailable", "it waited for earlier commands of table %s until the time limit", one.table)
}

// giveBack gives back what a message leases: nobody would work on it until its lease ends. Without an error, as nothing
// failed.
func (c *Connection) giveBack(message Message, on *line) {
	how, found := leases[message.Command]
	if _, leased := message.Params[how.proof]; !found || !leased {
		return
	}
	params := Params{}
	for _, name := range how.names {
		params.setValue(name, message.Params[name])
	}
	if on == nil || on.state != readyState {
		on = c.lineFor(params.Text("table"))
	}
	if on != nil && on.state == readyState {
		c.start(how.givesBack, params, ofNobody, on) // of our own parameters: no message is refused
	}
}

func isLease(message Message) bool {
	how, found := leases[message.Command]
	_, leased := message.Params[how.proof]
	return found && leased
}

// lose: the line of a call is lost.
func (c *Connection) lose(one *call, why *Error) {
	switch {
	case one.role == ofLogin:
		c.finish(one, why)
	case one.role != ofCaller:
		c.remove(one)
	case !one.mayResend:
		c.finish(one, failure("closed", "%s; whether %s was carried out is not known", why.Message, one.command))
	default:
		one.resent = true
		one.hold(nil, time.Time{})
		if of := c.routes[one.table]; of != nil {
			of.unsettled = true
		}
	}
}

// take is about a message that has arrived. An error ends the connection.
func (c *Connection) take(on *line, message Message) *Error {
	if on == c.home {
		c.attempts = 0
	}
	refusal := refusalOf(message)
	number, isNumber := message.Params["request"].(int64)
	if _, asked := message.Params["request"]; !asked {
		// An unreadable message's request cannot be returned.
		if refusal != nil {
			return c.settleOldest(on, refusal)
		}
		return c.takePush(on, message)
	}
	one := c.calls[uint64(number)]
	if !isNumber || one == nil || one.line != on {
		return nil
	}
	isLast := message.Params.Int("left") <= 0
	delete(message.Params, "request")
	delete(message.Params, "left")
	if one.role != ofCaller {
		return c.takeUnasked(on, one, message, refusal, isLast)
	}
	switch {
	case refusal == nil:
		if one.messages = append(one.messages, message); len(one.messages) > answerMessagesMax {
			return failure("invalid", "an answer to %s of more than %d messages", one.command, answerMessagesMax)
		}
	case c.holdRefused(on, one, refusal, message):
		return nil
	case one.resent && one.rule.doneBefore != "" && refusal.Code == "unknown_row":
		one.messages = append(one.messages, Message{one.rule.doneBefore, Params{}})
	case one.err == nil:
		one.err = refusal
	}
	// A refusal may be followed by more messages.
	if isLast {
		c.finish(one, nil)
		if one.listener != nil && one.err == nil {
			one.listener.line, one.listener.inForce = on, true
		}
		if of := c.routes[one.table]; of != nil && of.line != on {
			// Others may have waited for it, as it was on its way to where the table was.
			c.lookAgain()
		}
	}
	return nil
}

// takeUnasked is about the answer to a command without a caller.
func (c *Connection) takeUnasked(on *line, one *call, message Message, refusal *Error, isLast bool) *Error {
	switch one.role {
	case ofLogin:
		if refusal != nil {
			refusal.Message = on.address + " refuses the token: " + refusal.Message
			return refusal
		}
		c.finish(one, nil)
		c.ready(on)
		return nil
	case ofSubscription:
		listener := one.listener
		_, again := retryOf(message)
		if refusal != nil && (refusal.Code == "moved" || again) {
			listener.line = nil
			listener.due = c.dueAfter(on, listener.key.table, message, &listener.pauses)
			c.lookNotAfter(listener.due)
		} else if refusal != nil {
			c.endListener(listener, refusal)
		} else {
			listener.pauses = 0
		}
	default:
		if one.rule.givesBack {
			c.giveBack(message, on)
		}
	}
	if isLast || refusal != nil {
		c.remove(one)
	}
	return nil
}

// settleOldest: a refusal without a request belongs to the oldest command, of those whose answer overtakes no other.
func (c *Connection) settleOldest(on *line, why *Error) *Error {
	for _, one := range c.inOrder() {
		if one.line != on || one.wait > 0 {
			continue
		}
		if one.role == ofLogin {
			return why
		}
		c.finish(one, why)
		c.lookAgain()
		return nil
	}
	// Of the connection itself, such as over_limit with command=CONNECT.
	if why.Code == "invalid" {
		why.Code = "closed"
	}
	return why
}
