package fastjournal

// Calls of pipelines whose answers are of several names.

import (
	"context"
	"time"
)

// Listen has the notices of this table.
func (t *Documents) Listen(ctx context.Context, options ListenOptions) (*Listener, error) {
	return t.connection.Listen(ctx, t.table, options)
}

// Sending is the answer to Begin. Verdict is "run" (send it now), "skip" (it is there already, or need not be) or
// "cancelled" (it is not this worker's any more, or its destination is paused), and Why the state, or the reason.
// Attempt begins with 1. Guarantee is "at-most-once" or "at-least-once". Key is the same for each attempt with this
// version. Deadline is when to stop.
type Sending struct {
	Verdict, Why   string
	Attempt        int64
	Guarantee, Key string
	Deadline       time.Time
}

// DocumentBeginOptions are the options of Documents.Begin.
type DocumentBeginOptions struct {
	// Batched: it goes into a batch, and Begin without it follows when that is sent.
	Batched bool
	// Worker is a name for people.
	Worker string
}

func (t *Documents) about(document Document) Params {
	return Params{"table": t.table, "document": document.Document, "token": document.Token}
}

// Begin says that the worker is about to send the document.
func (t *Documents) Begin(
	ctx context.Context, document Document, destination string, options ...DocumentBeginOptions,
) (Sending, error) {
	o, params := optionsOf(options), t.about(document)
	params["destination"] = destination
	params.setFlag("batched", o.Batched)
	params.setText("worker", o.Worker)
	answer, err := t.connection.request(ctx, "SENDING", params)
	if err != nil {
		return Sending{}, err
	}
	said := answer[0].Params
	switch answer[0].Command {
	case "RUN":
		return Sending{"run", "", said.Int("attempt"), said.Text("guarantee"), said.Text("key"), said.Time("deadline")}, nil
	case "SKIP":
		return Sending{Verdict: "skip", Why: said.Text("status")}, nil
	case "CANCELLED":
		return Sending{Verdict: "cancelled", Why: said.Text("reason")}, nil
	}
	return Sending{}, unexpected(answer[0], "RUN, SKIP or CANCELLED")
}

// DocumentBeginChildOptions are the options of Documents.BeginChild.
type DocumentBeginChildOptions struct {
	// Step is the one that makes it (the source).
	Step string
	// Again: the call is repeated, as its answer was lost.
	Again bool
	// Lease is how long the worker may take (the table's processing-timeout).
	Lease time.Duration
	// Worker is a name for people.
	Worker string
}

// BeginChild says that a document is made of `parent`. child: what tells it from its siblings, the same each time: its
// number, or a key. A child without a token is passed; true: all that was made of it has arrived, too.
func (t *Documents) BeginChild(
	ctx context.Context, parent Document, child string, options ...DocumentBeginChildOptions,
) (Document, bool, error) {
	o, params := optionsOf(options), t.about(parent)
	params["child"] = child
	params.setText("step", o.Step)
	params.setFlag("again", o.Again)
	params.setSpan("lease", o.Lease)
	params.setText("worker", o.Worker)
	answer, err := t.connection.request(ctx, "CHILD", params)
	if err != nil {
		return Document{}, false, err
	}
	said := answer[0].Params
	if answer[0].Command == "SKIP" {
		return Document{Table: t.table, Document: said.Int("document")}, said.Bool("subtree"), nil
	}
	return documentOf(said), false, nil
}

// Heartbeat: the worker lives: its leases of the document last (lease: 0: as the table says), and move to this
// connection. False: it is to stop.
func (t *Documents) Heartbeat(ctx context.Context, document Document, lease time.Duration) (bool, error) {
	params := t.about(document)
	params.setSpan("lease", lease)
	answer, err := t.connection.request(ctx, "HEARTBEAT", params)
	return err == nil && answer[0].Command == "RECORDED", err
}
