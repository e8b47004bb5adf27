// Made by ./mk generate from plugins/blob/blob.xml and clients/calls/blob.toml: do not edit.

package fastjournal

// StoredBlob is STORED: the blob is stored.
type StoredBlob struct {
	// the table
	Table string
	// what is made of the key
	Hash string
	// when it was stored, in seconds since 1970
	EntryTime int64
	// offset of its first byte in the data file
	Begin int64
	// offset of its last byte + 1
	End int64
	// number of the data file
	File int64
	// stored; replaced: in place of another; duplicate: it was stored before
	Result string
}

func storedBlobOf(p Params) StoredBlob {
	out := StoredBlob{}
	out.Table = p.Text("table")
	out.Hash = p.Text("hash")
	out.EntryTime = p.Int("entry_time")
	out.Begin = p.Int("begin")
	out.End = p.Int("end")
	out.File = p.Int("file")
	out.Result = p.Text("result")
	return out
}

// Blob is BLOB: a blob.
type Blob struct {
	// the table
	Table string
	// what is made of its key
	Hash string
	// found; or absent, then what follows is 0
	Result string
	// when it was stored, in seconds since 1970
	EntryTime int64
	// offset of its first byte in the data file
	Begin int64
	// offset of its last byte + 1
	End int64
	// its bytes
	Length int64
	// number of the data file
	File int64
	// true: it is in the newer of two data files, bcdb_data.new: only told with by_name
	Newer bool
	// 2: the table may have two data files (maintenance online)
	Files int64
	// the low half of XXH3-128 of its bytes, 16 hex digits
	ContentHash string
	// the bytes that are wanted
	Data []byte
	// OFFSET LENGTH PATH
	Place string
	// number of the data file whose descriptor goes along
	Descriptor int64
}

func blobOf(p Params) Blob {
	out := Blob{}
	out.Table = p.Text("table")
	out.Hash = p.Text("hash")
	out.Result = p.Text("result")
	out.EntryTime = p.Int("entry_time")
	out.Begin = p.Int("begin")
	out.End = p.Int("end")
	out.Length = p.Int("length")
	out.File = p.Int("file")
	out.Newer = p.Bool("newer")
	out.Files = p.Int("files")
	out.ContentHash = p.Text("content_hash")
	out.Data = p.Raw("data")
	out.Place = p.Text("place")
	out.Descriptor = p.Int("descriptor")
	return out
}

// AttachedFile is ATTACHED: the data file.
type AttachedFile struct {
	// the table
	Table string
	// its number
	File int64
	// number of the file whose descriptor goes along
	Descriptor int64
}

func attachedFileOf(p Params) AttachedFile {
	out := AttachedFile{}
	out.Table = p.Text("table")
	out.File = p.Int("file")
	out.Descriptor = p.Int("descriptor")
	return out
}

// Maintaining is MAINTAINING: the state of the maintenance.
type Maintaining struct {
	// the table
	Table string
	// begun, running, cancelled; idle: there was none to be cancelled
	Result string
	// of this maintenance, or of the last one: modern, online, offline
	Mode string
	// of one that is running: judging, what is left out; copying, what is kept; quiet: readers by name are refused until
	// the exchange. Else as the result
	Phase string
	// number of the new data file; 0: there is none
	File int64
	// blobs when it began
	Total int64
	// blobs that are in the new data file
	Done int64
}

func maintainingOf(p Params) Maintaining {
	out := Maintaining{}
	out.Table = p.Text("table")
	out.Result = p.Text("result")
	out.Mode = p.Text("mode")
	out.Phase = p.Text("phase")
	out.File = p.Int("file")
	out.Total = p.Int("total")
	out.Done = p.Int("done")
	return out
}
