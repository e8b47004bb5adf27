// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.

package fastjournal

import "time"

// Put is INSERTED: the row is there, synced.
type Put struct {
	// the table
	Table string
	// the row's number
	Row int64
	// inserted, merged, behind, duplicate or stale; without row-key inserted or duplicate; of a transaction also
	// expired, without row
	Result string
	// how often the row was merged
	Merges int64
	// not handed out before
	ProcessDate time.Time
	// why a merge left another date than was asked for: waiting-row or max-postpone
	DateBy string
}

func putOf(p Params) Put {
	out := Put{}
	out.Table = p.Text("table")
	out.Row = p.Int("row")
	out.Result = p.Text("result")
	out.Merges = p.Int("merges")
	out.ProcessDate = p.Time("process_date")
	out.DateBy = p.Text("date_by")
	return out
}

// Row is ROW: a row: leased (with epoch and lease_end) or shown.
type Row struct {
	// the table
	Table string
	// the row's number
	Row int64
	// of the lease
	Epoch int64
	// when the lease is over
	LeaseEnd time.Time
	// 0 to 255, the smallest first
	Priority int64
	// not handed out before
	ProcessDate time.Time
	// the producer's date
	InsertionDate time.Time
	// shown: the date of the insert accepted last, if it is another; an insert with an older insertion_date is stale
	AcceptedDate time.Time
	// not handed out from then on
	ExpirationDate time.Time
	// leases that timed out since the last merge
	Timeouts int64
	// time-outs and failures since the last merge or KICK
	Attempts int64
	// waiting, due, processing, behind or parked: waiting, due, processing, behind, parked, paused
	Status string
	// how often it was merged
	Merges int64
	// who has it
	Worker string
	// what a worker said last
	Error string
	// where it went wrong, as that worker said
	ErrorTrace string
	// true: columns kept in files are told as OFFSET LENGTH PATH
	Places bool
	// the columns that have a value
	Columns Columns
}

func rowOf(p Params) Row {
	out := Row{}
	out.Table = p.Text("table")
	out.Row = p.Int("row")
	out.Epoch = p.Int("epoch")
	out.LeaseEnd = p.Time("lease_end")
	out.Priority = p.Int("priority")
	out.ProcessDate = p.Time("process_date")
	out.InsertionDate = p.Time("insertion_date")
	out.AcceptedDate = p.Time("accepted_date")
	out.ExpirationDate = p.Time("expiration_date")
	out.Timeouts = p.Int("timeouts")
	out.Attempts = p.Int("attempts")
	out.Status = p.Text("status")
	out.Merges = p.Int("merges")
	out.Worker = p.Text("worker")
	out.Error = p.Text("error")
	out.ErrorTrace = p.Text("error_trace")
	out.Places = p.Bool("places")
	out.Columns = p.columnsBut("table row epoch lease_end priority process_date insertion_date accepted_date " +
		"expiration_date timeouts attempts status merges worker error error_trace places after")
	return out
}

// DueRows is DUE: rows whose date is above `from`, and not above `to`.
type DueRows struct {
	// the table
	Table string
	// 0: any date
	From time.Time
	// 0: any date
	To time.Time
	// how many rows
	Rows int64
	// the begin of the timeline
	Now time.Time
}

func dueRowsOf(p Params) DueRows {
	out := DueRows{}
	out.Table = p.Text("table")
	out.From = p.Time("from")
	out.To = p.Time("to")
	out.Rows = p.Int("rows")
	out.Now = p.Time("now")
	return out
}

// Domain is DOMAIN: a domain that has rows.
type Domain struct {
	// the table
	Table string
	// its name; empty: rows without one
	Domain string
	// all its rows
	Rows int64
	// of these, rows that wait for their date
	Waiting int64
	// rows that are due
	Due int64
	// of these, as many as may be handed out now
	Ready int64
	// rows that are leased
	Processing int64
	// rows that it hands out in a turn
	Weight int64
	// next, or waits; absent: it has nothing to hand out
	Turn string
	// what keeps its due rows: an option of the table, or pause
	Limit string
	// the date of its first due row
	FirstDate time.Time
	// when it may have something to hand out
	NextDate time.Time
}

func domainOf(p Params) Domain {
	out := Domain{}
	out.Table = p.Text("table")
	out.Domain = p.Text("domain")
	out.Rows = p.Int("rows")
	out.Waiting = p.Int("waiting")
	out.Due = p.Int("due")
	out.Ready = p.Int("ready")
	out.Processing = p.Int("processing")
	out.Weight = p.Int("weight")
	out.Turn = p.Text("turn")
	out.Limit = p.Text("limit")
	out.FirstDate = p.Time("first_date")
	out.NextDate = p.Time("next_date")
	return out
}

// KickedRow is KICKED: the row is back at work.
type KickedRow struct {
	// the table
	Table string
	// the row's number
	Row int64
	// not handed out before
	ProcessDate time.Time
	// many rows: how many
	Count int64
	// many rows: of so many that were looked at
	Looked int64
	// many rows: 1, nothing was changed
	DryRun bool
}

func kickedRowOf(p Params) KickedRow {
	out := KickedRow{}
	out.Table = p.Text("table")
	out.Row = p.Int("row")
	out.ProcessDate = p.Time("process_date")
	out.Count = p.Int("count")
	out.Looked = p.Int("looked")
	out.DryRun = p.Bool("dry_run")
	return out
}

// RowReason is REASON: why a row is where it is.
type RowReason struct {
	// the table
	Table string
	// the row's number
	Row int64
	// a word for programs
	State string
	// a sentence for people
	Text string
	// ms until its date
	In time.Duration
	// ms since its date
	DueFor time.Duration
	// not handed out before
	ProcessDate time.Time
	// when it expires
	ExpirationDate time.Time
	// whose turn it needs
	Domain string
	// rows before it
	Ahead int64
	// the option that holds it
	Limit string
	// the row of its key that is worked on
	HeldBy int64
	// of the lease
	Epoch int64
	// who has it
	Worker string
	// when the lease is over
	LeaseEnd time.Time
	// since when
	Since time.Time
	// true: an open transaction holds it, and its lease does not end meanwhile
	InTransaction bool
	// until when it is kept
	Until time.Time
	// who paused the table
	By string
	// why the table is paused
	Reason string
	// leases that timed out since the last merge
	Timeouts int64
	// time-outs and failures since the last merge or KICK
	Attempts int64
	// attempts that workers reported as failed
	Failures int64
	// in its life
	LifetimeTimeouts int64
	// what a worker said last
	Error string
	// where it went wrong, as that worker said
	ErrorTrace string
	// how often it was merged
	Merges int64
	// the date of the insert accepted last: an insert with an older insertion_date is stale
	AcceptedDate time.Time
}

func rowReasonOf(p Params) RowReason {
	out := RowReason{}
	out.Table = p.Text("table")
	out.Row = p.Int("row")
	out.State = p.Text("state")
	out.Text = p.Text("text")
	out.In = p.Span("in")
	out.DueFor = p.Span("due_for")
	out.ProcessDate = p.Time("process_date")
	out.ExpirationDate = p.Time("expiration_date")
	out.Domain = p.Text("domain")
	out.Ahead = p.Int("ahead")
	out.Limit = p.Text("limit")
	out.HeldBy = p.Int("held_by")
	out.Epoch = p.Int("epoch")
	out.Worker = p.Text("worker")
	out.LeaseEnd = p.Time("lease_end")
	out.Since = p.Time("since")
	out.InTransaction = p.Bool("in_transaction")
	out.Until = p.Time("until")
	out.By = p.Text("by")
	out.Reason = p.Text("reason")
	out.Timeouts = p.Int("timeouts")
	out.Attempts = p.Int("attempts")
	out.Failures = p.Int("failures")
	out.LifetimeTimeouts = p.Int("lifetime_timeouts")
	out.Error = p.Text("error")
	out.ErrorTrace = p.Text("error_trace")
	out.Merges = p.Int("merges")
	out.AcceptedDate = p.Time("accepted_date")
	return out
}
