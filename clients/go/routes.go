package fastjournal

// Which line the commands of a table take, and when those that wait are sent. A table may move to another node
// (doc/cluster.md): `moved` tells where, `unavailable` with `retry` that nobody decides for it at this moment. The
// rules are those of the library for C++ (clients/cpp/routes.h).

import (
	"strings"
	"time"
)

const retryMin = 20 * time.Millisecond

var never = time.Unix(1<<40, 0)

// A route is where the commands of a table go.
type route struct {
	address  string // empty: home
	token    int64
	line     *line // nil: there is no connection yet
	isShared bool  // nodes decide for it in turn
	// Some of its commands wait, or are in flight elsewhere: later ones must not overtake them.
	unsettled bool
	blocked   bool // while the connection goes through what waits
}

func (r *route) goHome(home *line) { r.address, r.line = "", home }

// follow: false: ask again after a pause only, as this brings nothing new. An older token is not followed.
func (r *route) follow(told Params, by, home *line) bool {
	r.isShared, r.unsettled = true, true
	address := told.Text("address")
	if address == "" {
		// Home has what the nodes know, sooner or later.
		if r.line == by {
			r.goHome(home)
		}
		return false
	}
	if strings.HasPrefix(by.address, "tls:") && !strings.HasPrefix(address, "tls:") &&
		!strings.HasPrefix(address, "unix:") && !strings.HasPrefix(address, "/") {
		address = "tls:" + address
	}
	token := r.token
	if told["token"] != nil {
		token = told.Int("token")
	}
	if token < r.token {
		return r.line != by
	}
	// Of two that point at each other, both say the same token.
	isFirst := r.address == "" && by == home
	isNew := token > r.token || isFirst || address == r.address
	if address != r.address {
		r.address, r.line = address, nil
	}
	r.token = token
	return isNew && r.line != by && address != by.address
}

// All below: with the mutex.

// lineFor: nil: it must wait behind others, or for a line to another node than home.
func (c *Connection) lineFor(table string) *line {
	of := c.routes[table]
	if of == nil {
		return c.home
	}
	// Another node can tell where a table is that home shares with it.
	wantsAnother := of.isShared && of.line == c.home && c.home.state != readyState && len(c.nodes) > 0
	if of.unsettled || wantsAnother {
		return nil
	}
	return of.line
}

func (c *Connection) routeOf(table string) *route {
	of := c.routes[table]
	if of == nil {
		of = &route{line: c.home}
		c.routes[table] = of
	}
	return of
}

// doubt: a line did not answer in time, and may hang for long: home knows whether another decides by now.
func (c *Connection) doubt(table string, on *line) {
	if of := c.routes[table]; of != nil && of.line == on && on != c.home {
		of.goHome(c.home)
		of.unsettled = true
	}
}

// reach is the line to where the table is; nil: it is wanted.
func (c *Connection) reach(of *route) *line {
	if of == nil {
		return c.home
	}
	if of.line == c.home && of.isShared && c.home.state != readyState {
		for _, node := range c.nodes {
			return node
		}
	}
	if of.line == nil && c.home.state == readyState && c.home.address == of.address {
		of.line = c.home
	}
	if of.line == nil {
		of.line = c.nodes[of.address]
	}
	if of.line == nil {
		c.wanted[of.address] = true
	}
	return of.line
}

// dueAfter learns from a `moved`, or an `unavailable`, when to send again.
func (c *Connection) dueAfter(on *line, table string, told Message, pauses *int) time.Time {
	if retry, found := retryOf(told); found {
		return time.Now().Add(retry)
	}
	if told.Params.Text("code") != "moved" || table == "" {
		return afterPause(pauses, 0)
	}
	of := c.routeOf(table)
	before := of.address
	isNew := of.follow(told.Params, on, c.home)
	if of.address != before {
		c.changedNow()
	}
	if isNew {
		return time.Time{}
	}
	return afterPause(pauses, 0)
}

// afterPause: 20, 40, 80, then 100 ms; at least as long as an attempt took, as nothing else may be served meanwhile.
func afterPause(pauses *int, took time.Duration) time.Time {
	pause := 100 * time.Millisecond
	if *pauses < 3 {
		pause = 20 * time.Millisecond << *pauses
	}
	*pauses++
	if pause < took {
		pause = took
	}
	return time.Now().Add(pause)
}

// retryOf is when to send again what was answered so: nobody decides for the table, and nothing was done.
func retryOf(told Message) (time.Duration, bool) {
	if told.Params.Text("code") != "unavailable" || told.Params["retry"] == nil {
		return 0, false
	}
	return within(told.Params.Span("retry"), retryMin, waitMax), true
}

// holdRefused: true: nothing was done, so it will be sent again. If it is of no table, its sender decides on `moved`.
func (c *Connection) holdRefused(on *line, one *call, refusal *Error, told Message) bool {
	_, again := retryOf(told)
	isMoved := refusal.Code == "moved" && one.table != ""
	if !isMoved && !again || len(one.messages) > 0 || one.err != nil {
		return false
	}
	one.hold(refusal, c.dueAfter(on, one.table, told, &one.pauses))
	if one.table != "" {
		c.routeOf(one.table).unsettled = true
	}
	c.lookNotAfter(one.due)
	return true
}

func (c *Connection) lookAgain() { c.lookAt = time.Time{} }

func (c *Connection) lookNotAfter(moment time.Time) {
	if moment.Before(c.lookAt) {
		c.lookAt = moment
	}
}

// serve sends what waits, now and when its time has come.
func (c *Connection) serve() {
	if c.isClosed {
		return
	}
	for !time.Now().Before(c.lookAt) {
		c.sendWaiting()
	}
	for address := range c.wanted {
		if !c.dialing[address] {
			c.dialing[address] = true
			go c.reachNode(address)
		}
	}
	c.look.set(c.lookAt, c.onLook)
}

func (c *Connection) onLook() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.look.of = nil
	c.serve()
}

// sendWaiting sends what may go now; `lookAt` is then when to call it again, whatever is received until then.
func (c *Connection) sendWaiting() {
	now := time.Now()
	c.lookAt = never
	for address := range c.wanted {
		delete(c.wanted, address)
	}
	// Subscriptions first, so that no wake-up is missed.
	for _, one := range c.listeners {
		if one.inForce && one.line == nil {
			c.subscribe(one, now)
		}
	}
	for _, of := range c.routes {
		of.unsettled, of.blocked = false, false
	}
	for _, one := range c.inOrder() {
		if one.role != ofCaller {
			continue
		}
		of := c.routes[one.table]
		if one.line == nil {
			c.sendHeld(one, of, now)
		} else if of != nil && one.line != of.line && one.wait == 0 {
			// Not through yet where the table was.
			of.unsettled, of.blocked = true, true
		}
	}
}

func (c *Connection) sendHeld(one *call, of *route, now time.Time) {
	if of == nil || !of.blocked {
		if one.due.After(now) {
			c.lookNotAfter(one.due)
		} else if on := c.reach(of); on != nil && on.state == readyState {
			one.line, one.refusal = on, nil
			c.write(on, one.frame)
			return
		}
	}
	if of != nil {
		of.unsettled = true
		// What the daemon may answer out of turn keeps nobody back.
		of.blocked = of.blocked || one.wait == 0
	}
}

// unreachable: there is no connection to a node that was wanted, after so long.
func (c *Connection) unreachable(address string, why *Error, took time.Duration) {
	delete(c.wanted, address)
	forgotten := map[string]bool{}
	for table, of := range c.routes {
		if of.address == address {
			of.goHome(c.home)
			of.token = 0
			forgotten[table] = true
		}
	}
	for _, one := range c.inOrder() {
		if one.line != nil || !forgotten[one.table] || one.role != ofCaller {
			continue
		}
		if why.Code == "not_allowed" {
			c.finish(one, why)
		} else {
			one.hold(why, afterPause(&one.pauses, took))
		}
	}
	for _, one := range c.listeners {
		if one.line == nil && forgotten[one.key.table] {
			one.due = afterPause(&one.pauses, took)
		}
	}
	c.lookAgain()
}
