// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.

package fastjournal

import "time"

// Put is INSERTED: the row is there, synced.
type Put struct {
	// the table
	Table string
	// the row's number
	Row int64
	// inserted, merged, behind, duplicate, stale or unique (a row of the key is done, and no further one is taken yet);
	// without row-key inserted or duplicate; of a transaction also expired, without row
	Result string
	// how often the row was merged
	Merges int64
	// not handed out before
	ProcessDate time.Time
	// how many rows and groups it waits for, if any
	WaitsFor int64
	// why a merge left another date than was asked for: waiting-row or max-postpone
	DateBy string
	// unique: when the row was done
	EndedDate time.Time
	// unique: until when no further row of the key is taken
	UniqueUntil time.Time
}

func putOf(p Params) Put {
	out := Put{}
	out.Table = p.Text("table")
	out.Row = p.Int("row")
	out.Result = p.Text("result")
	out.Merges = p.Int("merges")
	out.ProcessDate = p.Time("process_date")
	out.WaitsFor = p.Int("waits_for")
	out.DateBy = p.Text("date_by")
	out.EndedDate = p.Time("ended_date")
	out.UniqueUntil = p.Time("unique_until")
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
	// waiting, due, processing, behind, blocked or parked: waiting, due, processing, behind, blocked, parked, paused
	Status string
	// how many rows and groups it waits for
	WaitsFor int64
	// its group of jobs
	Group string
	// how often it was merged
	Merges int64
	// who has it
	Worker string
	// what a worker said last
	Error string
	// what kind of error that was
	ErrorClass string
	// where it went wrong, as that worker said
	ErrorTrace string
	// true: columns kept in files are told as OFFSET LENGTH PATH
	Places bool
	// shown: when its lease began
	StartedDate time.Time
	// its tags, with commas between them
	Tags string
	// its own, if it has one: given up after so many failures
	MaxAttempts int64
	// its own, if it has one: how long it rests after a failed attempt
	BackOff string
	// its own, if it has one: how long the work may take, in ms
	Lease time.Duration
	// its own, if it has one: for so long after it is done no further row of its key is taken, in ms
	UniqueFor time.Duration
	// the schedule that made it
	Schedule string
	// for which of its dates
	ScheduleDate time.Time
	// how far its worker is, in percent, if it said so
	Progress int64
	// what its worker is doing
	ProgressNote string
	// when its worker said so
	ProgressDate time.Time
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
	out.WaitsFor = p.Int("waits_for")
	out.Group = p.Text("group")
	out.Merges = p.Int("merges")
	out.Worker = p.Text("worker")
	out.Error = p.Text("error")
	out.ErrorClass = p.Text("error_class")
	out.ErrorTrace = p.Text("error_trace")
	out.Places = p.Bool("places")
	out.StartedDate = p.Time("started_date")
	out.Tags = p.Text("tags")
	out.MaxAttempts = p.Int("max_attempts")
	out.BackOff = p.Text("back_off")
	out.Lease = p.Span("lease")
	out.UniqueFor = p.Span("unique_for")
	out.Schedule = p.Text("schedule")
	out.ScheduleDate = p.Time("schedule_date")
	out.Progress = p.Int("progress")
	out.ProgressNote = p.Text("progress_note")
	out.ProgressDate = p.Time("progress_date")
	out.Columns = p.columnsBut("table row epoch lease_end priority process_date insertion_date accepted_date " +
		"expiration_date timeouts attempts status waits_for group merges worker error error_class " +
		"error_trace places started_date tags max_attempts back_off lease unique_for schedule " +
		"schedule_date after progress progress_note progress_date")
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

// Figure is FIGURE: what happened in a minute or an hour in which something did.
type Figure struct {
	// the table
	Table string
	// its begin
	Date time.Time
	// new rows
	Inserted int64
	// rows handed out
	Leased int64
	// rows done
	Done int64
	// attempts that a worker called failed
	Failed int64
	// leases that ran out
	TimedOut int64
	// unleased rows at its end, whatever their date
	Waiting int64
	// leased rows at its end
	Processing int64
	// from a row's date to its lease: half of them below; of an hour the mean of its minutes, by their leases
	LatenessMsP50 int64
	// 99 of 100 below; of an hour the largest of its minutes
	LatenessMsP99 int64
}

func figureOf(p Params) Figure {
	out := Figure{}
	out.Table = p.Text("table")
	out.Date = p.Time("date")
	out.Inserted = p.Int("inserted")
	out.Leased = p.Int("leased")
	out.Done = p.Int("done")
	out.Failed = p.Int("failed")
	out.TimedOut = p.Int("timed_out")
	out.Waiting = p.Int("waiting")
	out.Processing = p.Int("processing")
	out.LatenessMsP50 = p.Int("lateness_ms_p50")
	out.LatenessMsP99 = p.Int("lateness_ms_p99")
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
	// how many rows and groups it waits for
	WaitsFor int64
	// the first of these rows, by number, with blanks between
	BlockedBy string
	// the group of jobs that it waits for
	AfterGroup string
	// what it does when one of these fails: wait, fail, go-on
	WhenFailed string
	// its group of jobs
	Group string
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
	// what kind of error that was
	ErrorClass string
	// where it went wrong, as that worker said
	ErrorTrace string
	// how often it was merged
	Merges int64
	// the date of the insert accepted last: an insert with an older insertion_date is stale
	AcceptedDate time.Time
	// the schedule that made it
	Schedule string
	// for which of its dates
	ScheduleDate time.Time
	// how far its worker is, in percent, if it said so
	Progress int64
	// what its worker is doing
	ProgressNote string
	// when its worker said so
	ProgressDate time.Time
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
	out.WaitsFor = p.Int("waits_for")
	out.BlockedBy = p.Text("blocked_by")
	out.AfterGroup = p.Text("after_group")
	out.WhenFailed = p.Text("when_failed")
	out.Group = p.Text("group")
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
	out.ErrorClass = p.Text("error_class")
	out.ErrorTrace = p.Text("error_trace")
	out.Merges = p.Int("merges")
	out.AcceptedDate = p.Time("accepted_date")
	out.Schedule = p.Text("schedule")
	out.ScheduleDate = p.Time("schedule_date")
	out.Progress = p.Int("progress")
	out.ProgressNote = p.Text("progress_note")
	out.ProgressDate = p.Time("progress_date")
	return out
}

// JobGroup is GROUP: a group of jobs.
type JobGroup struct {
	// the table
	Table string
	// its name
	Group string
	// its number
	Number int64
	// open: it does not end; closed: it ends once all its rows have; ended
	State string
	// of the command GROUP: made, opened, closed, unchanged
	Result string
	// rows that have not ended, parked ones apart
	Rows int64
	// rows that are done
	Done int64
	// rows that are gone without being done: deleted, expired
	Failed int64
	// rows that were given up, and may be put back to work
	Parked int64
	// when it was made
	Since time.Time
	// when all its rows had ended
	EndedDate time.Time
	// until when it is kept
	Until time.Time
	// rows that wait for it, the first by number, with blanks between
	Waiting string
}

func jobGroupOf(p Params) JobGroup {
	out := JobGroup{}
	out.Table = p.Text("table")
	out.Group = p.Text("group")
	out.Number = p.Int("number")
	out.State = p.Text("state")
	out.Result = p.Text("result")
	out.Rows = p.Int("rows")
	out.Done = p.Int("done")
	out.Failed = p.Int("failed")
	out.Parked = p.Int("parked")
	out.Since = p.Time("since")
	out.EndedDate = p.Time("ended_date")
	out.Until = p.Time("until")
	out.Waiting = p.Text("waiting")
	return out
}

// Node is NODE: a row, and what it waits for.
type Node struct {
	// the table
	Table string
	// the row's number
	Row int64
	// its state: waiting, due, processing, behind, blocked, parked
	State string
	// of a group: above that of all rows of the page that it waits for, from 0; of a row: so many steps behind it, below
	// 0 before it
	Level int64
	// its key, for people
	Text string
	// the rows that it waits for, with blanks between
	WaitsFor string
	// of what it waited for, that which failed
	Broken string
	// the group of jobs that it waits for
	AfterGroup string
	// its group of jobs
	Group string
}

func nodeOf(p Params) Node {
	out := Node{}
	out.Table = p.Text("table")
	out.Row = p.Int("row")
	out.State = p.Text("state")
	out.Level = p.Int("level")
	out.Text = p.Text("text")
	out.WaitsFor = p.Text("waits_for")
	out.Broken = p.Text("broken")
	out.AfterGroup = p.Text("after_group")
	out.Group = p.Text("group")
	return out
}

// Scheduled is SCHEDULED: the schedule is as it was given.
type Scheduled struct {
	// the table
	Table string
	// its name
	Schedule string
	// its number
	Number int64
	// made, changed or unchanged
	Result string
	// its next date; absent: none comes any more
	NextDate time.Time
}

func scheduledOf(p Params) Scheduled {
	out := Scheduled{}
	out.Table = p.Text("table")
	out.Schedule = p.Text("schedule")
	out.Number = p.Int("number")
	out.Result = p.Text("result")
	out.NextDate = p.Time("next_date")
	return out
}

// Schedule is SCHEDULE: a schedule.
type Schedule struct {
	// the table
	Table string
	// its name
	Schedule string
	// its number
	Number int64
	// over: no date comes any more: active, paused, over
	State string
	// its dates; or else every
	Cron string
	// so far apart
	Every time.Duration
	// whose clock cron is about
	TimeZone string
	// its rows are due up to so much later
	Jitter time.Duration
	// no date before
	Begins time.Time
	// no date behind
	Ends time.Time
	// while a row of it has not ended: skip, one, all
	Overlap string
	// of dates that were missed: none, last, all
	CatchUp string
	// of these none that is older
	CatchUpWindow time.Duration
	// of these so many at most
	CatchUpMax int64
	// so many failures in a row pause it
	PauseAfter int64
	// an alert is raised when nothing was done for so long
	AlertAfter time.Duration
	// of its rows
	Priority int64
	// of its rows
	ExpiresIn time.Duration
	// of its rows, as one object in JSON
	Columns string
	// true: by the table's file
	Declared bool
	// its next date
	NextDate time.Time
	// its next dates, in milliseconds since 1970, between blanks
	Dates string
	// this date waits for the end of the row before
	WaitingDate time.Time
	// the last date that is over
	LastDate time.Time
	// the last row
	LastRow int64
	// what became of it: running, done, failed, expired, deleted
	LastResult string
	// the last date whose row was done
	LastSuccess time.Time
	// rows that failed or expired since one was done
	FailuresInRow int64
	// rows that have not ended
	Running int64
	// rows that it made
	Made int64
	// of these, rows that are done
	Done int64
	// of these, rows that failed or expired
	Failed int64
	// dates without a row, since one before had not ended
	Skipped int64
	// dates without a row, since none could be made at the time; counted up to 1000 at once
	Missed int64
	// true: without success for longer than alert_after
	Late bool
	// since when it is paused, or runs as it does
	Since time.Time
	// who made, paused or resumed it last
	By string
	// why it is paused
	Reason string
	// why it can make no rows here
	Problem string
}

func scheduleOf(p Params) Schedule {
	out := Schedule{}
	out.Table = p.Text("table")
	out.Schedule = p.Text("schedule")
	out.Number = p.Int("number")
	out.State = p.Text("state")
	out.Cron = p.Text("cron")
	out.Every = p.Span("every")
	out.TimeZone = p.Text("time_zone")
	out.Jitter = p.Span("jitter")
	out.Begins = p.Time("begins")
	out.Ends = p.Time("ends")
	out.Overlap = p.Text("overlap")
	out.CatchUp = p.Text("catch_up")
	out.CatchUpWindow = p.Span("catch_up_window")
	out.CatchUpMax = p.Int("catch_up_max")
	out.PauseAfter = p.Int("pause_after")
	out.AlertAfter = p.Span("alert_after")
	out.Priority = p.Int("priority")
	out.ExpiresIn = p.Span("expires_in")
	out.Columns = p.Text("columns")
	out.Declared = p.Bool("declared")
	out.NextDate = p.Time("next_date")
	out.Dates = p.Text("dates")
	out.WaitingDate = p.Time("waiting_date")
	out.LastDate = p.Time("last_date")
	out.LastRow = p.Int("last_row")
	out.LastResult = p.Text("last_result")
	out.LastSuccess = p.Time("last_success")
	out.FailuresInRow = p.Int("failures_in_row")
	out.Running = p.Int("running")
	out.Made = p.Int("made")
	out.Done = p.Int("done")
	out.Failed = p.Int("failed")
	out.Skipped = p.Int("skipped")
	out.Missed = p.Int("missed")
	out.Late = p.Bool("late")
	out.Since = p.Time("since")
	out.By = p.Text("by")
	out.Reason = p.Text("reason")
	out.Problem = p.Text("problem")
	return out
}

// Backfilled is BACKFILLED: so many rows are there.
type Backfilled struct {
	// the table
	Table string
	// its name
	Schedule string
	// rows of this page
	Count int64
	// this date and those before have their rows
	Until time.Time
	// true: all dates of the range have their rows; false: the same command goes on
	Complete bool
}

func backfilledOf(p Params) Backfilled {
	out := Backfilled{}
	out.Table = p.Text("table")
	out.Schedule = p.Text("schedule")
	out.Count = p.Int("count")
	out.Until = p.Time("until")
	out.Complete = p.Bool("complete")
	return out
}
