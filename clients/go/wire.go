package fastjournal

// Bytes of a connection to messages, and messages to frames (doc/protocol.md, sections 2, 3 and 5). Of msgpack it has
// what a message may be, so no package is needed for it.

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
)

const (
	magic     = "FJM\x01"
	paramsMax = 256
	nestedMax = 16
)

// appendFrame adds one frame. The error is bad_parameter or too_large: no message can carry it.
func appendFrame(out []byte, command string, params Params) ([]byte, error) {
	begin := len(out)
	out = append(out, magic+"\x00\x00\x00\x00\x82"...)
	out = appendText(appendText(out, "command"), command)
	out = appendText(out, "parameters")
	count := 0
	for _, value := range params {
		if value != nil {
			count++
		}
	}
	if count > paramsMax {
		return nil, failure("too_large", "a message has at most %d parameters, `request` included", paramsMax)
	}
	out = append(out, 0xDE, byte(count>>8), byte(count))
	for name, value := range params {
		if value == nil {
			continue
		}
		var known bool
		if out, known = appendValue(appendText(out, name), value); !known {
			why := failure("bad_parameter", "%s: a value is text, bytes, a number or a bool; this is %T", name, value)
			why.Facts["parameter"] = name
			return nil, why
		}
	}
	if len(out)-begin-8 > math.MaxInt32 {
		return nil, failure("too_large", "%s: a message of %d bytes", command, len(out)-begin)
	}
	binary.BigEndian.PutUint32(out[begin+4:], uint32(len(out)-begin-8))
	return out, nil
}

func appendText(out []byte, text string) []byte {
	switch size := len(text); {
	case size < 32:
		out = append(out, 0xA0|byte(size))
	case size < 1<<16:
		out = append(out, 0xDA, byte(size>>8), byte(size))
	default:
		out = binary.BigEndian.AppendUint32(append(out, 0xDB), uint32(size))
	}
	return append(out, text...)
}

func appendInt(out []byte, value int64) []byte {
	if value >= 0 && value < 128 {
		return append(out, byte(value))
	}
	return binary.BigEndian.AppendUint64(append(out, 0xD3), uint64(value))
}

func appendValue(out []byte, value any) ([]byte, bool) {
	switch value := value.(type) {
	case string:
		return appendText(out, value), true
	case []byte:
		return append(binary.BigEndian.AppendUint32(append(out, 0xC6), uint32(len(value))), value...), true
	case bool:
		if value {
			return append(out, 0xC3), true
		}
		return append(out, 0xC2), true
	case int64:
		return appendInt(out, value), true
	case uint64:
		return binary.BigEndian.AppendUint64(append(out, 0xCF), value), true
	}
	// Other widths, and types of the program's own.
	of := reflect.ValueOf(value)
	switch {
	case of.CanInt():
		return appendInt(out, of.Int()), true
	case of.CanUint():
		return appendValue(out, of.Uint())
	case of.CanFloat():
		return binary.BigEndian.AppendUint64(append(out, 0xCB), math.Float64bits(of.Float())), true
	case of.Kind() == reflect.String:
		return appendText(out, of.String()), true
	case of.Kind() == reflect.Bool:
		return appendValue(out, of.Bool())
	}
	return out, false
}

// A reader cuts the bytes of one connection into messages.
type reader struct {
	bytes *bufio.Reader
	most  int
}

func newReader(from io.Reader, most int) *reader {
	return &reader{bufio.NewReaderSize(from, 64<<10), most}
}

// next is the next message; or the Error that stands for one that could not be read. Any other error ends the
// connection.
func (r *reader) next() (Message, error) {
	for {
		framed := true
		for size := 1; size <= len(magic) && framed; size++ {
			begin, err := r.bytes.Peek(size)
			if err != nil {
				return Message{}, err
			}
			framed = string(begin) == magic[:size]
		}
		if framed {
			return r.frame()
		}
		if line, err := r.line(); err != nil || len(line) > 0 {
			if err != nil {
				return Message{}, err
			}
			return messageOfLine(string(line))
		}
	}
}

func (r *reader) frame() (Message, error) {
	var header [8]byte
	if _, err := io.ReadFull(r.bytes, header[:]); err != nil {
		return Message{}, err
	}
	size := int64(binary.BigEndian.Uint32(header[4:]))
	if size > int64(r.most) {
		if _, err := io.CopyN(io.Discard, r.bytes, size); err != nil {
			return Message{}, err
		}
		return Message{}, r.tooLarge("frame")
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r.bytes, body); err != nil {
		return Message{}, err
	}
	return messageOfFrame(body)
}

func (r *reader) line() ([]byte, error) {
	var out []byte
	for size := 0; ; {
		part, err := r.bytes.ReadSlice('\n')
		if size += len(part); size <= r.most {
			out = append(out, part...)
		}
		if err == nil {
			if size > r.most {
				return nil, r.tooLarge("line")
			}
			return bytes.Trim(out, " \t\r\n\v\f"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

func (r *reader) tooLarge(what string) *Error {
	return failure("too_large", "the daemon sent a %s of more than %d bytes (MessageBytesMax)", what, r.most)
}

func unreadable(reason string) *Error {
	return failure("invalid", "the daemon sent what is no message: %s", reason)
}

// A decoder reads the body of a frame; `bad`: it is none.
type decoder struct {
	rest []byte
	bad  bool
}

func messageOfFrame(body []byte) (Message, error) {
	d := &decoder{rest: body}
	out := Message{}
	for members := d.mapSize(); members > 0 && !d.bad; members-- {
		name, _ := d.value(0).(string)
		switch name {
		case "command":
			out.Command, _ = d.value(0).(string)
		case "parameters":
			count := d.mapSize()
			out.Params = make(Params, count)
			for ; count > 0 && !d.bad; count-- {
				name, isText := d.value(0).(string)
				value := d.value(0)
				d.bad = d.bad || !isText || value == nil
				out.Params[name] = value
			}
		default:
			d.value(nestedMax)
		}
	}
	if d.bad || out.Command == "" || out.Params == nil {
		return Message{}, unreadable("a frame of msgpack that is not as doc/protocol.md has it")
	}
	return out, nil
}

func (d *decoder) take(size uint64) []byte {
	if size > uint64(len(d.rest)) {
		d.bad = true
		return nil
	}
	out := d.rest[:size]
	d.rest = d.rest[size:]
	return out
}

func (d *decoder) number(bytes int) uint64 {
	out := uint64(0)
	for _, one := range d.take(uint64(bytes)) {
		out = out<<8 | uint64(one)
	}
	return out
}

// mapSize begins a map; one has at most as many members as bytes are left.
func (d *decoder) mapSize() int {
	size := uint64(0)
	switch kind := d.number(1); {
	case kind&0xF0 == 0x80:
		size = kind & 15
	case kind == 0xDE:
		size = d.number(2)
	case kind == 0xDF:
		size = d.number(4)
	default:
		d.bad = true
	}
	if size > uint64(len(d.rest)) {
		d.bad = true
		return 0
	}
	return int(size)
}

// value is the next value; nil of what is no parameter, which is bad but for so many levels.
func (d *decoder) value(levels int) any {
	kind := d.number(1)
	switch {
	case d.bad:
		return nil
	case kind < 0x80:
		return int64(kind)
	case kind >= 0xE0:
		return int64(int8(kind))
	case kind&0xE0 == 0xA0:
		return string(d.take(kind & 31))
	case kind >= 0xC4 && kind <= 0xC6:
		return append([]byte{}, d.take(d.number(1<<(kind-0xC4)))...)
	case kind >= 0xD9 && kind <= 0xDB:
		return string(d.take(d.number(1 << (kind - 0xD9))))
	case kind == 0xC2 || kind == 0xC3:
		return kind == 0xC3
	case kind == 0xCA:
		return float64(math.Float32frombits(uint32(d.number(4))))
	case kind == 0xCB:
		return math.Float64frombits(d.number(8))
	case kind >= 0xCC && kind <= 0xCF:
		if value := d.number(1 << (kind - 0xCC)); value > math.MaxInt64 {
			return value
		} else {
			return int64(value)
		}
	case kind >= 0xD0 && kind <= 0xD3:
		width := 8 << (kind - 0xD0)
		return int64(d.number(width/8)<<(64-width)) >> (64 - width)
	case levels == 0:
		d.bad = true
		return nil
	}
	d.skip(kind, levels)
	return nil
}

// skip passes what is ignored: nil, arrays, maps.
func (d *decoder) skip(kind uint64, levels int) {
	count := uint64(0)
	switch {
	case kind == 0xC0:
	case kind&0xF0 == 0x90:
		count = kind & 15
	case kind&0xF0 == 0x80:
		count = 2 * (kind & 15)
	case kind == 0xDC || kind == 0xDD:
		count = d.number(int(2 << (kind - 0xDC)))
	case kind == 0xDE || kind == 0xDF:
		count = 2 * d.number(int(2<<(kind-0xDE)))
	default:
		d.bad = true
	}
	for ; count > 0 && !d.bad; count-- {
		d.value(levels - 1)
	}
}

var unescaped = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
var unquoted = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r", `\"`, `"`)

// messageOfLine reads a message of text: INVALID always is one.
func messageOfLine(line string) (Message, error) {
	command, rest, _ := strings.Cut(line, " ")
	out := Message{command[strings.LastIndexByte(command, '/')+1:], Params{}}
	for rest != "" {
		name, value, found := strings.Cut(rest, "=")
		if !found || name == "" || len(out.Params) > paramsMax {
			return Message{}, unreadable("a line with an unreadable parameter")
		}
		if !strings.HasPrefix(value, `"`) {
			value, rest, _ = strings.Cut(value, ";")
			out.Params[name] = unescaped.Replace(value)
			continue
		}
		end := 1
		for end < len(value) && (value[end] != '"' || value[end-1] == '\\') {
			end++
		}
		if end >= len(value) {
			return Message{}, unreadable("a line with a value without its last quote")
		}
		out.Params[name] = unquoted.Replace(value[1:end])
		rest = strings.TrimPrefix(value[end+1:], ";")
	}
	if out.Command == "" {
		return Message{}, unreadable("a line without a command")
	}
	return out, nil
}
