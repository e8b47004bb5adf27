package fastjournal

import (
	"errors"
	"fmt"
)

// Error is a refusal by the daemon, or a failure of the client.
type Error struct {
	// Code is a word of the table of codes in doc/protocol.md, section 7, such as "paused" or "stale_epoch". Codes may
	// be added.
	Code string
	// Message is a sentence for people.
	Message string
	// Facts are the other parameters of the daemon's ERROR, such as "parameter", "holder", "epoch".
	Facts Params

	cause error
}

func (e *Error) Error() string { return e.Message + " (" + e.Code + ")" }

// Unwrap has the error of the context that ended a call.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf is the code of an Error; of another error it is empty.
func CodeOf(err error) string {
	var found *Error
	if errors.As(err, &found) {
		return found.Code
	}
	return ""
}

// GiveUp says, returned by the function of a worker, that this can never succeed: it is given up at once (FAIL,
// REJECT).
func GiveUp(why error) error { return &givenUp{why} }

type givenUp struct{ why error }

func (g *givenUp) Error() string { return g.why.Error() }
func (g *givenUp) Unwrap() error { return g.why }

func failure(code, format string, words ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, words...), Facts: Params{}}
}

// isOutage says whether an error is of the connection, and not of the command.
func isOutage(err error) bool {
	code := CodeOf(err)
	return code == "closed" || code == "unavailable" || code == "timed_out"
}

// refusalOf has ERROR, UNKNOWN and INVALID as an Error; of all other messages nil.
func refusalOf(m Message) *Error {
	switch m.Command {
	case "ERROR":
		out := failure("not_supported", "%s", m.Params.Text("message"))
		for name, value := range m.Params {
			switch name {
			case "code":
				out.Code = m.Params.Text("code")
			case "message", "left", "request":
			default:
				out.Facts[name] = value
			}
		}
		return out
	case "UNKNOWN":
		return failure("unknown_command", "the daemon knows no command %s", m.Params.Text("command"))
	case "INVALID":
		out := failure("invalid", "the daemon could not read the message: %s", m.Params.Text("message"))
		if code := m.Params.Text("code"); code != "" {
			out.Code = code
		}
		return out
	}
	return nil
}

func unexpected(m Message, wanted string) *Error {
	return failure("invalid", "the daemon answered %s where %s was expected", m.Command, wanted)
}
