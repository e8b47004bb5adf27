// Made by ./mk generate from plugins/pipeline/pipeline.xml and clients/calls/pipeline.toml: do not edit.

package fastjournal

import "time"

// Document is DOCUMENT: a document, as a worker gets it, or as people look at it.
type Document struct {
	// the table
	Table string
	// the document's number
	Document int64
	// its source
	Source string
	// where it is
	URI string
	// of its content
	Hash string
	// delete: its source does not have it any more, so it is to be deleted at its destinations; absent of all others
	Operation string
	// new, changed, resume (missing somewhere), processing (missing, and all of it is with workers, rests or is paused)
	// or unchanged
	Change string
	// where it is to be brought, between blanks
	Destinations []string
	// of the lease: said with each report
	Token int64
	// when the lease is over
	LeaseEnd time.Time
	// 1 of a document that is handed out: it is to be run for its children, too; else how many children it has
	Children int64
	// the document that is a newer version of this one: its source has the content of that
	Newer int64
	// true: nothing was changed
	DryRun bool
	// true: say FOUND with its hash first, as it need not be sent if it has not changed
	Check bool
	// the document that it was made of
	Parent int64
	// the document of the source that it was made of
	Original int64
	// its name among its siblings
	Child string
	// DESTINATION=STATE, between blanks
	States string
	// true: nothing more happens to it and to its children
	Done bool
	// true: its original has changed, and it was not made since
	Orphan bool
	// children that were made so far
	ChildrenKnown int64
	// of these, that are not done
	ChildrenNotDone int64
	// deliveries of its children that are missing
	MissingBelow int64
	// deliveries of its children that workers have
	InHandsBelow int64
	// deliveries of its children that failed for good
	FailedBelow int64
}

func documentOf(p Params) Document {
	out := Document{}
	out.Table = p.Text("table")
	out.Document = p.Int("document")
	out.Source = p.Text("source")
	out.URI = p.Text("uri")
	out.Hash = p.Text("hash")
	out.Operation = p.Text("operation")
	out.Change = p.Text("change")
	out.Destinations = p.Words("destinations")
	out.Token = p.Int("token")
	out.LeaseEnd = p.Time("lease_end")
	out.Children = p.Int("children")
	out.Newer = p.Int("newer")
	out.DryRun = p.Bool("dry_run")
	out.Check = p.Bool("check")
	out.Parent = p.Int("parent")
	out.Original = p.Int("original")
	out.Child = p.Text("child")
	out.States = p.Text("states")
	out.Done = p.Bool("done")
	out.Orphan = p.Bool("orphan")
	out.ChildrenKnown = p.Int("children_known")
	out.ChildrenNotDone = p.Int("children_not_done")
	out.MissingBelow = p.Int("missing_below")
	out.InHandsBelow = p.Int("in_hands_below")
	out.FailedBelow = p.Int("failed_below")
	return out
}

// Recorded is RECORDED: what the worker said is on disk.
type Recorded struct {
	// the table
	Table string
	// the document's number
	Document int64
	// the destination
	Destination string
	// of DROPPED and ROUTED: the destinations where it was dropped, between blanks
	DroppedAt []string
	// the state now
	Status string
	// when the lease is over
	LeaseEnd time.Time
	// how many children there are
	Children int64
}

func recordedOf(p Params) Recorded {
	out := Recorded{}
	out.Table = p.Text("table")
	out.Document = p.Int("document")
	out.Destination = p.Text("destination")
	out.DroppedAt = p.Words("dropped_at")
	out.Status = p.Text("status")
	out.LeaseEnd = p.Time("lease_end")
	out.Children = p.Int("children")
	return out
}

// KickedDocument is KICKED: no worker has it any more.
type KickedDocument struct {
	// the table
	Table string
	// the document's number
	Document int64
	// how many leases were taken back: one for each destination, and one for a run for its children
	Count int64
	// of these, destinations where it is in doubt now; absent: none
	InDoubt int64
}

func kickedDocumentOf(p Params) KickedDocument {
	out := KickedDocument{}
	out.Table = p.Text("table")
	out.Document = p.Int("document")
	out.Count = p.Int("count")
	out.InDoubt = p.Int("in_doubt")
	return out
}

// Destination is DESTINATION: a destination.
type Destination struct {
	// the table
	Table string
	// the destination
	Destination string
	// at-most-once or at-least-once
	Guarantee string
	// open, probing (paused, as too much failed there) or shut
	Mode string
	// why it is not open
	Reason string
	// documents found, and to be brought there
	Processing int64
	// documents to be brought there again
	Restart int64
	// documents to be brought there again if changed
	Dirty int64
	// documents to be sent again
	Force int64
	// documents that failed, and rest
	Error int64
	// documents in batches of workers
	Batched int64
	// documents being sent, but for those in doubt
	Sending int64
	// documents that have arrived
	Sent int64
	// documents that were dropped
	Dropped int64
	// documents that failed too often
	Dead int64
	// documents that failed for good
	ErrorDoc int64
	// documents that were being sent, and nobody knows whether they arrived
	InDoubt int64
	// of all these, documents that workers have for it
	WithWorkers int64
	// its output in the plan
	Step string
	// the successors of duplicating routers by which copies arrive there, between blanks
	Branches []string
}

func destinationOf(p Params) Destination {
	out := Destination{}
	out.Table = p.Text("table")
	out.Destination = p.Text("destination")
	out.Guarantee = p.Text("guarantee")
	out.Mode = p.Text("mode")
	out.Reason = p.Text("reason")
	out.Processing = p.Int("processing")
	out.Restart = p.Int("restart")
	out.Dirty = p.Int("dirty")
	out.Force = p.Int("force")
	out.Error = p.Int("error")
	out.Batched = p.Int("batched")
	out.Sending = p.Int("sending")
	out.Sent = p.Int("sent")
	out.Dropped = p.Int("dropped")
	out.Dead = p.Int("dead")
	out.ErrorDoc = p.Int("error_doc")
	out.InDoubt = p.Int("in_doubt")
	out.WithWorkers = p.Int("with_workers")
	out.Step = p.Text("step")
	out.Branches = p.Words("branches")
	return out
}

// Step is STEP: a source or step of the plan.
type Step struct {
	// the table
	Table string
	// the plan's name
	Plan string
	// of the plan
	Version int64
	// its name
	Step string
	// source, safe, idempotent or potent
	Kind string
	// mutating or preserving
	Effect string
	// the sources and steps before it, between blanks
	Behind string
	// by-name, duplicate-all or round-robin, where several steps are behind it
	Router string
	// of by-name: how many successors a document may get
	CopiesMax int64
	// of an output: at-most-once or at-least-once
	Guarantee string
	// true: of an output: one delivery is enough, whatever its path
	AnyPath bool
}

func stepOf(p Params) Step {
	out := Step{}
	out.Table = p.Text("table")
	out.Plan = p.Text("plan")
	out.Version = p.Int("version")
	out.Step = p.Text("step")
	out.Kind = p.Text("kind")
	out.Effect = p.Text("effect")
	out.Behind = p.Text("behind")
	out.Router = p.Text("router")
	out.CopiesMax = p.Int("copies_max")
	out.Guarantee = p.Text("guarantee")
	out.AnyPath = p.Bool("any_path")
	return out
}

// DocumentReason is REASON: why a document is where it is.
type DocumentReason struct {
	// the table
	Table string
	// the document's number
	Document int64
	// DESTINATION=STATE, between blanks
	States string
	// true: nothing more happens to it and to its children
	Done bool
	// the document that is a newer version of it
	Newer int64
	// children that were made so far
	ChildrenKnown int64
	// of these, that are not done
	ChildrenNotDone int64
	// deliveries of its children that are missing
	MissingBelow int64
	// deliveries of its children that workers have
	InHandsBelow int64
	// deliveries of its children that failed for good
	FailedBelow int64
	// sentences for people
	Text string
	// where it went wrong, as workers said: of each destination that has one, behind a line with its name
	ErrorTrace string
}

func documentReasonOf(p Params) DocumentReason {
	out := DocumentReason{}
	out.Table = p.Text("table")
	out.Document = p.Int("document")
	out.States = p.Text("states")
	out.Done = p.Bool("done")
	out.Newer = p.Int("newer")
	out.ChildrenKnown = p.Int("children_known")
	out.ChildrenNotDone = p.Int("children_not_done")
	out.MissingBelow = p.Int("missing_below")
	out.InHandsBelow = p.Int("in_hands_below")
	out.FailedBelow = p.Int("failed_below")
	out.Text = p.Text("text")
	out.ErrorTrace = p.Text("error_trace")
	return out
}

// Event is EVENT: what became of a document.
type Event struct {
	// the table
	Table string
	// its number since the start of the daemon
	Event int64
	// when it was
	Date time.Time
	// found, changed, handed_out, routed, children_done, in_doubt, forgotten, mode (of a destination), drains, resumed
	// (of the table), or the state that it came into
	What string
	// the document's number
	Document int64
	// where it is, or a child's name; absent if it was forgotten since
	URI string
	// of its content then
	Hash string
	// delete: its source did not have it any more; absent of all others
	Operation string
	// its version: how often it had changed by then, of a child its original; absent if never
	Generation int64
	// of a child: the document that it was made of
	Parent int64
	// of a child: the document of the source that it was made of
	Original int64
	// the destination; absent of what concerns the whole document
	Destination string
	// who has it, or had it
	Worker string
	// so far
	Failures int64
	// of a failure
	Class string
	// what went wrong
	Error string
	// why it was dropped, or why a destination is not open
	Reason string
	// who chose
	Router string
	// names of steps, between blanks
	Chosen []string
	// of a destination: open, probing or shut
	Mode string
	// of children_done: how many there are
	Children int64
	// who drains the table
	By string
}

func eventOf(p Params) Event {
	out := Event{}
	out.Table = p.Text("table")
	out.Event = p.Int("event")
	out.Date = p.Time("date")
	out.What = p.Text("what")
	out.Document = p.Int("document")
	out.URI = p.Text("uri")
	out.Hash = p.Text("hash")
	out.Operation = p.Text("operation")
	out.Generation = p.Int("generation")
	out.Parent = p.Int("parent")
	out.Original = p.Int("original")
	out.Destination = p.Text("destination")
	out.Worker = p.Text("worker")
	out.Failures = p.Int("failures")
	out.Class = p.Text("class")
	out.Error = p.Text("error")
	out.Reason = p.Text("reason")
	out.Router = p.Text("router")
	out.Chosen = p.Words("chosen")
	out.Mode = p.Text("mode")
	out.Children = p.Int("children")
	out.By = p.Text("by")
	return out
}

// Plan is PLAN: a version of the plan.
type Plan struct {
	// the table
	Table string
	// its name
	Plan string
	// its version
	Version int64
	// documents that were found by it, children among them
	Documents int64
	// true: documents are found by this one
	Newest bool
	// what it says, in one line, for programs
	Text string
	// the same as the file of a plan
	Xml string
}

func planOf(p Params) Plan {
	out := Plan{}
	out.Table = p.Text("table")
	out.Plan = p.Text("plan")
	out.Version = p.Int("version")
	out.Documents = p.Int("documents")
	out.Newest = p.Bool("newest")
	out.Text = p.Text("text")
	out.Xml = p.Text("xml")
	return out
}
