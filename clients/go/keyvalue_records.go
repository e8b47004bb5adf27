// Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.

package fastjournal

import "time"

// Stored is STORED: what became of the value.
type Stored struct {
	// the table
	Table string
	// the key (string or []byte)
	Key any
	// stored; or nothing changed: exists, mismatch, stale or duplicate
	Result string
	// of the value that is there now
	Timestamp int64
	// of pairs: how many are stored
	Count int64
	// of ADD and NOT
	Type string
	// of ADD and NOT: the value from now on
	Value any
}

func storedOf(p Params) Stored {
	out := Stored{}
	out.Table = p.Text("table")
	out.Key = p.Content("key")
	out.Result = p.Text("result")
	out.Timestamp = p.Int("timestamp")
	out.Count = p.Int("count")
	out.Type = p.Text("type")
	out.Value = p.Content("value")
	return out
}

// Pair is PAIR: a pair.
type Pair struct {
	// the table
	Table string
	// the key (string or []byte)
	Key any
	// void, buffer, string, integer, float or boolean
	Type string
	// the value (string or []byte)
	Value any
	// when it was written, in microseconds since 1970
	Timestamp int64
	// it is gone from then on
	ExpirationDate time.Time
	// true: somebody has it locked
	Locked bool
	// until then at most
	LockEnd time.Time
	// true: somebody works on it
	WorkedOn bool
	// until then
	WorkedOnEnd time.Time
	// ms without a read or a write, after which it is gone
	TTL time.Duration
	// true: its changes are synced
	Persist bool
	// when the key got its first value
	CreationDate time.Time
	// when it was changed last
	ModificationDate time.Time
	// when it was read or written last, to the second
	AccessDate time.Time
	// this key is an alias of it (string or []byte)
	MainKey any
	// bytes of the value
	Size int64
}

func pairOf(p Params) Pair {
	out := Pair{}
	out.Table = p.Text("table")
	out.Key = p.Content("key")
	out.Type = p.Text("type")
	out.Value = p.Content("value")
	out.Timestamp = p.Int("timestamp")
	out.ExpirationDate = p.Time("expiration_date")
	out.Locked = p.Bool("locked")
	out.LockEnd = p.Time("lock_end")
	out.WorkedOn = p.Bool("worked_on")
	out.WorkedOnEnd = p.Time("worked_on_end")
	out.TTL = p.Span("ttl")
	out.Persist = p.Bool("persist")
	out.CreationDate = p.Time("creation_date")
	out.ModificationDate = p.Time("modification_date")
	out.AccessDate = p.Time("access_date")
	out.MainKey = p.Content("main_key")
	out.Size = p.Int("size")
	return out
}
