// Made by ./mk generate from plugins/keyvalue/keyvalue.xml and clients/calls/keyvalue.toml: do not edit.

package fastjournal

import (
	"context"
	"time"
)

// KeyValue has the calls of a keyvalue table on a connection. Values under keys: in the order of the keys, with
// expiry, locks, counters, and the last writer by timestamp.
type KeyValue struct {
	connection *Connection
	table      string
}

// KeyValue has the calls of a keyvalue table.
func (c *Connection) KeyValue(table string) *KeyValue { return &KeyValue{c, table} }

// KeyValueSetOptions are the options of KeyValue.Set.
type KeyValueSetOptions struct {
	// what it is; if absent: as the value came, string in a line: void, buffer, string, integer, float, boolean
	Type string
	// false: only if the key is not there
	Overwrite Optional[bool]
	// only if the value that is there has this timestamp; 0: if none is there
	IfTimestamp Optional[int64]
	// only if this value is there
	IfValue any
	// when this value was written, in microseconds since 1970: an older one never replaces a newer one; the order of
	// arrival if absent
	Timestamp Optional[int64]
	// the pair is gone from then on; 0 or absent: never
	ExpirationDate Date
	// the pair is gone when it was not read or written for so long (1 to 999999999999 ms)
	TTL time.Duration
	// true: the answer, and that of each later change, comes once it is synced; false: it may be lost with the
	// computer's power
	Persist Optional[bool]
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Set stores a value under a key, in place of the one that is there. key: the key (string or []byte; at most
// key-size-max bytes). value: the value; none: of type void.
func (t *KeyValue) Set(ctx context.Context, key any, value any, options ...KeyValueSetOptions) (Stored, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params.setValue("value", value)
	o := optionsOf(options)
	params.setText("type", o.Type)
	setOptional(params, "overwrite", o.Overwrite)
	setOptional(params, "if_timestamp", o.IfTimestamp)
	params.setValue("if_value", o.IfValue)
	setOptional(params, "timestamp", o.Timestamp)
	params.setDate("expiration_date", o.ExpirationDate)
	params.setSpan("ttl", o.TTL)
	setOptional(params, "persist", o.Persist)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "SET", params, "STORED")
	if err != nil {
		return Stored{}, err
	}
	return storedOf(p), nil
}

// KeyValueGetOptions are the options of KeyValue.Get.
type KeyValueGetOptions struct {
	// false: without the values
	Data Optional[bool]
	// true: with the dates, and who has it
	Facts bool
	// true: not those that somebody works on
	SkipWorkedOn bool
	// marks what is shown: for so long others that skip such pairs do not see it (0 to 999999999999 ms; 0 if absent)
	WorkedOn time.Duration
	// of a key: the pair is gone from then on; 0: never
	ExpirationDate Date
	// of a key: the pair is gone when it was not read or written for so long; 0: it has no such time (0 to 999999999999
	// ms)
	TTL Optional[time.Duration]
}

// Get shows the value of a key; nothing where there is none. key: the key; without one, a range (string or []byte; at
// most key-size-max bytes). false: there is none.
func (t *KeyValue) Get(ctx context.Context, key any, options ...KeyValueGetOptions) (Pair, bool, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	o := optionsOf(options)
	setOptional(params, "data", o.Data)
	params.setFlag("facts", o.Facts)
	params.setFlag("skip_worked_on", o.SkipWorkedOn)
	params.setSpan("worked_on", o.WorkedOn)
	params.setDate("expiration_date", o.ExpirationDate)
	setOptional(params, "ttl", o.TTL)
	p, err := oneOrNone(ctx, t.connection, "GET", params, "PAIR")
	if p == nil {
		return Pair{}, false, err
	}
	return pairOf(p), true, nil
}

// KeyValueScanOptions are the options of KeyValue.Scan.
type KeyValueScanOptions struct {
	// a range: keys that begin so (at most key-size-max bytes)
	Prefix string
	// a range: this key and those behind it (at most key-size-max bytes)
	From string
	// a range: keys before this one (at most key-size-max bytes)
	To string
	// a range: keys of which a part matches this expression (RE2) (at most 1024 bytes)
	Regex string
	// so many a page (1 to 1000; 100 if absent)
	Count int64
	// false: without the values
	Data Optional[bool]
	// true: with the dates, and who has it
	Facts bool
	// true: not those that somebody works on
	SkipWorkedOn bool
	// marks what is shown: for so long others that skip such pairs do not see it (0 to 999999999999 ms; 0 if absent)
	WorkedOn time.Duration
}

// Scan: the pairs of a range in the order of their keys. What is there all the time is shown exactly once, whatever
// others change meanwhile.
func (t *KeyValue) Scan(options ...KeyValueScanOptions) *Pages[Pair] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("prefix", o.Prefix)
	params.setText("from", o.From)
	params.setText("to", o.To)
	params.setText("regex", o.Regex)
	params.setInt("count", o.Count)
	setOptional(params, "data", o.Data)
	params.setFlag("facts", o.Facts)
	params.setFlag("skip_worked_on", o.SkipWorkedOn)
	params.setSpan("worked_on", o.WorkedOn)
	return pagesOf(t.connection, "GET", params, "PAIR", pairOf)
}

// KeyValueDeleteOptions are the options of KeyValue.Delete.
type KeyValueDeleteOptions struct {
	// only if the value has this timestamp
	IfTimestamp Optional[int64]
	// when it was deleted, in microseconds since 1970: a newer value stays, and an older SET that comes later is stale;
	// the order of arrival if absent
	Timestamp Optional[int64]
	// true: nothing is remembered of it, and an older SET brings it back
	Complete bool
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Delete deletes a value with all its keys. key: the key (string or []byte; at most key-size-max bytes).
func (t *KeyValue) Delete(ctx context.Context, key any, options ...KeyValueDeleteOptions) (string, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	o := optionsOf(options)
	setOptional(params, "if_timestamp", o.IfTimestamp)
	setOptional(params, "timestamp", o.Timestamp)
	params.setFlag("complete", o.Complete)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "DELETE", params, "DELETED")
	if err != nil {
		return "", err
	}
	return p.Text("result"), nil
}

// KeyValueAddOptions are the options of KeyValue.Add.
type KeyValueAddOptions struct {
	// of a key that is not there: as in SET
	Persist Optional[bool]
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Add adds to an integer or a float; a key that is not there counts as 0. key: the key (string or []byte; at most
// key-size-max bytes). by: an integer, or a number with a point for a float; 1 if absent.
func (t *KeyValue) Add(ctx context.Context, key any, by any, options ...KeyValueAddOptions) (Stored, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params.setValue("by", by)
	o := optionsOf(options)
	setOptional(params, "persist", o.Persist)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "ADD", params, "STORED")
	if err != nil {
		return Stored{}, err
	}
	return storedOf(p), nil
}

// KeyValueInvertOptions are the options of KeyValue.Invert.
type KeyValueInvertOptions struct {
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Invert turns a boolean. key: the key (string or []byte; at most key-size-max bytes).
func (t *KeyValue) Invert(ctx context.Context, key any, options ...KeyValueInvertOptions) (Stored, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	o := optionsOf(options)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "NOT", params, "STORED")
	if err != nil {
		return Stored{}, err
	}
	return storedOf(p), nil
}

// KeyValueTruncateOptions are the options of KeyValue.Truncate.
type KeyValueTruncateOptions struct {
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Truncate cuts a string or a buffer, or lets it grow by zeros. key: the key (string or []byte; at most key-size-max
// bytes). size: its bytes from then on (0 to value-size-max).
func (t *KeyValue) Truncate(
	ctx context.Context, key any, size int64, options ...KeyValueTruncateOptions,
) (Stored, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params["size"] = size
	o := optionsOf(options)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "TRUNCATE", params, "STORED")
	if err != nil {
		return Stored{}, err
	}
	return storedOf(p), nil
}

// KeyValueRenameOptions are the options of KeyValue.Rename.
type KeyValueRenameOptions struct {
	// true: also where another value is, which is deleted
	Overwrite bool
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Rename gives a value another key, in one step. key: the key (string or []byte; at most key-size-max bytes). newKey:
// the key from then on (string or []byte; at most key-size-max bytes).
func (t *KeyValue) Rename(
	ctx context.Context, key any, newKey any, options ...KeyValueRenameOptions,
) (Stored, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params.setContent("new_key", newKey)
	o := optionsOf(options)
	params.setFlag("overwrite", o.Overwrite)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "RENAME", params, "STORED")
	if err != nil {
		return Stored{}, err
	}
	return storedOf(p), nil
}

// KeyValueAliasOptions are the options of KeyValue.Alias.
type KeyValueAliasOptions struct {
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Alias gives a value one more key. key: the key (string or []byte; at most key-size-max bytes). newKey: the key that
// is added (string or []byte; at most key-size-max bytes).
func (t *KeyValue) Alias(ctx context.Context, key any, newKey any, options ...KeyValueAliasOptions) (Stored, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params.setContent("new_key", newKey)
	o := optionsOf(options)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "ALIAS", params, "STORED")
	if err != nil {
		return Stored{}, err
	}
	return storedOf(p), nil
}

// Lock: until its end, or that of the connection, nobody else changes the value. key: the key (string or []byte; at
// most key-size-max bytes). lock: for how long at most; of one's own lock: from now (1 to lock-max).
func (t *KeyValue) Lock(ctx context.Context, key any, lock time.Duration) (time.Time, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params["lock"] = millisecondsOf(lock)
	p, err := oneOf(ctx, t.connection, "LOCK", params, "LOCKED")
	if err != nil {
		return time.Time{}, err
	}
	return p.Time("lock_end"), nil
}

// Unlock ends one's own lock. key: the key (string or []byte; at most key-size-max bytes).
func (t *KeyValue) Unlock(ctx context.Context, key any) error {
	params := Params{"table": t.table}
	params.setContent("key", key)
	_, err := t.connection.request(ctx, "UNLOCK", params)
	return err
}
