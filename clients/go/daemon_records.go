// Made by ./mk generate from src/server/admin/daemon.xml and clients/calls/daemon.toml: do not edit.

package fastjournal

import "time"

// OwnRights is RIGHTS: who the sender is, and what it may do.
type OwnRights struct {
	// the user; absent without a login
	User string
	// what it may do on all tables, or on the one that was named
	Rights string
	// in words, what it may do on some tables
	Grants string
	// the table that the listener is bound to
	Table string
	// the number of the connection
	Connection int64
}

func ownRightsOf(p Params) OwnRights {
	out := OwnRights{}
	out.User = p.Text("user")
	out.Rights = p.Text("rights")
	out.Grants = p.Text("grants")
	out.Table = p.Text("table")
	out.Connection = p.Int("connection")
	return out
}

// ShownTable is TABLE: a table.
type ShownTable struct {
	// its name
	Name string
	// its type
	Type string
	// false: it is not kept on disk
	Persistent bool
	// the log of its records
	Log string
	// how many objects it has
	Rows int64
	// the columns of its key
	Key string
	// its columns
	Columns string
	// their types
	Types string
	// what its file says of it
	Description string
}

func shownTableOf(p Params) ShownTable {
	out := ShownTable{}
	out.Name = p.Text("name")
	out.Type = p.Text("type")
	out.Persistent = p.Text("persistent") != "0"
	out.Log = p.Text("log")
	out.Rows = p.Int("rows")
	out.Key = p.Text("key")
	out.Columns = p.Text("columns")
	out.Types = p.Text("types")
	out.Description = p.Text("description")
	return out
}

// Alert is ALERT: an alert that is up.
type Alert struct {
	// its table; absent: the daemon itself
	Table string
	// its name
	Name string
	// 0 to 100; 50 and above should reach an operator
	Priority int64
	// for people, from the last time
	Message string
	// what it is about
	Tags string
	// how often its cause occurred
	Count int64
	// the first time
	First time.Time
	// the last time
	Last time.Time
	// true: it must be ended by LOWER
	ManualDown bool
}

func alertOf(p Params) Alert {
	out := Alert{}
	out.Table = p.Text("table")
	out.Name = p.Text("name")
	out.Priority = p.Int("priority")
	out.Message = p.Text("message")
	out.Tags = p.Text("tags")
	out.Count = p.Int("count")
	out.First = p.Time("first")
	out.Last = p.Time("last")
	out.ManualDown = p.Bool("manual_down")
	return out
}

// Waiter is WAITER: a LISTEN of a connection, or its commands that wait.
type Waiter struct {
	// the table
	Table string
	// the number of the connection
	Connection int64
	// wake, row or deliver of LISTEN; next: commands wait
	Mode string
	// what it waits for; absent: all of the table
	Topic string
	// the name of the worker
	Worker string
	// the address of the connection
	Peer string
	// who is logged in there
	User string
	// of the LISTEN, or of the oldest command
	Since time.Time
	// true: the connection takes no bytes, and is told nothing
	Stalled bool
	// next: when the oldest wait ends
	Until time.Time
	// next: how many commands wait
	Waiting int64
	// wake: idle, woken or busy
	State string
	// row: announcements that were left out
	Missed int64
	// deliver: rows at once
	Credit int64
	// deliver: rows that are leased to it
	Leases int64
}

func waiterOf(p Params) Waiter {
	out := Waiter{}
	out.Table = p.Text("table")
	out.Connection = p.Int("connection")
	out.Mode = p.Text("mode")
	out.Topic = p.Text("topic")
	out.Worker = p.Text("worker")
	out.Peer = p.Text("peer")
	out.User = p.Text("user")
	out.Since = p.Time("since")
	out.Stalled = p.Bool("stalled")
	out.Until = p.Time("until")
	out.Waiting = p.Int("waiting")
	out.State = p.Text("state")
	out.Missed = p.Int("missed")
	out.Credit = p.Int("credit")
	out.Leases = p.Int("leases")
	return out
}

// Branch is BRANCH: a branch of a distributed transaction.
type Branch struct {
	// its name
	Xid string
	// prepared, active, idle, suspended, rollback_only; committed or rolled_back by an administrator
	State string
	// whose it is: a user, or an address
	Origin string
	// its number
	Transaction int64
	// how many commands it has
	Ops int64
	// their tables, separated by commas
	Tables string
	// when its time ends it
	EndsDate time.Time
	// where it is prepared: logs separated by commas, home first
	Log string
	// lost: the log that has the outcome is not there
	Home string
	// when it was prepared
	PreparedDate time.Time
	// how long it has been in doubt
	InDoubtFor time.Duration
	// when it was decided
	DecidedDate time.Time
}

func branchOf(p Params) Branch {
	out := Branch{}
	out.Xid = p.Text("xid")
	out.State = p.Text("state")
	out.Origin = p.Text("origin")
	out.Transaction = p.Int("transaction")
	out.Ops = p.Int("ops")
	out.Tables = p.Text("tables")
	out.EndsDate = p.Time("ends_date")
	out.Log = p.Text("log")
	out.Home = p.Text("home")
	out.PreparedDate = p.Time("prepared_date")
	out.InDoubtFor = p.Span("in_doubt_for")
	out.DecidedDate = p.Time("decided_date")
	return out
}

// Digest is DIGEST: the digest of a table or of a log.
type Digest struct {
	// the table
	Table string
	// the log
	Log string
	// of everything below this LSN
	Lsn int64
	// in hexadecimal digits
	Digest string
}

func digestOf(p Params) Digest {
	out := Digest{}
	out.Table = p.Text("table")
	out.Log = p.Text("log")
	out.Lsn = p.Int("lsn")
	out.Digest = p.Text("digest")
	return out
}

// Reloaded is RELOADED: the folder was read.
type Reloaded struct {
	// a line for each change
	Changes string
	// how many
	Count int64
	// true: none was made
	DryRun bool
}

func reloadedOf(p Params) Reloaded {
	out := Reloaded{}
	out.Changes = p.Text("changes")
	out.Count = p.Int("count")
	out.DryRun = p.Bool("dry_run")
	return out
}

// CommandHelp is HELP: what a command takes and answers.
type CommandHelp struct {
	// the command
	Command string
	// the table type that has it; daemon: it is the daemon's own
	Type string
	// read, add, change, remove or touch
	Kind string
	// what its sender needs
	Right string
	// each with its type; ! marks required ones
	Parameters string
	// their names
	Answers string
	// what it does
	Description string
}

func commandHelpOf(p Params) CommandHelp {
	out := CommandHelp{}
	out.Command = p.Text("command")
	out.Type = p.Text("type")
	out.Kind = p.Text("kind")
	out.Right = p.Text("right")
	out.Parameters = p.Text("parameters")
	out.Answers = p.Text("answers")
	out.Description = p.Text("description")
	return out
}
