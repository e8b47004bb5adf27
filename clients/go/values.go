package fastjournal

import (
	"strconv"
	"strings"
	"time"
)

// Params are the parameters of a message by their names. A value is a string, []byte, bool, an integer or a float of
// any width, or a Date; nil is an absent one. In messages of the daemon integers are int64, or uint64 above its
// range, floats are float64, and columns of the type buffer are []byte.
type Params map[string]any

// Columns are the columns of a row by their names; values are those of Params.
type Columns = map[string]any

// Message is a message of the daemon. "request" and "left" are not among its parameters.
type Message struct {
	Command string
	Params  Params
}

// Optional is an option for which zero would mean something else than to leave it out. Int and Bool make one, or Of.
type Optional[T any] struct {
	value T
	given bool
}

// Of gives a value to an option.
func Of[T any](value T) Optional[T] { return Optional[T]{value, true} }

// Int gives a number to an option.
func Int(value int64) Optional[int64] { return Of(value) }

// Bool gives yes or no to an option.
func Bool(value bool) Optional[bool] { return Of(value) }

// Date is a moment as a message has it: milliseconds since 1970, or "+N", N milliseconds from when the daemon reads it.
// Empty: absent. At and In make one.
type Date string

// At is this moment.
func At(moment time.Time) Date { return Date(strconv.FormatInt(moment.UnixMilli(), 10)) }

// In is so long from the moment when the daemon reads it.
func In(span time.Duration) Date {
	if span < 0 {
		span = 0
	}
	return Date("+" + strconv.FormatInt(span.Milliseconds(), 10))
}

// Text is a parameter as text; empty if it is absent.
func (p Params) Text(name string) string { return textOf(p[name]) }

func textOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []byte:
		return string(value)
	case int64:
		return strconv.FormatInt(value, 10)
	case uint64:
		return strconv.FormatUint(value, 10)
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64)
	case bool:
		if value {
			return "1"
		}
		return "0"
	}
	return ""
}

// Int is a parameter as an integer; 0 if it is absent or none.
func (p Params) Int(name string) int64 {
	switch value := p[name].(type) {
	case int64:
		return value
	case int:
		return int64(value)
	case bool:
		if value {
			return 1
		}
	case string:
		number, _ := strconv.ParseInt(value, 10, 64)
		return number
	}
	return 0
}

// Bool is a parameter as yes or no.
func (p Params) Bool(name string) bool { return p.Int(name) != 0 }

// Time is a parameter as a moment; the zero time if it is absent or 0.
func (p Params) Time(name string) time.Time {
	if ms := p.Int(name); ms != 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// Span is a parameter as a duration.
func (p Params) Span(name string) time.Duration { return time.Duration(p.Int(name)) * time.Millisecond }

// Content is a parameter that is text or bytes: a string, []byte, or nil.
func (p Params) Content(name string) any {
	if value, found := p[name]; found {
		return value
	}
	return p[name+"_binary"]
}

// Words are those between the blanks of a parameter.
func (p Params) Words(name string) []string { return strings.Fields(p.Text(name)) }

// Raw is a parameter as bytes; nil if it is absent.
func (p Params) Raw(name string) []byte {
	if value, isBytes := p[name].([]byte); isBytes {
		return value
	}
	if p[name] == nil {
		return nil
	}
	return []byte(p.Text(name))
}

// columnsBut are the parameters of a row other than these, and than those that a notice has besides.
func (p Params) columnsBut(names string) Columns {
	out := Columns{}
	for name, value := range p {
		out[name] = value
	}
	for _, name := range strings.Fields(names + " domain omitted") {
		delete(out, name)
	}
	return out
}

// The setters of generated calls: they leave out what was not given.

func (p Params) setText(name, value string) {
	if value != "" {
		p[name] = value
	}
}

func (p Params) setInt(name string, value int64) {
	if value != 0 {
		p[name] = value
	}
}

func (p Params) setFlag(name string, value bool) {
	if value {
		p[name] = 1
	}
}

func (p Params) setSpan(name string, value time.Duration) {
	if value != 0 {
		p[name] = millisecondsOf(value)
	}
}

func (p Params) setDate(name string, value Date) {
	if value != "" {
		p[name] = string(value)
	}
}

func (p Params) setValue(name string, value any) {
	if value != nil {
		p[name] = value
	}
}

func (p Params) setRaw(name string, value []byte) {
	if value != nil {
		p[name] = value
	}
}

func (p Params) setWords(name string, words []string) {
	if len(words) > 0 {
		p[name] = strings.Join(words, " ")
	}
}

// setContent gives text by its name, and bytes by NAME_binary.
func (p Params) setContent(name string, value any) {
	switch value := value.(type) {
	case nil:
	case []byte:
		p[name+"_binary"] = value
	default:
		p[name] = value
	}
}

func setOptional[T any](p Params, name string, value Optional[T]) {
	if !value.given {
		return
	}
	switch value := any(value.value).(type) {
	case bool:
		p[name] = 0
		if value {
			p[name] = 1
		}
	case time.Duration:
		p[name] = millisecondsOf(value)
	default:
		p[name] = value
	}
}

// millisecondsOf is a duration as a message has it: whole milliseconds, at least one of what is more than none.
func millisecondsOf(span time.Duration) int64 {
	if span > 0 && span < time.Millisecond {
		return 1
	}
	return span.Milliseconds()
}

// columnsOf are the parameters of a command about columns, without absent ones. Names that are the client's are
// refused.
func columnsOf(columns Columns) (Params, error) {
	out := make(Params, len(columns)+8)
	for name, value := range columns {
		switch name {
		case "table", "request", "client", "sequence":
			return nil, failure("bad_parameter", "a row has no column with this name: %s", name)
		}
		if value != nil {
			out[name] = value
		}
	}
	return out, nil
}

// cut is the beginning of a text, at most so many bytes, cut at a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most]
}
