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
	// the smallest is first (0 to 255; 100 if absent)
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

// Done: the row is finished, and deleted.
func (t *Journal) Done(ctx context.Context, row Row) error {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	_, err := t.connection.request(ctx, "DONE", params)
	return err
}

// JournalDoneAndNextOptions are the options of Journal.DoneAndNext.
type JournalDoneAndNextOptions struct {
	// with next=1: a row of this domain only (at most 256 bytes)
	Domain string
	// the worker's name, with next=1 (at most 256 bytes)
	Worker string
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
	return leasedBy(ctx, t.connection, "DONE", params, "ROW", rowOf)
}

// JournalReleaseOptions are the options of Journal.Release.
type JournalReleaseOptions struct {
	// when it may be handed out again; if absent: now, or after the back-off of a failed attempt
	ProcessDate Date
	// what went wrong, for people. Makes it a failed attempt (1024 bytes are kept)
	Error string
	// where it went wrong, as a traceback, for people. Makes it a failed attempt (16384 bytes are kept)
	ErrorTrace string
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
	params.setText("error_trace", cut(o.ErrorTrace, 16384))
	setOptional(params, "failed", o.Failed)
	return returnedBy(ctx, t.connection, "RELEASE", params)
}

// JournalFailOptions are the options of Journal.Fail.
type JournalFailOptions struct {
	// where it went wrong, as a traceback, for people (16384 bytes are kept)
	ErrorTrace string
}

// Fail this row can never work: it is parked (or deleted, when-failed) at once. Counts as a failed attempt. why: why,
// for people (1024 bytes are kept).
func (t *Journal) Fail(ctx context.Context, row Row, why string, options ...JournalFailOptions) (Returned, error) {
	params := Params{"table": t.table}
	params["row"] = row.Row
	params["epoch"] = row.Epoch
	params.setText("error", cut(why, 1024))
	o := optionsOf(options)
	params.setText("error_trace", cut(o.ErrorTrace, 16384))
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
	// rows in this state only: waiting, due, processing, behind, parked, paused
	Status string
	// rows of this domain only (at most 256 bytes)
	Domain string
	// rows whose first key column begins so; not without row-key
	Prefix string
	// rows whose last error contains this (at most 1024 bytes)
	Error string
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
	params.setInt("count", o.Count)
	params.setFlag("traces", o.Traces)
	return pagesOf(t.connection, "LIST", params, "ROW", rowOf)
}

// JournalCountOptions are the options of Journal.Count.
type JournalCountOptions struct {
	// rows in this state only: waiting, due, processing, behind, parked, paused
	Status string
	// rows of this domain only (at most 256 bytes)
	Domain string
	// rows whose first key column begins so; not without row-key
	Prefix string
	// rows whose last error contains this (at most 1024 bytes)
	Error string
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
	// many rows: in this state only: waiting, due, processing, behind, parked, paused
	Status string
	// many rows: of this domain only (at most 256 bytes)
	Domain string
	// many rows: whose first key column begins so; not without row-key
	Prefix string
	// many rows: whose last error contains this (at most 1024 bytes)
	Error string
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
	// many rows: in this state only; parked if absent: waiting, due, processing, behind, parked, paused
	Status string
	// many rows: of this domain only (at most 256 bytes)
	Domain string
	// many rows: whose first key column begins so; not without row-key
	Prefix string
	// many rows: whose last error contains this (at most 1024 bytes)
	Error string
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
	return addedBy(ctx, t.connection, "KICK", params, "count", o.Count)
}

// JournalPauseOptions are the options of Journal.Pause.
type JournalPauseOptions struct {
	// why, for people (1024 bytes are kept)
	Reason string
	// who pauses; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Pause: nothing is handed out any more; leases go on, inserts are taken.
func (t *Journal) Pause(ctx context.Context, options ...JournalPauseOptions) error {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("reason", cut(o.Reason, 1024))
	params.setText("worker", o.Worker)
	_, err := t.connection.request(ctx, "PAUSE", params)
	return err
}

// JournalResumeOptions are the options of Journal.Resume.
type JournalResumeOptions struct {
	// why, for people (1024 bytes are kept)
	Reason string
	// who resumes (at most 256 bytes)
	Worker string
}

// Resume ends a PAUSE or DRAIN; who waits for work is told.
func (t *Journal) Resume(ctx context.Context, options ...JournalResumeOptions) (string, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("reason", cut(o.Reason, 1024))
	params.setText("worker", o.Worker)
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
