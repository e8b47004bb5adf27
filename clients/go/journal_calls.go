// Made by ./mk generate from plugins/journal/journal.xml and clients/calls/journal.toml: do not edit.

package fastjournal

import (
	"context"
	"time"
)

// Journal has the calls of a journal table on a connection. Prioritised, delayed, de-duplicating rows of work with
// leases, time-outs and expiry.
type Journal struct {
	connection *Connection
	table      string
}

// Journal has the calls of a journal table.
func (c *Connection) Journal(table string) *Journal { return &Journal{c, table} }

// JournalPutOptions are the options of Journal.Put.
type JournalPutOptions struct {
	// the smallest is first; or a word of the option priority-words, as NOW (0 to 255; 100 if absent)
	Priority Optional[int64]
	// not to be handed out before; now if absent; at least insertion_date
	ProcessDate Date
	// not to be handed out from then on, after process_date; 0 or absent: never
	ExpirationDate Date
	// the producer's date of this data; older than the one accepted last: nothing changes; further in the future than
	// max-clock-skew: refused
	InsertionDate Date
	// the producer's name for this start of it; with sequence: resent inserts are done once (at most 128 bytes)
	Client string
	// the number of this insert by this client
	Sequence Optional[int64]
	// rows of this table that it waits for, up to 1000: their numbers, with blanks between; those that have ended are
	// not waited for (at most 24000 bytes)
	After string
	// the same by the keys of a table whose row-key is one column, all rows of each key: keys with blanks between, or
	// each on a line of its own (at most 65536 bytes)
	AfterKeys string
	// what it does when one of these fails (is parked, deleted or expires): it waits on (wait, if absent), it fails too,
	// or it runs all the same: wait, fail, go-on
	WhenFailed string
	// it is of this group of jobs, which is made if it is not there; without open it ends once all its rows have (at
	// most 128 bytes)
	Group string
	// it waits for this group of jobs (at most 128 bytes)
	AfterGroup string
	// until all rows of that group have ended (ended, if absent), until all have been done, or until one has failed
	AfterGroupIs string
	// words that find the row, with commas between them: at most 16 of 64 bytes, of letters, digits and . _ : / @ + # -
	// (at most 1039 bytes)
	Tags string
	// of this row, in place of the option max-attempts (0 to 250)
	MaxAttempts Optional[int64]
	// how long this row rests after a failed attempt, in place of the option back-off: doubling, linear, sidekiq, or
	// durations as in 10s,1m,10m (at most 256 bytes)
	BackOff string
	// how long the work on this row may take, unless NEXT says it; within processing-timeout-min and -max (1 to
	// 31536000000 ms)
	Lease time.Duration
	// for so long after this row is done no further row of its key is taken; 0 or absent: as the option unique-for says;
	// not without row-key (0 to 31536000000 ms)
	UniqueFor Optional[time.Duration]
}

// Put adds a row, or merges it into the row of the same key that waits; in a table without row-key always adds one.
func (t *Journal) Put(ctx context.Context, columns Columns, options ...JournalPutOptions) (Put, error) {
	params, err := columnsOf(columns)
	if err != nil {
		return Put{}, err
	}
	params["table"] = t.table
	o := optionsOf(options)
	setOptional(params, "priority", o.Priority)
	params.setDate("process_date", o.ProcessDate)
	params.setDate("expiration_date", o.ExpirationDate)
	params.setDate("insertion_date", o.InsertionDate)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	params.setText("after", o.After)
	params.setText("after_keys", o.AfterKeys)
	params.setText("when_failed", o.WhenFailed)
	params.setText("group", o.Group)
	params.setText("after_group", o.AfterGroup)
	params.setText("after_group_is", o.AfterGroupIs)
	params.setText("tags", o.Tags)
	setOptional(params, "max_attempts", o.MaxAttempts)
	params.setText("back_off", o.BackOff)
	params.setSpan("lease", o.Lease)
	setOptional(params, "unique_for", o.UniqueFor)
	p, err := oneNumbered(ctx, t.connection, "INSERT", params, "INSERTED")
	if err != nil {
		return Put{}, err
	}
	return putOf(p), nil
}

// JournalNextOptions are the options of Journal.Next.
type JournalNextOptions struct {
	// rows of this domain only (at most 256 bytes)
	Domain string
	// how many rows at most (1 to 1024; 1 if absent)
	Count int64
	// how long the work may take (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
	Lease time.Duration
	// how long to wait for a row when nothing is due; needs request (0 to 86400000 ms; 0 if absent)
	Wait time.Duration
	// the worker's name, for people; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Next leases the next rows that are due; NOTHING gives the date of the next one.
func (t *Journal) Next(ctx context.Context, options ...JournalNextOptions) (Leased[Row], error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("domain", o.Domain)
	params.setInt("count", o.Count)
	params.setSpan("lease", o.Lease)
	params.setSpan("wait", o.Wait)
	params.setText("worker", o.Worker)
	return leasedBy(ctx, t.connection, "NEXT", params, "ROW", rowOf)
}

// JournalTakeOptions are the options of Journal.Take.
type JournalTakeOptions struct {
	// rows of this domain only (at most 256 bytes)
	Domain string
	// how many rows at most (1 to 1024; 1 if absent)
	Count int64
	// how long to wait for a row when nothing is due; needs request (0 to 86400000 ms; 0 if absent)
	Wait time.Duration
	// the worker's name, for people; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Take: the next rows that are due, which are done at once: none is given out twice, and one that is lost is lost.
func (t *Journal) Take(ctx context.Context, options ...JournalTakeOptions) (Leased[Row], error) {
	params := Params{"table": t.table}
	params["done"] = 1
	o := optionsOf(options)
	params.setText("domain", o.Domain)
	params.setInt("count", o.Count)
	params.setSpan("wait", o.Wait)
	params.setText("worker", o.Worker)
	return leasedBy(ctx, t.connection, "NEXT", params, "ROW", rowOf)
}

// JournalTouchOptions are the options of Journal.Touch.
type JournalTouchOptions struct {
	// how long from now (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
	Lease time.Duration
	// the worker's name, for people (at most 256 bytes)
	Worker string
}

// Touch renews a lease, and takes it over on a new connection.
func (t *Journal) Touch(ctx context.Context, row Row, options ...JournalTouchOptions) (time.Time, error) {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	o := optionsOf(options)
	params.setSpan("lease", o.Lease)
	params.setText("worker", o.Worker)
	p, err := oneOf(ctx, t.connection, "TOUCH", params, "TOUCHED")
	if err != nil {
		return time.Time{}, err
	}
	return p.Time("lease_end"), nil
}

// JournalProgressOptions are the options of Journal.Progress.
type JournalProgressOptions struct {
	// what is being done, for people; empty while memory is short (1024 bytes are kept)
	Note string
	// how long from now; if absent the lease ends as before (processing-timeout-min to processing-timeout-max)
	Lease time.Duration
}

// Progress says how far the work on a leased row is, for all who look at it; replaces what was said before under this
// lease, and ends with it. With lease it renews the lease as well. percent: how much of it is done (0 to 100).
func (t *Journal) Progress(
	ctx context.Context, row Row, percent int64, options ...JournalProgressOptions,
) (time.Time, error) {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	params["percent"] = percent
	o := optionsOf(options)
	params.setText("note", cut(o.Note, 1024))
	params.setSpan("lease", o.Lease)
	p, err := oneOf(ctx, t.connection, "PROGRESS", params, "PROGRESSED")
	if err != nil {
		return time.Time{}, err
	}
	return p.Time("lease_end"), nil
}

// JournalDoneOptions are the options of Journal.Done.
type JournalDoneOptions struct {
	// what came of it, for who waits for the row (WAIT) and for HISTORY (65536 bytes are kept)
	Result string
}

// Done: the row is finished, and deleted.
func (t *Journal) Done(ctx context.Context, row Row, options ...JournalDoneOptions) error {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	o := optionsOf(options)
	params.setText("result", cut(o.Result, 65536))
	_, err := t.connection.request(ctx, "DONE", params)
	return err
}

// JournalDoneAndNextOptions are the options of Journal.DoneAndNext.
type JournalDoneAndNextOptions struct {
	// with next=1: a row of this domain only (at most 256 bytes)
	Domain string
	// the worker's name, with next=1 (at most 256 bytes)
	Worker string
	// what came of it, for who waits for the row (WAIT) and for HISTORY (65536 bytes are kept)
	Result string
}

// DoneAndNext: as done, and leases the next row in the same round trip.
func (t *Journal) DoneAndNext(
	ctx context.Context, row Row, options ...JournalDoneAndNextOptions,
) (Leased[Row], error) {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	params["next"] = 1
	o := optionsOf(options)
	params.setText("domain", o.Domain)
	params.setText("worker", o.Worker)
	params.setText("result", cut(o.Result, 65536))
	return leasedBy(ctx, t.connection, "DONE", params, "ROW", rowOf)
}

// JournalReleaseOptions are the options of Journal.Release.
type JournalReleaseOptions struct {
	// when it may be handed out again; if absent: now, or after the back-off of a failed attempt
	ProcessDate Date
	// what went wrong, for people. Makes it a failed attempt (1024 bytes are kept)
	Error string
	// where it went wrong, as a traceback, for people. Makes it a failed attempt (65536 bytes are kept)
	ErrorTrace string
	// what kind of error it is, for programs: TimeoutError, a code; rows are found by it (128 bytes are kept)
	ErrorClass string
	// true: a failed attempt, also without error; false: none, also with one
	Failed Optional[bool]
}

// Release gives a row back. Without an error it is due again and nothing is counted; with one it is a failed attempt:
// it rests for the table's back-off, or is given up.
func (t *Journal) Release(ctx context.Context, row Row, options ...JournalReleaseOptions) (Returned, error) {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	o := optionsOf(options)
	params.setDate("process_date", o.ProcessDate)
	params.setText("error", cut(o.Error, 1024))
	params.setText("error_trace", cut(o.ErrorTrace, 65536))
	params.setText("error_class", cut(o.ErrorClass, 128))
	setOptional(params, "failed", o.Failed)
	return returnedBy(ctx, t.connection, "RELEASE", params)
}

// JournalFailOptions are the options of Journal.Fail.
type JournalFailOptions struct {
	// where it went wrong, as a traceback, for people (65536 bytes are kept)
	ErrorTrace string
	// what kind of error it is, for programs: TimeoutError, a code; rows are found by it (128 bytes are kept)
	ErrorClass string
}

// Fail this row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt. why: why,
// for people (1024 bytes are kept).
func (t *Journal) Fail(ctx context.Context, row Row, why string, options ...JournalFailOptions) (Returned, error) {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	params.setText("error", cut(why, 1024))
	o := optionsOf(options)
	params.setText("error_trace", cut(o.ErrorTrace, 65536))
	params.setText("error_class", cut(o.ErrorClass, 128))
	return returnedBy(ctx, t.connection, "FAIL", params)
}

// JournalPeekOptions are the options of Journal.Peek.
type JournalPeekOptions struct {
	// the row's number; or else the key columns (of a table with row-key)
	Row Optional[int64]
	// so many a page (1 to 1000; 1000 if absent)
	Count int64
}

// Peek shows a row, or the rows of a key, without leasing; of a key the last message has `after` if there are more.
// columns: those of the key, or nil with the option Row.
func (t *Journal) Peek(columns Columns, options ...JournalPeekOptions) *Pages[Row] {
	params, err := columnsOf(columns)
	if err != nil {
		return failedPages[Row](err)
	}
	params["table"] = t.table
	o := optionsOf(options)
	setOptional(params, "row", o.Row)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "PEEK", params, "ROW", rowOf)
}

// JournalListOptions are the options of Journal.List.
type JournalListOptions struct {
	// rows in this state only: waiting, due, processing, behind, blocked, parked, paused
	Status string
	// rows of this domain only (at most 256 bytes)
	Domain string
	// rows whose first key column begins so; not without row-key
	Prefix string
	// rows whose last error contains this (at most 1024 bytes)
	Error string
	// rows whose last error is of this class (at most 128 bytes)
	ErrorClass string
	// rows with this tag only (at most 64 bytes)
	Tag string
	// so many a page (1 to 1000; 100 if absent)
	Count int64
	// true: with the traces of last errors
	Traces bool
}

// List shows rows by their number, a page at a time; the last message has `after` if there is more to look at.
func (t *Journal) List(options ...JournalListOptions) *Pages[Row] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("status", o.Status)
	params.setText("domain", o.Domain)
	params.setText("prefix", o.Prefix)
	params.setText("error", o.Error)
	params.setText("error_class", o.ErrorClass)
	params.setText("tag", o.Tag)
	params.setInt("count", o.Count)
	params.setFlag("traces", o.Traces)
	return pagesOf(t.connection, "LIST", params, "ROW", rowOf)
}

// JournalCountOptions are the options of Journal.Count.
type JournalCountOptions struct {
	// rows in this state only: waiting, due, processing, behind, blocked, parked, paused
	Status string
	// rows of this domain only (at most 256 bytes)
	Domain string
	// rows whose first key column begins so; not without row-key
	Prefix string
	// rows whose last error contains this (at most 1024 bytes)
	Error string
	// rows whose last error is of this class (at most 128 bytes)
	ErrorClass string
	// rows with this tag only (at most 64 bytes)
	Tag string
	// so many in all (all if absent)
	Count int64
}

// Count: how many rows fit a filter, counted page by page.
func (t *Journal) Count(ctx context.Context, options ...JournalCountOptions) (int64, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("status", o.Status)
	params.setText("domain", o.Domain)
	params.setText("prefix", o.Prefix)
	params.setText("error", o.Error)
	params.setText("error_class", o.ErrorClass)
	params.setText("tag", o.Tag)
	return addedBy(ctx, t.connection, "COUNT", params, "count", o.Count)
}

// JournalWhyOptions are the options of Journal.Why.
type JournalWhyOptions struct {
	// the row's number; or else the key columns (of a table with row-key)
	Row Optional[int64]
	// so many a page (1 to 1000; 1000 if absent)
	Count int64
}

// Why says in a sentence, and in parameters for programs, why a row, or each row of a key, is where it is; of a key
// the last message has `after` if there are more. columns: those of the key, or nil with the option Row.
func (t *Journal) Why(columns Columns, options ...JournalWhyOptions) *Pages[RowReason] {
	params, err := columnsOf(columns)
	if err != nil {
		return failedPages[RowReason](err)
	}
	params["table"] = t.table
	o := optionsOf(options)
	setOptional(params, "row", o.Row)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "WHY", params, "REASON", rowReasonOf)
}

// JournalTimelineOptions are the options of Journal.Timeline.
type JournalTimelineOptions struct {
	// rows of this domain only (at most 256 bytes)
	Domain string
}

// Timeline counts rows by when they fall due: those that are, and each second of the next minute, minute of the next
// hour, hour of the next day; of a large table a page at a time.
func (t *Journal) Timeline(options ...JournalTimelineOptions) *Pages[DueRows] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("domain", o.Domain)
	return pagesOf(t.connection, "TIMELINE", params, "DUE", dueRowsOf)
}

// JournalDomainsOptions are the options of Journal.Domains.
type JournalDomainsOptions struct {
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Domains shows the domains that have rows, with their turns and limits, a page at a time; the last message has
// `after` if there is more to look at.
func (t *Journal) Domains(options ...JournalDomainsOptions) *Pages[Domain] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "DOMAINS", params, "DOMAIN", domainOf)
}

// JournalFiguresOptions are the options of Journal.Figures.
type JournalFiguresOptions struct {
	// how long each is; a minute if absent: minute, hour
	Per string
	// those that begin at this date or later
	Since Date
	// those that begin before this date
	Until Date
	// so many a page (1 to 1500; 100 if absent)
	Count int64
}

// Figures shows what happened in each minute of the last day, or each hour of the last 31 days, the oldest first, a
// page at a time; of a table with keep-figures. What did not happen is left out.
func (t *Journal) Figures(options ...JournalFiguresOptions) *Pages[Figure] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("per", o.Per)
	params.setDate("since", o.Since)
	params.setDate("until", o.Until)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "FIGURES", params, "FIGURE", figureOf)
}

// JournalDeleteOptions are the options of Journal.Delete.
type JournalDeleteOptions struct {
	// the row's number; or else the key columns (of a table with row-key), or a filter
	Row Optional[int64]
}

// Delete deletes a row, or all rows of a key, in whatever state. columns: those of the key, or nil with the option
// Row.
func (t *Journal) Delete(ctx context.Context, columns Columns, options ...JournalDeleteOptions) error {
	params, err := columnsOf(columns)
	if err != nil {
		return err
	}
	params["table"] = t.table
	o := optionsOf(options)
	setOptional(params, "row", o.Row)
	_, err = t.connection.request(ctx, "DELETE", params)
	return err
}

// JournalDeleteMatchingOptions are the options of Journal.DeleteMatching.
type JournalDeleteMatchingOptions struct {
	// many rows: in this state only: waiting, due, processing, behind, blocked, parked, paused
	Status string
	// many rows: of this domain only (at most 256 bytes)
	Domain string
	// many rows: whose first key column begins so; not without row-key
	Prefix string
	// many rows: whose last error contains this (at most 1024 bytes)
	Error string
	// many rows: whose last error is of this class (at most 128 bytes)
	ErrorClass string
	// many rows: with this tag only (at most 64 bytes)
	Tag string
	// so many in all (all if absent)
	Count int64
}

// DeleteMatching deletes the rows that fit a filter, in whatever state, page by page; how many. Without a filter it
// is refused.
func (t *Journal) DeleteMatching(ctx context.Context, options ...JournalDeleteMatchingOptions) (int64, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("status", o.Status)
	params.setText("domain", o.Domain)
	params.setText("prefix", o.Prefix)
	params.setText("error", o.Error)
	params.setText("error_class", o.ErrorClass)
	params.setText("tag", o.Tag)
	return addedBy(ctx, t.connection, "DELETE", params, "count", o.Count)
}

// JournalKickOptions are the options of Journal.Kick.
type JournalKickOptions struct {
	// the row's number; or else the key columns (of a table with row-key), or a filter
	Row Optional[int64]
}

// Kick makes a row, or the rows of a key, due now and resets their attempts; what became of the first. columns: those
// of the key, or nil with the option Row.
func (t *Journal) Kick(ctx context.Context, columns Columns, options ...JournalKickOptions) (KickedRow, error) {
	params, err := columnsOf(columns)
	if err != nil {
		return KickedRow{}, err
	}
	params["table"] = t.table
	o := optionsOf(options)
	setOptional(params, "row", o.Row)
	p, err := oneOf(ctx, t.connection, "KICK", params, "KICKED")
	if err != nil {
		return KickedRow{}, err
	}
	return kickedRowOf(p), nil
}

// JournalKickMatchingOptions are the options of Journal.KickMatching.
type JournalKickMatchingOptions struct {
	// many rows: in this state only; parked if absent: waiting, due, processing, behind, blocked, parked, paused
	Status string
	// many rows: of this domain only (at most 256 bytes)
	Domain string
	// many rows: whose first key column begins so; not without row-key
	Prefix string
	// many rows: whose last error contains this (at most 1024 bytes)
	Error string
	// many rows: whose last error is of this class (at most 128 bytes)
	ErrorClass string
	// many rows: with this tag only (at most 64 bytes)
	Tag string
	// so many in all (all if absent)
	Count int64
}

// KickMatching makes the rows that fit a filter due now and resets their attempts, page by page; how many.
func (t *Journal) KickMatching(ctx context.Context, options ...JournalKickMatchingOptions) (int64, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("status", o.Status)
	params.setText("domain", o.Domain)
	params.setText("prefix", o.Prefix)
	params.setText("error", o.Error)
	params.setText("error_class", o.ErrorClass)
	params.setText("tag", o.Tag)
	return addedBy(ctx, t.connection, "KICK", params, "count", o.Count)
}

// JournalPauseOptions are the options of Journal.Pause.
type JournalPauseOptions struct {
	// why, for people (1024 bytes are kept)
	Reason string
	// who pauses; peer address and connection if absent (at most 256 bytes)
	Worker string
	// this schedule of the table, and not the table (at most 64 bytes)
	Schedule string
}

// Pause: nothing is handed out any more; leases go on, inserts are taken. With schedule: its dates make no rows.
func (t *Journal) Pause(ctx context.Context, options ...JournalPauseOptions) error {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("reason", cut(o.Reason, 1024))
	params.setText("worker", o.Worker)
	params.setText("schedule", o.Schedule)
	_, err := t.connection.request(ctx, "PAUSE", params)
	return err
}

// JournalResumeOptions are the options of Journal.Resume.
type JournalResumeOptions struct {
	// why, for people (1024 bytes are kept)
	Reason string
	// who resumes (at most 256 bytes)
	Worker string
	// this schedule of the table, and not the table (at most 64 bytes)
	Schedule string
}

// Resume ends a PAUSE or DRAIN; who waits for work is told. With schedule: of the dates that it missed it does what
// its catch_up says.
func (t *Journal) Resume(ctx context.Context, options ...JournalResumeOptions) (string, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("reason", cut(o.Reason, 1024))
	params.setText("worker", o.Worker)
	params.setText("schedule", o.Schedule)
	p, err := oneOf(ctx, t.connection, "RESUME", params, "RESUMED")
	if err != nil {
		return "", err
	}
	return p.Text("was"), nil
}

// JournalDrainOptions are the options of Journal.Drain.
type JournalDrainOptions struct {
	// why, for people (1024 bytes are kept)
	Reason string
	// who drains; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Drain inserts are refused; work goes on until the table is empty, and then until RESUME.
func (t *Journal) Drain(ctx context.Context, options ...JournalDrainOptions) error {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("reason", cut(o.Reason, 1024))
	params.setText("worker", o.Worker)
	_, err := t.connection.request(ctx, "DRAIN", params)
	return err
}

// JournalGroupOptions are the options of Journal.Group.
type JournalGroupOptions struct {
	// open, if absent: it is made, or opened again before it has ended; closed: it ends once all its rows have
	State string
}

// Group makes a group of jobs that stays open, and so does not end, until it is closed; or closes it. group: its name
// (at most 128 bytes).
func (t *Journal) Group(ctx context.Context, group string, options ...JournalGroupOptions) (JobGroup, error) {
	params := Params{"table": t.table}
	params["group"] = group
	o := optionsOf(options)
	params.setText("state", o.State)
	p, err := oneOf(ctx, t.connection, "GROUP", params, "GROUP")
	if err != nil {
		return JobGroup{}, err
	}
	return jobGroupOf(p), nil
}

// JournalGroupsOptions are the options of Journal.Groups.
type JournalGroupsOptions struct {
	// this one only (at most 128 bytes)
	Group string
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Groups shows groups of jobs with the counts of their rows, oldest first, a page at a time; the last message has
// `after` if there are more.
func (t *Journal) Groups(options ...JournalGroupsOptions) *Pages[JobGroup] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("group", o.Group)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "GROUPS", params, "GROUP", jobGroupOf)
}

// JournalCancelOptions are the options of Journal.Cancel.
type JournalCancelOptions struct {
	// delete, if absent; or fail: they are parked, or deleted (when-failed)
	How string
	// so many in all (all if absent)
	Count int64
}

// Cancel ends the rows of a group of jobs that have not ended, page by page, and closes it; how many. group: its name
// (at most 128 bytes).
func (t *Journal) Cancel(ctx context.Context, group string, options ...JournalCancelOptions) (int64, error) {
	params := Params{"table": t.table}
	params["group"] = group
	o := optionsOf(options)
	params.setText("how", o.How)
	return addedBy(ctx, t.connection, "CANCEL", params, "count", o.Count)
}

// JournalGraphOptions are the options of Journal.Graph.
type JournalGraphOptions struct {
	// the rows of this group; or else row (at most 128 bytes)
	Group string
	// this row and those around it
	Row Optional[int64]
	// so many a page (1 to 1000; 200 if absent)
	Count int64
}

// Graph shows rows with what they wait for: those of a group of jobs, by number, a page at a time; or a row, what it
// waits for and what waits for it, step by step.
func (t *Journal) Graph(options ...JournalGraphOptions) *Pages[Node] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("group", o.Group)
	setOptional(params, "row", o.Row)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "GRAPH", params, "NODE", nodeOf)
}

// JournalScheduleOptions are the options of Journal.Schedule.
type JournalScheduleOptions struct {
	// its dates, as a cron expression of five or six fields; or else every (at most 256 bytes)
	Cron string
	// its dates are so far apart; the first is at begins, or they are a whole number of these behind 1970 (1000 to
	// 316224000000 ms)
	Every time.Duration
	// whose clock cron is about: UTC if absent, or Europe/Berlin (at most 64 bytes)
	TimeZone string
	// its rows are due up to so much later, always the same for a date (0 to 86400000 ms; 0 if absent)
	Jitter time.Duration
	// no date before this one; 0 or absent: from now on
	Begins Date
	// no date behind this one; 0 or absent: for ever
	Ends Date
	// while a row of it has not ended, the next date makes none (skip, if absent); or one waits for the end of that row;
	// or all make theirs
	Overlap string
	// which dates that came while none could be made make a row after all; last if absent
	CatchUp string
	// of these dates none that is older; 0: however old (0 to 316224000000 ms; 86400000 if absent)
	CatchUpWindow Optional[time.Duration]
	// with catch_up=all: the last so many of them (1 to 1000; 100 if absent)
	CatchUpMax int64
	// it pauses itself when so many of its rows failed or expired one after the other; 0: never (0 to 1000000; 0 if
	// absent)
	PauseAfter int64
	// the alert schedule-late is raised when no row of it was done for so long; 0: never (0 to 316224000000 ms; 0 if
	// absent)
	AlertAfter time.Duration
	// of its rows (0 to 255; 100 if absent)
	Priority Optional[int64]
	// its rows expire so long after their dates; 0: never (0 to 316224000000 ms; 0 if absent)
	ExpiresIn time.Duration
	// who makes it; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Schedule makes a schedule, which inserts a row at each of its dates, or changes the one of this name to what is
// given; with the columns of its rows. schedule: its name: letters, digits and _ - . : of ASCII, a letter or digit
// first (at most 64 bytes).
func (t *Journal) Schedule(
	ctx context.Context, columns Columns, schedule string, options ...JournalScheduleOptions,
) (Scheduled, error) {
	params, err := columnsOf(columns)
	if err != nil {
		return Scheduled{}, err
	}
	params["table"] = t.table
	params["schedule"] = schedule
	o := optionsOf(options)
	params.setText("cron", o.Cron)
	params.setSpan("every", o.Every)
	params.setText("time_zone", o.TimeZone)
	params.setSpan("jitter", o.Jitter)
	params.setDate("begins", o.Begins)
	params.setDate("ends", o.Ends)
	params.setText("overlap", o.Overlap)
	params.setText("catch_up", o.CatchUp)
	setOptional(params, "catch_up_window", o.CatchUpWindow)
	params.setInt("catch_up_max", o.CatchUpMax)
	params.setInt("pause_after", o.PauseAfter)
	params.setSpan("alert_after", o.AlertAfter)
	setOptional(params, "priority", o.Priority)
	params.setSpan("expires_in", o.ExpiresIn)
	params.setText("worker", o.Worker)
	p, err := oneOf(ctx, t.connection, "SCHEDULE", params, "SCHEDULED")
	if err != nil {
		return Scheduled{}, err
	}
	return scheduledOf(p), nil
}

// Unschedule removes a schedule; its rows stay. schedule: its name (at most 64 bytes).
func (t *Journal) Unschedule(ctx context.Context, schedule string) error {
	params := Params{"table": t.table}
	params["schedule"] = schedule
	_, err := t.connection.request(ctx, "UNSCHEDULE", params)
	return err
}

// JournalSchedulesOptions are the options of Journal.Schedules.
type JournalSchedulesOptions struct {
	// this one only (at most 64 bytes)
	Schedule string
	// with so many of the next dates of each (0 to 100; 0 if absent)
	Dates int64
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Schedules shows the schedules with their next dates and what became of the last one, by their numbers, a page at a
// time; the last message has `after` if there are more.
func (t *Journal) Schedules(options ...JournalSchedulesOptions) *Pages[Schedule] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("schedule", o.Schedule)
	params.setInt("dates", o.Dates)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "SCHEDULES", params, "SCHEDULE", scheduleOf)
}

// Trigger: a row of a schedule at once, whatever its dates and its overlap say; also of one that is paused. schedule:
// its name (at most 64 bytes).
func (t *Journal) Trigger(ctx context.Context, schedule string) (int64, error) {
	params := Params{"table": t.table}
	params["schedule"] = schedule
	p, err := oneOf(ctx, t.connection, "TRIGGER", params, "TRIGGERED")
	if err != nil {
		return 0, err
	}
	return p.Int("row"), nil
}

// JournalBackfillOptions are the options of Journal.Backfill.
type JournalBackfillOptions struct {
	// the first date, at the earliest
	FromDate Date
	// the last date, at the latest; not in the future
	ToDate Date
	// how many rows at most (1 to 500; 100 if absent)
	Count int64
}

// Backfill: a row for each date of a schedule in a range that is past: a page, and the same call goes on behind it.
// schedule: its name (at most 64 bytes).
func (t *Journal) Backfill(
	ctx context.Context, schedule string, options ...JournalBackfillOptions,
) (Backfilled, error) {
	params := Params{"table": t.table}
	params["schedule"] = schedule
	o := optionsOf(options)
	params.setDate("from_date", o.FromDate)
	params.setDate("to_date", o.ToDate)
	params.setInt("count", o.Count)
	p, err := oneOf(ctx, t.connection, "BACKFILL", params, "BACKFILLED")
	if err != nil {
		return Backfilled{}, err
	}
	return backfilledOf(p), nil
}
