package fastjournal

// Connections to single addresses: how they are made, made again, and given up.

import (
	"context"
	"math/rand"
	"net"
	"sync"
	"time"
)

const (
	// A node that was given up is doubted for so long; then it may take no longer than this to connect.
	doubted             = 5 * time.Second
	doubtedConnectLimit = 200 * time.Millisecond
)

type lineState int

const (
	closedState lineState = iota
	loginState            // AUTH was sent, and nothing else
	readyState
)

// A line is to one address, over one connection after the other.
type line struct {
	address    string
	state      lineState
	wire       *wire
	quietSince time.Time // its last bytes, or the first that were sent to it afterwards
	isAsked    bool      // something was sent since it said something
}

// A wire is one connection of a line, with what is to be sent.
type wire struct {
	line  *line
	conn  net.Conn
	out   []byte
	ended bool
	more  *sync.Cond
}

// end closes the connection, with the mutex.
func (l *line) end() {
	l.state = closedState
	if l.wire == nil {
		return
	}
	l.wire.ended = true
	l.wire.conn.Close()
	l.wire.more.Signal()
	l.wire = nil
}

// A timer calls a function at a moment; with the mutex.
type timer struct {
	of *time.Timer
	at time.Time
}

func (t *timer) set(at time.Time, call func()) {
	if t.of != nil && at.Equal(t.at) {
		return
	}
	t.stop()
	if t.at = at; at != never {
		t.of = time.AfterFunc(time.Until(at), call)
	}
}

func (t *timer) stop() {
	if t.of != nil {
		t.of.Stop()
		t.of = nil
	}
}

// lines are all lines, with the mutex.
func (c *Connection) lines() []*line {
	out := []*line{c.home}
	for _, one := range c.nodes {
		out = append(out, one)
	}
	return out
}

// open makes one attempt.
func (c *Connection) open(ctx context.Context, to *line) *Error {
	c.mutex.Lock()
	limit := c.connectLimit(to.address)
	c.mutex.Unlock()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// Close ends it as well.
	go func() {
		select {
		case <-c.alive.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	conn, why := c.options.dial(ctx, to.address)
	if why == nil {
		why = c.logIn(ctx, to, conn)
	}
	if why != nil && ctx.Err() == context.DeadlineExceeded {
		c.mutex.Lock()
		c.doubtNode(to.address)
		c.mutex.Unlock()
	}
	return why
}

// logIn shows the token, if there is one, and makes the line ready.
func (c *Connection) logIn(ctx context.Context, to *line, conn net.Conn) *Error {
	c.mutex.Lock()
	if c.isClosed {
		defer c.mutex.Unlock()
		conn.Close()
		return c.lastError
	}
	made := &wire{line: to, conn: conn, more: sync.NewCond(&c.mutex)}
	to.wire, to.state = made, loginState
	to.quietSince, to.isAsked = time.Now(), false
	go c.writeAll(made)
	go c.readAll(made)
	if c.options.Token == "" {
		c.ready(to)
		c.serve()
		c.mutex.Unlock()
		return nil
	}
	login, err := c.start("AUTH", Params{"token": c.options.Token}, ofLogin, to)
	c.mutex.Unlock()
	if err == nil {
		select {
		case <-login.done:
		case <-ctx.Done():
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch {
	case err != nil:
		to.end()
		return failure("bad_parameter", "the token is none that a message can carry")
	case login.finished && login.err == nil:
		c.serve()
		return nil
	case login.finished && login.err.Code != "closed":
		return login.err
	}
	if to.wire == made {
		to.end()
	}
	c.remove(login)
	if login.err != nil {
		return failure("unavailable", "%s", login.err.Message)
	}
	return failure("unavailable", "cannot connect to %s: no answer in time", to.address)
}

// readAll brings what arrives.
func (c *Connection) readAll(from *wire) {
	in := newReader(from.conn, c.options.MessageBytesMax)
	for {
		message, err := in.next()
		c.mutex.Lock()
		on := from.line
		if on.wire != from {
			c.mutex.Unlock()
			return
		}
		why, isRead := err.(*Error)
		if err == nil || isRead {
			on.quietSince, on.isAsked = time.Now(), false
			if isRead {
				why = c.settleOldest(on, why)
			} else {
				why = c.take(on, message)
			}
			err = nil
		}
		if why != nil || err != nil {
			if why == nil || on.state == readyState {
				if why != nil {
					err = why
				}
				why = connectionLost(on.address, err)
			}
			c.lineLost(on, why)
			c.mutex.Unlock()
			return
		}
		c.serve()
		c.mutex.Unlock()
	}
}

// write adds what is to be sent, with the mutex.
func (c *Connection) write(on *line, frame []byte) {
	if !on.isAsked {
		on.quietSince, on.isAsked = time.Now(), true
		c.planLookForSilence()
	}
	on.wire.out = append(on.wire.out, frame...)
	c.unsent += len(frame)
	on.wire.more.Signal()
}

// writeAll sends all that is there at once, so that commands that come meanwhile leave together.
func (c *Connection) writeAll(to *wire) {
	var out []byte
	var err error
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for {
		for len(to.out) == 0 && !to.ended {
			to.more.Wait()
		}
		if to.ended {
			c.sentBytes(len(to.out))
			return
		}
		out, to.out = to.out, out[:0]
		c.mutex.Unlock()
		if err == nil {
			if _, err = to.conn.Write(out); err != nil {
				to.conn.Close() // who reads is told
			}
		}
		c.mutex.Lock()
		c.sentBytes(len(out))
	}
}

func (c *Connection) sentBytes(count int) {
	c.unsent -= count
	close(c.drained)
	c.drained = make(chan struct{})
}

// All below: with the mutex, unless they say otherwise.

// changedNow tells that what belongs to a connection may be over.
func (c *Connection) changedNow() {
	c.connects++
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *Connection) ready(on *line) {
	on.state = readyState
	delete(c.doubted, on.address)
	if on == c.home {
		c.refusal, c.forGood = nil, false
	} else {
		c.nodes[on.address] = on
		delete(c.wanted, on.address)
	}
	c.changedNow()
	c.lookAgain()
	c.planLookForSilence()
}

// lineLost: the connection of a line has ended.
func (c *Connection) lineLost(on *line, why *Error) {
	wasReady := on.state == readyState
	on.end()
	if !wasReady {
		// logIn is told; it says whether that is final.
		for _, one := range c.inOrder() {
			if one.role == ofLogin && one.line == on {
				c.finish(one, why)
			}
		}
		return
	}
	c.lost(why, on, true)
	if tell := c.options.OnConnection; tell != nil {
		isBack := on != c.home && c.home.state == readyState
		go func() {
			tell(why)
			if isBack {
				tell(nil)
			}
		}()
	}
	if c.home.state != readyState && !c.forGood {
		c.restore()
	}
	c.serve()
}

// lost: the connection ended, or that to home could not be made. A not_allowed is final: no attempt follows by itself,
// once each of the servers was tried.
func (c *Connection) lost(why *Error, on *line, wasReady bool) {
	isHome := on == c.home
	if isHome {
		c.forGood = len(c.options.Pauses) == 0 || why.Code == "not_allowed"
		c.lastError = why
	} else if wasReady {
		delete(c.nodes, on.address)
		c.changedNow()
	}
	for _, of := range c.routes {
		if of.line == on {
			of.goHome(c.home)
			// Tokens begin anew where a log was restored from a backup, and no daemon lives over that.
			of.token = 0
		}
	}
	for _, one := range c.listeners {
		if one.line == on {
			one.line, one.due = nil, time.Time{}
		}
	}
	isOver := isHome && c.forGood
	for _, one := range c.inOrder() {
		if isOver && one.role == ofCaller && (one.line == nil || one.line == on) {
			c.finish(one, why)
		} else if one.line == on {
			c.lose(one, why)
		}
	}
	if isOver {
		for len(c.listeners) > 0 {
			c.endListener(c.listeners[0], why)
		}
	}
	c.lookAgain()
}

// restore begins to reconnect to home, unless that is under way.
func (c *Connection) restore() {
	if !c.restoring && !c.isClosed {
		c.restoring = true
		go c.reconnect()
	}
}

func (c *Connection) reconnect() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	defer func() { c.restoring = false }()
	c.forGood = false
	if len(c.options.Pauses) == 0 {
		c.lost(c.lastError, c.home, false)
		return
	}
	for pause := c.nextPause(); !c.isClosed && !c.forGood; {
		c.mutex.Unlock()
		why := c.openAfter(pause)
		c.mutex.Lock()
		if why == nil {
			if tell := c.options.OnConnection; tell != nil {
				go tell(nil)
			}
			// It may be lost again by now.
			if c.home.state != closedState {
				return
			}
			why = c.lastError
		}
		pause = c.attemptFailed(why)
		c.serve()
	}
}

// openAfter makes an attempt after a pause; without the mutex.
func (c *Connection) openAfter(pause time.Duration) *Error {
	wait := time.NewTimer(pause)
	defer wait.Stop()
	select {
	case <-wait.C:
		return c.open(c.alive, c.home)
	case <-c.closed:
		return failure("closed", "the connection was closed by its owner")
	}
}

// nextPause is before the next attempt to reach home, which goes to the next server. 0 until each was tried.
func (c *Connection) nextPause() time.Duration {
	pauses, servers := c.options.Pauses, c.servers
	c.attempts++
	if len(servers) > 1 {
		next := 0
		for at, one := range servers {
			if one == c.home.address {
				next = (at + 1) % len(servers)
			}
		}
		c.home.address = servers[next]
		if c.attempts%len(servers) != 0 {
			return 0
		}
	}
	at := c.attempts/len(servers) - 1
	if at >= len(pauses) {
		at = len(pauses) - 1
	}
	return time.Duration(float64(pauses[at]) * (0.75 + rand.Float64()/2))
}

// attemptFailed: home was not reached. Final only once each of the servers was tried.
func (c *Connection) attemptFailed(why *Error) time.Duration {
	if c.isClosed {
		return 0
	}
	if len(c.servers) == 1 {
		c.lost(why, c.home, false)
		return c.nextPause()
	}
	if why.Code == "not_allowed" {
		c.refusal = why
		why = failure("unavailable", "%s", why.Message)
	}
	c.lost(why, c.home, false)
	pause := c.nextPause()
	if c.refusal != nil && c.attempts%len(c.servers) == 0 {
		refusal := c.refusal
		c.refusal = nil
		c.lost(refusal, c.home, false)
	}
	return pause
}

// reachNode connects to a node that is wanted; without the mutex.
func (c *Connection) reachNode(address string) {
	begun := time.Now()
	why := c.open(c.alive, &line{address: address})
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.dialing, address)
	if why != nil && !c.isClosed {
		c.unreachable(address, why, time.Since(begun))
	} else if tell := c.options.OnConnection; tell != nil && why == nil {
		go tell(nil)
	}
	c.serve()
}

// silenceLimit: 0: it does not matter.
func (c *Connection) silenceLimit() time.Duration {
	if c.options.SilenceLimit < 0 || len(c.servers) == 1 && len(c.routes) == 0 {
		return 0
	}
	return c.options.SilenceLimit
}

// connectLimit is of one attempt. Where there are other nodes, one that is gone keeps nobody from them for long: others
// may name it for a while.
func (c *Connection) connectLimit(address string) time.Duration {
	limit := c.options.ConnectLimit
	if silence := c.silenceLimit(); silence > 0 {
		limit = within(limit, 0, silence)
		if time.Now().Before(c.doubted[address]) {
			limit = within(limit, 0, doubtedConnectLimit)
		}
	}
	return limit
}

// doubtNode: it was given up as silent, or did not connect within its limit. A connection ends that, or its time, which
// is not prolonged.
func (c *Connection) doubtNode(address string) {
	now := time.Now()
	for one, until := range c.doubted {
		if !now.Before(until) {
			delete(c.doubted, one)
		}
	}
	if _, known := c.doubted[address]; !known {
		c.doubted[address] = now.Add(doubted)
	}
}

func (c *Connection) planLookForSilence() {
	limit, first := c.silenceLimit(), never
	if limit == 0 && c.lookSilent.of == nil {
		return
	}
	for _, one := range c.lines() {
		if due := one.quietSince.Add(limit); limit > 0 && one.state == readyState && due.Before(first) {
			first = due
		}
	}
	if !c.isClosed && (first == never || c.lookSilent.of == nil || first.Before(c.lookSilent.at)) {
		c.lookSilent.set(first, c.onLookForSilence)
	}
}

func (c *Connection) onLookForSilence() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isClosed {
		return
	}
	c.lookSilent.of = nil
	now, limit := time.Now(), c.silenceLimit()
	for _, one := range c.lines() {
		if limit > 0 && one.state == readyState && !now.Before(one.quietSince.Add(limit)) {
			if why := c.silence(one, now, limit); why != nil {
				c.lineLost(one, connectionLost(one.address, why))
			}
		}
	}
	c.planLookForSilence()
}

// silence is about a line that is quiet: the error by which to end it. nil: it owes nothing. Of several nodes, one that
// owes an answer may have no power, or be stopped: nobody tells.
func (c *Connection) silence(on *line, now time.Time, limit time.Duration) *Error {
	isAwaited := false
	for _, one := range c.calls {
		if one.line != on {
			continue
		}
		isAwaited = true
		if one.wait > 0 {
			// It may have been sent just now.
			if one.answerDue.IsZero() {
				one.answerDue = now.Add(one.wait + limit)
			}
			if now.Before(one.answerDue) {
				continue
			}
		}
		c.doubtNode(on.address)
		return failure("closed", "it has said nothing for %v", limit)
	}
	for _, one := range c.listeners {
		if !isAwaited && one.line == on {
			c.start("ALIVE", Params{}, ofNobody, on) // no message that is refused
			break
		}
	}
	// What is sent from now on has its own time.
	on.quietSince, on.isAsked = now, false
	return nil
}
