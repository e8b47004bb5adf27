package fastjournal

import (
	"context"
	"errors"
)

// Listen has the notices of this table.
func (t *Journal) Listen(ctx context.Context, options ListenOptions) (*Listener, error) {
	return t.connection.Listen(ctx, t.table, options)
}

// Listen has the notices of this table.
func (t *Queues) Listen(ctx context.Context, options ListenOptions) (*Listener, error) {
	return t.connection.Listen(ctx, t.table, options)
}

// Listen has the notices of this table.
func (t *KeyValue) Listen(ctx context.Context, options ListenOptions) (*Listener, error) {
	return t.connection.Listen(ctx, t.table, options)
}

// PutCounts are the results of PutMany: how many of each, and how many rows were refused.
type PutCounts struct{ Inserted, Merged, Behind, Duplicate, Stale, Refused int }

// PutManyOptions are those of Journal.PutMany.
type PutManyOptions struct {
	// Window is how many rows are in flight (2048).
	Window int
	// OnRefused is told of a refused row, and the rest goes on. Without it the first refusal is the error.
	OnRefused func(index int, row Columns, why error)
	// Client and FirstSequence are numbers of the caller's own.
	Client        string
	FirstSequence int64
}

// EachOf gives one row after the other.
func EachOf(rows []Columns) func() (Columns, bool) {
	return func() (Columns, bool) {
		if len(rows) == 0 {
			return nil, false
		}
		row := rows[0]
		rows = rows[1:]
		return row, true
	}
}

// A row in flight.
type putting struct {
	index int
	row   Columns
	call  *call
}

// PutMany inserts many rows, many of them in flight, each exactly once, also if the connection is lost meanwhile. A row
// may have `priority` and the dates of Put beside its columns. `next` gives one after the other.
//
// An error has the fact "index": all rows before are in (or were refused), and those from it on may be. To continue
// without duplicates, give the same rows again from there with the same Client, and FirstSequence + index.
func (t *Journal) PutMany(
	ctx context.Context, next func() (Columns, bool), options ...PutManyOptions,
) (PutCounts, error) {
	o := optionsOf(options)
	defaultTo(&o.Window, 2048)
	defaultTo(&o.FirstSequence, 1)
	var counts PutCounts
	var inFlight []putting
	index := 0
	stop := func(err error) (PutCounts, error) {
		from := index
		t.connection.mutex.Lock()
		for at, one := range inFlight {
			if at == 0 {
				from = one.index
			}
			t.connection.abandon(one.call)
		}
		t.connection.mutex.Unlock()
		var why *Error
		if errors.As(err, &why) {
			facts := Params{"index": int64(from)}
			for name, value := range why.Facts {
				facts[name] = value
			}
			err = &Error{Code: why.Code, Message: why.Message, Facts: facts, cause: why.cause}
		}
		return counts, err
	}
	for row, more := next(); more || len(inFlight) > 0; {
		if more && len(inFlight) < o.Window {
			one, err := t.sendPut(ctx, row, o, index)
			if err == nil {
				inFlight = append(inFlight, putting{index, row, one})
			} else if !counts.refused(o, index, row, err) {
				return stop(err)
			}
			index++
			row, more = next()
			continue
		}
		first := inFlight[0]
		answer, err := t.connection.receive(ctx, first.call)
		if err == nil {
			err = counts.add(answer[0])
		}
		if err != nil && !counts.refused(o, first.index, first.row, err) {
			return stop(err)
		}
		inFlight = inFlight[1:]
	}
	return counts, nil
}

func (t *Journal) sendPut(ctx context.Context, row Columns, o PutManyOptions, index int) (*call, error) {
	params, err := columnsOf(row)
	if err != nil {
		return nil, err
	}
	c := t.connection
	params["table"] = t.table
	if o.Client != "" {
		params["client"], params["sequence"] = o.Client, o.FirstSequence+int64(index)
	} else {
		c.mutex.Lock()
		c.sequence++
		params["client"], params["sequence"] = c.client, c.sequence
		c.mutex.Unlock()
	}
	return c.send(ctx, "INSERT", params, nil)
}

// refused tells of a row that was refused. An outage concerns the whole run.
func (p *PutCounts) refused(o PutManyOptions, index int, row Columns, why error) bool {
	if o.OnRefused == nil || isOutage(why) {
		return false
	}
	p.Refused++
	o.OnRefused(index, row, why)
	return true
}

func (p *PutCounts) add(answer Message) error {
	counts := map[string]*int{
		"inserted": &p.Inserted, "merged": &p.Merged, "behind": &p.Behind, "duplicate": &p.Duplicate, "stale": &p.Stale,
	}
	count, known := counts[answer.Params.Text("result")]
	if !known {
		return unexpected(answer, "INSERTED with a known result")
	}
	*count++
	return nil
}
