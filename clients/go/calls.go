package fastjournal

// What the typed calls have in common: how an answer becomes a record, several, or pages of them.

import (
	"context"
	"time"
)

// The answers where a list is empty.
var isNothing = map[string]bool{"NOTHING": true, "ALERTS": true, "BRANCHES": true}

// pageSize is how many each step of a call changes that goes on page by page.
const pageSize = 1000

// A group of commands of which the same is declared.
type declared struct {
	rule     rule
	commands []string
}

func rulesOf(groups ...declared) map[string]rule {
	out := map[string]rule{}
	for _, group := range groups {
		for _, command := range group.commands {
			out[command] = group.rule
		}
	}
	return out
}

// optionsOf are the options of a call, which may be left out.
func optionsOf[T any](given []T) (out T) {
	if len(given) > 0 {
		out = given[0]
	}
	return out
}

// Leased is what was found to work on: rows, messages or documents, or none and the date when there may be one (zero:
// the daemon knows of none).
type Leased[T any] struct {
	Items    []T
	NextDate time.Time
}

// Returned is the fate of a row or message that was given back or given up: "released" (it waits again, until
// ProcessDate), "dead" (it is on Queue, its dead letters), "parked" (it is kept for a person) or "deleted".
type Returned struct {
	Fate        string
	ProcessDate time.Time
	Queue       string
}

// oneOf is the answer of this name, which is the first.
func oneOf(ctx context.Context, c *Connection, command string, params Params, name string) (Params, error) {
	answer, err := c.request(ctx, command, params)
	return firstOf(answer, err, name)
}

// oneNumbered is oneOf for a put or a send.
func oneNumbered(ctx context.Context, c *Connection, command string, params Params, name string) (Params, error) {
	answer, err := c.requestNumbered(ctx, command, params)
	return firstOf(answer, err, name)
}

func firstOf(answer []Message, err error, name string) (Params, error) {
	if err != nil {
		return nil, err
	}
	if answer[0].Command != name {
		return nil, unexpected(answer[0], name)
	}
	return answer[0].Params, nil
}

// textOfAll is a text that is told in parts.
func textOfAll(ctx context.Context, c *Connection, command string, params Params, field string) (string, error) {
	answer, err := c.request(ctx, command, params)
	text := ""
	for _, message := range answer {
		text += message.Params.Text(field)
	}
	return text, err
}

// oneOrNone is nil where there is none.
func oneOrNone(ctx context.Context, c *Connection, command string, params Params, name string) (Params, error) {
	answer, err := c.request(ctx, command, params)
	switch {
	case CodeOf(err) == "not_found" || CodeOf(err) == "unknown_row":
		return nil, nil
	case err != nil:
		return nil, err
	case answer[0].Command == "NOTHING" || answer[0].Params.Text("result") == "absent":
		return nil, nil
	case answer[0].Command != name:
		return nil, unexpected(answer[0], name)
	}
	return answer[0].Params, nil
}

func leasedBy[T any](
	ctx context.Context, c *Connection, command string, params Params, name string, read func(Params) T,
) (Leased[T], error) {
	out := Leased[T]{}
	answer, err := c.request(ctx, command, params)
	for _, message := range answer {
		switch message.Command {
		case name:
			out.Items = append(out.Items, read(message.Params))
		case "NOTHING":
			out.NextDate = message.Params.Time("next_date")
		case ruleOf(command).doneBefore:
		default:
			return out, unexpected(message, name)
		}
	}
	return out, err
}

func returnedBy(ctx context.Context, c *Connection, command string, params Params) (Returned, error) {
	answer, err := c.request(ctx, command, params)
	if err != nil {
		return Returned{}, err
	}
	fates := map[string]string{"RELEASED": "released", "DEAD": "dead", "PARKED": "parked", "DELETED": "deleted"}
	fate, known := fates[answer[0].Command]
	if !known {
		return Returned{}, unexpected(answer[0], "RELEASED, DEAD, PARKED or DELETED")
	}
	said := answer[0].Params
	return Returned{fate, said.Time("process_date"), said.Text("queue")}, nil
}

// addedBy goes on page by page until there is no more, or `most` are done (0: all).
func addedBy(
	ctx context.Context, c *Connection, command string, params Params, field string, most int64,
) (int64, error) {
	done := int64(0)
	for {
		count := int64(pageSize)
		if most > 0 && most-done < count {
			count = most - done
		}
		params["count"] = count
		answer, err := c.request(ctx, command, params)
		if err != nil {
			return done, err
		}
		said := answer[0].Params
		done += said.Int(field)
		hasMore := goesOn(params, said) || said.Bool("more")
		if !hasMore || most > 0 && done >= most {
			return done, nil
		}
	}
}

// goesOn says where the next page begins; false: nowhere.
func goesOn(params, last Params) bool {
	found := false
	for _, name := range []string{"after", "after_binary"} {
		delete(params, name)
		if value := last[name]; value != nil {
			params[name] = value
			found = true
		}
	}
	// The pages of a TIMELINE are of one moment.
	params.setValue("now", last["now"])
	return found
}

// Pages are records of a list, which is asked for page by page, while Next is called; it may change meanwhile.
//
//	for pages := jobs.List(); pages.Next(ctx); {
//		row := pages.Value()
//	}
type Pages[T any] struct {
	connection *Connection
	command    string
	params     Params
	name       string
	read       func(Params) T
	page       []T
	at         int
	isLast     bool
	err        error
}

func pagesOf[T any](c *Connection, command string, params Params, name string, read func(Params) T) *Pages[T] {
	return &Pages[T]{connection: c, command: command, params: params, name: name, read: read, at: -1}
}

func failedPages[T any](err error) *Pages[T] { return &Pages[T]{err: err, isLast: true} }

// Next goes to the next record. It is false after the last one, and after an error.
func (p *Pages[T]) Next(ctx context.Context) bool {
	for p.at++; p.at >= len(p.page); {
		if p.isLast {
			return false
		}
		answer, err := p.connection.request(ctx, p.command, p.params)
		p.page, p.at, p.err = nil, 0, err
		for _, message := range answer {
			if message.Command == p.name {
				p.page = append(p.page, p.read(message.Params))
			} else if !isNothing[message.Command] {
				p.err = unexpected(message, p.name+" or NOTHING")
			}
		}
		p.isLast = p.err != nil || !goesOn(p.params, answer[len(answer)-1].Params)
	}
	return true
}

// Value is the record to which Next went.
func (p *Pages[T]) Value() T { return p.page[p.at] }

// Err is why Next ended; nil: all were shown.
func (p *Pages[T]) Err() error { return p.err }

// All are all records from the next one on.
func (p *Pages[T]) All(ctx context.Context) ([]T, error) {
	var out []T
	for p.Next(ctx) {
		out = append(out, p.Value())
	}
	return out, p.err
}
