// Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.

package fastjournal

import (
	"context"
	"time"
)

// Documents has the calls of a pipeline table on a connection. Document pipelines: which document of which source
// reached which destination of a plan, so that after a crash each is sent where it is missing, and nowhere else.
type Documents struct {
	connection *Connection
	table      string
}

// Documents has the calls of a pipeline table.
func (c *Connection) Documents(table string) *Documents { return &Documents{c, table} }

// DocumentFoundOptions are the options of Documents.Found.
type DocumentFoundOptions struct {
	// true: the source does not have it any more (deleted="tell" in the plan): it is to be deleted at each destination;
	// without hash
	Gone bool
	// false: it is left to those who say NEXT
	HandOut Optional[bool]
	// true: says in `change` what would come of it, and changes nothing
	DryRun bool
	// how long the worker may take (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
	Lease time.Duration
	// the worker's name, for people; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Found: a source has a document: it is new, has changed, is missing somewhere, or is complete. What is missing is
// handed to whoever found it. source: the source in the plan. uri: where the document is: what it is known by (at
// most 4096 bytes). hash: of its content; another one means that it has changed (at most 128 bytes).
func (t *Documents) Found(
	ctx context.Context, source string, uri string, hash string, options ...DocumentFoundOptions,
) (Document, error) {
	params := Params{"table": t.table}
	params["source"] = source
	params["uri"] = uri
	params.setText("hash", hash)
	o := optionsOf(options)
	params.setFlag("gone", o.Gone)
	setOptional(params, "hand_out", o.HandOut)
	params.setFlag("dry_run", o.DryRun)
	params.setSpan("lease", o.Lease)
	params.setText("worker", o.Worker)
	p, err := oneOf(ctx, t.connection, "FOUND", params, "DOCUMENT")
	if err != nil {
		return Document{}, err
	}
	return documentOf(p), nil
}

// DocumentNextOptions are the options of Documents.Next.
type DocumentNextOptions struct {
	// of this source only
	Source string
	// that are missing at this destination, and for it alone
	Destination string
	// how many documents at most (1 to 1024; 1 if absent)
	Count int64
	// how long the worker may take (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
	Lease time.Duration
	// how long to wait for a document when there is none; needs request (0 to 86400000 ms; 0 if absent)
	Wait time.Duration
	// the worker's name, for people; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Next hands out documents that are missing somewhere and that nobody has: after a crash, after a rest, or as their
// finder left them.
func (t *Documents) Next(ctx context.Context, options ...DocumentNextOptions) (Leased[Document], error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("source", o.Source)
	params.setText("destination", o.Destination)
	params.setInt("count", o.Count)
	params.setSpan("lease", o.Lease)
	params.setSpan("wait", o.Wait)
	params.setText("worker", o.Worker)
	return leasedBy(ctx, t.connection, "NEXT", params, "DOCUMENT", documentOf)
}

// Sent: the document has arrived at a destination. destination: the destination.
func (t *Documents) Sent(ctx context.Context, document Document, destination string) (string, error) {
	params := Params{"table": t.table}
	params["document"] = document.Document
	params["token"] = document.Token
	params["destination"] = destination
	p, err := oneOf(ctx, t.connection, "SENT", params, "RECORDED")
	if err != nil {
		return "", err
	}
	return p.Text("status"), nil
}

// DocumentFailedOptions are the options of Documents.Failed.
type DocumentFailedOptions struct {
	// of the failure, as disk-full: failures of one class are counted together; error if absent (at most 64 bytes)
	Class string
	// what went wrong, for people (1024 bytes are kept)
	Error string
	// where it went wrong, as a traceback, for people, which WHY shows (65536 bytes are kept)
	ErrorTrace string
	// true: it would fail again each time
	Permanent bool
}

// Failed: the document could not be brought to a destination: it rests and is tried again, or is given up.
// destination: the destination.
func (t *Documents) Failed(
	ctx context.Context, document Document, destination string, options ...DocumentFailedOptions,
) (string, error) {
	params := Params{"table": t.table}
	params["document"] = document.Document
	params["token"] = document.Token
	params["destination"] = destination
	o := optionsOf(options)
	params.setText("class", o.Class)
	params.setText("error", cut(o.Error, 1024))
	params.setText("error_trace", cut(o.ErrorTrace, 65536))
	params.setFlag("permanent", o.Permanent)
	p, err := oneOf(ctx, t.connection, "FAILED", params, "RECORDED")
	if err != nil {
		return "", err
	}
	return p.Text("status"), nil
}

// DocumentDroppedOptions are the options of Documents.Dropped.
type DocumentDroppedOptions struct {
	// the destination; all of this lease if absent
	Destination string
	// why, for people (1024 bytes are kept)
	Reason string
}

// Dropped: the document is not to be brought to a destination, or to none of those that the worker has it for.
func (t *Documents) Dropped(ctx context.Context, document Document, options ...DocumentDroppedOptions) error {
	params := Params{"table": t.table}
	params["document"] = document.Document
	params["token"] = document.Token
	o := optionsOf(options)
	params.setText("destination", o.Destination)
	params.setText("reason", cut(o.Reason, 1024))
	_, err := t.connection.request(ctx, "DROPPED", params)
	return err
}

// Routed: a router chose where the document goes: destinations that it cannot reach any more are dropped. router: the
// source or step that chose (at most 64 bytes). chosen: names of steps behind it, between blanks.
func (t *Documents) Routed(ctx context.Context, document Document, router string, chosen []string) ([]string, error) {
	params := Params{"table": t.table}
	params["document"] = document.Document
	params["token"] = document.Token
	params["router"] = router
	params.setWords("chosen", chosen)
	p, err := oneOf(ctx, t.connection, "ROUTED", params, "RECORDED")
	if err != nil {
		return nil, err
	}
	return p.Words("dropped_at"), nil
}

// ChildrenDone: so many children were made of a document, and there are no more: without this it is not done. count:
// how many (0 to 1000000000).
func (t *Documents) ChildrenDone(ctx context.Context, document Document, count int64) error {
	params := Params{"table": t.table}
	params["document"] = document.Document
	params["token"] = document.Token
	params["count"] = count
	_, err := t.connection.request(ctx, "CHILDREN_DONE", params)
	return err
}

// Release: the worker gives a document back, but for what it is sending: it is handed out to another, and nothing is
// counted.
func (t *Documents) Release(ctx context.Context, document Document) error {
	params := Params{"table": t.table}
	params["document"] = document.Document
	params["token"] = document.Token
	_, err := t.connection.request(ctx, "RELEASE", params)
	return err
}

// DocumentDocumentsOptions are the options of Documents.Documents.
type DocumentDocumentsOptions struct {
	// stranded (missing, and nobody has them), or all that are in this state: all, stranded, open, failed, in_doubt,
	// orphans, done, processing, restart, dirty, force, error, batched, sending, sent, dropped, dead, error_doc
	Status string
	// of this source only
	Source string
	// in that state at this destination
	Destination string
	// of this version of the plan; the newest if absent (1 to 1000000000)
	Version int64
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Documents shows documents and what is known of them at each destination, a page at a time; the last message has
// `after` if there is more to look at.
func (t *Documents) Documents(options ...DocumentDocumentsOptions) *Pages[Document] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("status", o.Status)
	params.setText("source", o.Source)
	params.setText("destination", o.Destination)
	params.setInt("version", o.Version)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "DOCUMENTS", params, "DOCUMENT", documentOf)
}

// DocumentDestinationsOptions are the options of Documents.Destinations.
type DocumentDestinationsOptions struct {
	// this one only
	Destination string
	// those of this source only, and its documents
	Source string
	// of this version of the plan; the newest if absent (1 to 1000000000)
	Version int64
}

// Destinations shows the destinations with their documents by state; the last message has `after` if there are more.
func (t *Documents) Destinations(options ...DocumentDestinationsOptions) *Pages[Destination] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("destination", o.Destination)
	params.setText("source", o.Source)
	params.setInt("version", o.Version)
	return pagesOf(t.connection, "DESTINATIONS", params, "DESTINATION", destinationOf)
}

// Why says in sentences why a document is where it is. document: the document's number.
func (t *Documents) Why(ctx context.Context, document int64) (DocumentReason, error) {
	params := Params{"table": t.table}
	params["document"] = document
	p, err := oneOf(ctx, t.connection, "WHY", params, "REASON")
	if err != nil {
		return DocumentReason{}, err
	}
	return documentReasonOf(p), nil
}

// DocumentHistoryOptions are the options of Documents.History.
type DocumentHistoryOptions struct {
	// of this one only
	Document Optional[int64]
	// true: of this one, and of all that was made of it
	Children bool
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// History shows what has become of documents, one event after the other, as far as `history` reaches back, a page at
// a time.
func (t *Documents) History(options ...DocumentHistoryOptions) *Pages[Event] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	setOptional(params, "document", o.Document)
	params.setFlag("children", o.Children)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "HISTORY", params, "EVENT", eventOf)
}

// Plans shows the versions of the plan that have documents.
func (t *Documents) Plans() *Pages[Plan] {
	params := Params{"table": t.table}
	return pagesOf(t.connection, "PLANS", params, "PLAN", planOf)
}

// DocumentStepsOptions are the options of Documents.Steps.
type DocumentStepsOptions struct {
	// of this version of the plan; the newest if absent (1 to 1000000000)
	Version int64
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Steps shows the sources and steps of the plan, in the order of its file; the last message has `after` if there are
// more.
func (t *Documents) Steps(options ...DocumentStepsOptions) *Pages[Step] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setInt("version", o.Version)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "STEPS", params, "STEP", stepOf)
}

// DocumentRetryOptions are the options of Documents.Retry.
type DocumentRetryOptions struct {
	// of this document only
	Document Optional[int64]
	// of documents of this source only
	Source string
	// at this destination only (at most 4096 bytes)
	Destination string
	// whose last failure is of this class (at most 64 bytes)
	Class string
	// in this state only: processing, restart, dirty, force, error, batched, sending, sent, dropped, dead, error_doc
	Status string
	// true: needed where none of these is given
	All bool
	// so many in all (all if absent)
	Count int64
	// true: counts them and changes nothing
	DryRun bool
	// true: of what has arrived instead, if the source finds that it has changed
	IfChanged bool
}

// Retry tries again what failed, with its failures forgotten: what is dead or failed for good, and what rests if its
// document or status=error is given.
func (t *Documents) Retry(ctx context.Context, options ...DocumentRetryOptions) (int64, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	setOptional(params, "document", o.Document)
	params.setText("source", o.Source)
	params.setText("destination", o.Destination)
	params.setText("class", o.Class)
	params.setText("status", o.Status)
	params.setFlag("all", o.All)
	params.setFlag("dry_run", o.DryRun)
	params.setFlag("if_changed", o.IfChanged)
	return addedBy(ctx, t.connection, "RETRY", params, "count", o.Count)
}

// DocumentForceOptions are the options of Documents.Force.
type DocumentForceOptions struct {
	// of this document only
	Document Optional[int64]
	// of documents of this source only
	Source string
	// at this destination only (at most 4096 bytes)
	Destination string
	// whose last failure is of this class (at most 64 bytes)
	Class string
	// in this state only: processing, restart, dirty, force, error, batched, sending, sent, dropped, dead, error_doc
	Status string
	// true: needed where none of these is given
	All bool
	// so many in all (all if absent)
	Count int64
	// true: counts them and changes nothing
	DryRun bool
}

// Force sends again, whatever the state: also what has arrived.
func (t *Documents) Force(ctx context.Context, options ...DocumentForceOptions) (int64, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	setOptional(params, "document", o.Document)
	params.setText("source", o.Source)
	params.setText("destination", o.Destination)
	params.setText("class", o.Class)
	params.setText("status", o.Status)
	params.setFlag("all", o.All)
	params.setFlag("dry_run", o.DryRun)
	return addedBy(ctx, t.connection, "FORCE", params, "count", o.Count)
}

// DocumentDropOptions are the options of Documents.Drop.
type DocumentDropOptions struct {
	// of this document only
	Document Optional[int64]
	// of documents of this source only
	Source string
	// at this destination only (at most 4096 bytes)
	Destination string
	// whose last failure is of this class (at most 64 bytes)
	Class string
	// in this state only: processing, restart, dirty, force, error, batched, sending, sent, dropped, dead, error_doc
	Status string
	// true: needed where none of these is given
	All bool
	// so many in all (all if absent)
	Count int64
	// true: counts them and changes nothing
	DryRun bool
}

// Drop drops what has not arrived.
func (t *Documents) Drop(ctx context.Context, options ...DocumentDropOptions) (int64, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	setOptional(params, "document", o.Document)
	params.setText("source", o.Source)
	params.setText("destination", o.Destination)
	params.setText("class", o.Class)
	params.setText("status", o.Status)
	params.setFlag("all", o.All)
	params.setFlag("dry_run", o.DryRun)
	return addedBy(ctx, t.connection, "DROP", params, "count", o.Count)
}

// DocumentResolveOptions are the options of Documents.Resolve.
type DocumentResolveOptions struct {
	// of this document only
	Document Optional[int64]
	// of documents of this source only
	Source string
	// at this destination only (at most 4096 bytes)
	Destination string
	// whose last failure is of this class (at most 64 bytes)
	Class string
	// in this state only: processing, restart, dirty, force, error, batched, sending, sent, dropped, dead, error_doc
	Status string
	// true: needed where none of these is given
	All bool
	// so many in all (all if absent)
	Count int64
	// true: counts them and changes nothing
	DryRun bool
}

// Resolve says of what is in doubt whether it arrived: sent, or failed, and then it is sent again. outcome: what is
// known of it: sent, failed.
func (t *Documents) Resolve(ctx context.Context, outcome string, options ...DocumentResolveOptions) (int64, error) {
	params := Params{"table": t.table}
	params["outcome"] = outcome
	o := optionsOf(options)
	setOptional(params, "document", o.Document)
	params.setText("source", o.Source)
	params.setText("destination", o.Destination)
	params.setText("class", o.Class)
	params.setText("status", o.Status)
	params.setFlag("all", o.All)
	params.setFlag("dry_run", o.DryRun)
	return addedBy(ctx, t.connection, "RESOLVE", params, "count", o.Count)
}

// DocumentPauseOptions are the options of Documents.Pause.
type DocumentPauseOptions struct {
	// why, for people (1024 bytes are kept)
	Reason string
}

// Pause shuts a destination: nothing is handed out for it. destination: the destination (at most 4096 bytes).
func (t *Documents) Pause(ctx context.Context, destination string, options ...DocumentPauseOptions) error {
	params := Params{"table": t.table}
	params["destination"] = destination
	o := optionsOf(options)
	params.setText("reason", cut(o.Reason, 1024))
	_, err := t.connection.request(ctx, "PAUSE", params)
	return err
}

// Resume opens a destination that was shut, or that was paused as too much failed there; without one it ends a DRAIN.
// destination: the destination; the table if absent (at most 4096 bytes).
func (t *Documents) Resume(ctx context.Context, destination string) error {
	params := Params{"table": t.table}
	params.setText("destination", destination)
	_, err := t.connection.request(ctx, "RESUME", params)
	return err
}

// DocumentKickOptions are the options of Documents.Kick.
type DocumentKickOptions struct {
	// only what is to be brought there
	Destination string
}

// Kick takes a document from the workers that have it: it is handed out again, and nothing is counted; their reports
// are refused from then on. What is being sent where it may arrive once at most is in doubt. document: the document's
// number.
func (t *Documents) Kick(
	ctx context.Context, document int64, options ...DocumentKickOptions,
) (KickedDocument, error) {
	params := Params{"table": t.table}
	params["document"] = document
	o := optionsOf(options)
	params.setText("destination", o.Destination)
	p, err := oneOf(ctx, t.connection, "KICK", params, "KICKED")
	if err != nil {
		return KickedDocument{}, err
	}
	return kickedDocumentOf(p), nil
}
