// Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.

package fastjournal

import (
	"context"
	"time"
)

// Blobs has the calls of a blob table on a connection. Bytes of any length under keys, in one data file that readers
// on the same computer read themselves.
type Blobs struct {
	connection *Connection
	table      string
}

// Blobs has the calls of a blob table.
func (c *Connection) Blobs(table string) *Blobs { return &Blobs{c, table} }

// BlobPutOptions are the options of Blobs.Put.
type BlobPutOptions struct {
	// in place of the key, what is made of it: 24 hex digits
	Hash string
	// XXH3-128 of the bytes, 32 hex digits: other bytes are refused
	ContentHash string
	// the writer's name for this start of it; with sequence: a resent command is done once (at most 128 bytes)
	Client string
	// the number of this command by this client
	Sequence Optional[int64]
}

// Put stores a blob under a key, in place of the one that is there. key: the key (string or []byte). data: the bytes;
// in lines and JSON as base64.
func (t *Blobs) Put(ctx context.Context, key any, data []byte, options ...BlobPutOptions) (StoredBlob, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params["data"] = data
	o := optionsOf(options)
	params.setText("hash", o.Hash)
	params.setText("content_hash", o.ContentHash)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "PUT", params, "STORED")
	if err != nil {
		return StoredBlob{}, err
	}
	return storedBlobOf(p), nil
}

// BlobGetOptions are the options of Blobs.Get.
type BlobGetOptions struct {
	// in place of the key, what is made of it: 24 hex digits
	Hash string
	// of the bytes that are wanted, within the blob (0 if absent)
	Offset int64
	// so many bytes at most; up to the end if absent
	Length Optional[int64]
}

// Get shows a blob, with its bytes or a part of them; nothing where there is none. key: the key (string or []byte).
// false: there is none.
func (t *Blobs) Get(ctx context.Context, key any, options ...BlobGetOptions) (Blob, bool, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	params["data"] = 1
	o := optionsOf(options)
	params.setText("hash", o.Hash)
	params.setInt("offset", o.Offset)
	setOptional(params, "length", o.Length)
	p, err := oneOrNone(ctx, t.connection, "GET", params, "BLOB")
	if p == nil {
		return Blob{}, false, err
	}
	return blobOf(p), true, nil
}

// BlobListOptions are the options of Blobs.List.
type BlobListOptions struct {
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// List blobs in the order of their hashes.
func (t *Blobs) List(options ...BlobListOptions) *Pages[Blob] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "LIST", params, "BLOB", blobOf)
}

// BlobOmitOptions are the options of Blobs.Omit.
type BlobOmitOptions struct {
	// in place of the key, what is made of it: 24 hex digits
	Hash string
}

// Omit: the next maintenance leaves this blob out, unless it is stored again before. key: the key (string or []byte).
func (t *Blobs) Omit(ctx context.Context, key any, options ...BlobOmitOptions) (string, error) {
	params := Params{"table": t.table}
	params.setContent("key", key)
	o := optionsOf(options)
	params.setText("hash", o.Hash)
	p, err := oneOf(ctx, t.connection, "OMIT", params, "OMITTED")
	if err != nil {
		return "", err
	}
	return p.Text("result"), nil
}

// BlobMaintainOptions are the options of Blobs.Maintain.
type BlobMaintainOptions struct {
	// blobs stored longer ago are left out; 0: none (0 to 281474976710655 ms; expire-age if absent)
	Age Optional[time.Duration]
	// the oldest blobs beyond so many bytes are left out; 0: none (0 to 9223372036854775807; expire-size if absent)
	Size Optional[int64]
	// blobs not read for so long are left out; 0: none (0 to 281474976710655 ms; expire-unreferenced if absent)
	Unreferenced Optional[time.Duration]
	// true: the maintenance that runs is given up
	Cancel bool
}

// Maintain begins a maintenance: blobs that are kept are copied into a new data file, which takes the place of the
// old one. Or shows, or ends, the one that runs.
func (t *Blobs) Maintain(ctx context.Context, options ...BlobMaintainOptions) (Maintaining, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	setOptional(params, "age", o.Age)
	setOptional(params, "size", o.Size)
	setOptional(params, "unreferenced", o.Unreferenced)
	params.setFlag("cancel", o.Cancel)
	p, err := oneOf(ctx, t.connection, "MAINTAIN", params, "MAINTAINING")
	if err != nil {
		return Maintaining{}, err
	}
	return maintainingOf(p), nil
}
