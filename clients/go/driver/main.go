// The client for Go as a driver of tests/conformance (README.md there).
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"fastjournal"
)

type values = map[string]any

// A byte that stands for itself.
func isPlain(one byte) bool {
	return one >= 'A' && one <= 'Z' || one >= 'a' && one <= 'z' || one >= '0' && one <= '9' ||
		strings.IndexByte("_.:/+-", one) >= 0
}

func escaped(text string) string {
	var out strings.Builder
	for at := 0; at < len(text); at++ {
		if isPlain(text[at]) {
			out.WriteByte(text[at])
		} else {
			fmt.Fprintf(&out, "%%%02X", text[at])
		}
	}
	return out.String()
}

func unescaped(text string) string {
	var out strings.Builder
	for at := 0; at < len(text); at++ {
		if text[at] != '%' {
			out.WriteByte(text[at])
			continue
		}
		bytes, _ := hex.DecodeString(text[at+1 : at+3])
		out.Write(bytes)
		at += 2
	}
	return out.String()
}

func valueText(value any) string {
	switch value := value.(type) {
	case string:
		return "t:" + escaped(value)
	case []byte:
		return "b:" + escaped(string(value))
	case bool:
		return map[bool]string{true: "f:1", false: "f:0"}[value]
	case float64:
		return "r:" + strconv.FormatFloat(value, 'g', -1, 64)
	case uint64:
		if value > math.MaxInt64 {
			return "u:" + strconv.FormatUint(value, 10)
		}
	case time.Time:
		if value.IsZero() {
			return "i:0"
		}
		return "i:" + strconv.FormatInt(value.UnixMilli(), 10)
	}
	return fmt.Sprintf("i:%d", value)
}

func valueOf(text string) any {
	spelled := unescaped(text[2:])
	switch text[0] {
	case 'b':
		return []byte(spelled)
	case 'f':
		return spelled == "1"
	case 'r':
		out, _ := strconv.ParseFloat(spelled, 64)
		return out
	case 'i':
		out, _ := strconv.ParseInt(spelled, 10, 64)
		return out
	case 'u':
		out, _ := strconv.ParseUint(spelled, 10, 64)
		return out
	}
	return spelled
}

func split(line string) (string, values) {
	words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	out := values{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		out[unescaped(name)] = valueOf(value)
	}
	return words[0], out
}

// A driver has one connection.
type driver struct {
	in         *bufio.Reader
	out        *bufio.Writer
	connection *fastjournal.Connection
	listeners  map[string]*fastjournal.Listener
	notices    chan fastjournal.Notice
}

func (d *driver) say(verb string, params values) {
	d.out.WriteString(verb)
	names := []string{}
	for name := range params {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(d.out, "\t%s=%s", escaped(name), valueText(params[name]))
	}
	d.out.WriteByte('\n')
}

// Parameters of a command, which are taken out of the line as they are used.
func take[T any](params values, name string) (out T) {
	out, _ = params[name].(T)
	delete(params, name)
	return out
}

func optional(params values, name string) (out fastjournal.Optional[int64]) {
	if value, found := params[name].(int64); found {
		out = fastjournal.Int(value)
	}
	delete(params, name)
	return out
}

func span(params values, name string) time.Duration {
	return time.Duration(take[int64](params, name)) * time.Millisecond
}

func date(params values, name string) fastjournal.Date {
	value, found := params[name]
	delete(params, name)
	if !found {
		return ""
	}
	return fastjournal.Date(fmt.Sprint(value))
}

func shown(row fastjournal.Row) values {
	out := values{}
	for name, value := range row.Columns {
		out[name] = value
	}
	for name, value := range (values{
		"table": row.Table, "row": row.Row, "epoch": row.Epoch, "priority": row.Priority, "timeouts": row.Timeouts,
		"attempts": row.Attempts, "process_date": row.ProcessDate, "insertion_date": row.InsertionDate,
		"lease_end": row.LeaseEnd,
	}) {
		out[name] = value
	}
	return out
}

func shownMessage(message fastjournal.QueueMessage) values {
	out := values{
		"table": message.Table, "message": message.Message, "epoch": message.Epoch, "queue": message.Queue,
		"priority": message.Priority, "deliveries": message.Deliveries, "routing_key": message.RoutingKey,
		"dead_of": message.DeadOf, "redelivered": 0, "properties": message.Properties, "lease_end": message.LeaseEnd,
	}
	if message.Redelivered {
		out["redelivered"] = 1
	}
	if message.Body != nil {
		out["body"] = message.Body
	} else if message.Bytes == 0 {
		out["body"] = ""
	}
	return out
}

func leased(params values) fastjournal.Row {
	return fastjournal.Row{Row: take[int64](params, "row"), Epoch: take[int64](params, "epoch")}
}

func held(params values) fastjournal.QueueMessage {
	return fastjournal.QueueMessage{Message: take[int64](params, "message"), Epoch: take[int64](params, "epoch")}
}

func (d *driver) listen(ctx context.Context, table string, options fastjournal.ListenOptions) error {
	listener, err := d.connection.Listen(ctx, table, options)
	if err != nil {
		return err
	}
	d.listeners[table] = listener
	go func() {
		for {
			notice, err := listener.Next(context.Background())
			if err != nil {
				return
			}
			d.notices <- notice
		}
	}()
	return nil
}

// wait is for the next notice of any listener.
func (d *driver) wait(limit time.Duration) (fastjournal.Notice, error) {
	select {
	case notice := <-d.notices:
		return notice, nil
	case <-time.After(limit):
		return fastjournal.Notice{}, &fastjournal.Error{Code: "timed_out", Message: "no notice"}
	}
}

func (d *driver) act(verb string, params values) (values, error) {
	ctx := context.Background()
	table, _ := params["table"].(string)
	switch verb {
	case "open":
		var err error
		server, token := take[string](params, "server"), take[string](params, "token")
		d.connection, err = fastjournal.Connect(ctx, server, fastjournal.Options{Token: token})
		return nil, err
	case "call":
		messages, err := d.connection.Call(ctx, take[string](params, "command"), params)
		for _, message := range messages {
			message.Params["command"] = message.Command
			d.say("message", message.Params)
		}
		return nil, err
	case "listen":
		return nil, d.listen(ctx, table, fastjournal.ListenOptions{
			Mode: take[string](params, "mode"), Credit: take[int64](params, "credit"),
			Domain: take[string](params, "domain"),
		})
	case "follow":
		return nil, d.listen(ctx, table, fastjournal.ListenOptions{
			Mode: "deliver", Credit: take[int64](params, "credit"), Queue: take[string](params, "queue"),
		})
	case "unlisten":
		return nil, d.listeners[table].Close(ctx)
	case "wait":
		notice, err := d.wait(span(params, "limit"))
		out := values{"ready": notice.Ready, "missed": notice.Missed}
		if notice.Row.Row != 0 {
			out = shown(notice.Row)
		}
		out["kind"], out["table"] = notice.Kind, notice.Table
		return out, err
	case "wait_message":
		notice, err := d.wait(span(params, "limit"))
		out := shownMessage(notice.QueueMessage)
		out["kind"] = notice.Kind
		return out, err
	case "send", "acquire", "accept", "renew", "give_back", "reject":
		delete(params, "table")
		return d.ofQueues(ctx, d.connection.Queues(table), verb, params)
	}
	delete(params, "table")
	return d.ofJournal(ctx, d.connection.Journal(table), verb, params)
}

func (d *driver) ofJournal(
	ctx context.Context, journal *fastjournal.Journal, verb string, params values,
) (values, error) {
	switch verb {
	case "put":
		options := fastjournal.JournalPutOptions{
			Priority: optional(params, "priority"), ProcessDate: date(params, "process_date"),
			ExpirationDate: date(params, "expiration_date"), InsertionDate: date(params, "insertion_date"),
			Client: take[string](params, "client"), Sequence: optional(params, "sequence"),
		}
		put, err := journal.Put(ctx, params, options)
		return values{"result": put.Result, "row": put.Row}, err
	case "many":
		rows := []fastjournal.Columns{}
		for range make([]struct{}, take[int64](params, "rows")) {
			line, err := d.in.ReadString('\n')
			if err != nil {
				return nil, err
			}
			_, row := split(line)
			rows = append(rows, row)
		}
		onRefused := func(index int, _ fastjournal.Columns, why error) {
			d.say("refused", values{"index": index, "code": fastjournal.CodeOf(why)})
		}
		counts, err := journal.PutMany(ctx, fastjournal.EachOf(rows), fastjournal.PutManyOptions{OnRefused: onRefused})
		return values{
			"inserted": counts.Inserted, "merged": counts.Merged, "behind": counts.Behind, "duplicate": counts.Duplicate,
			"stale": counts.Stale, "refused": counts.Refused,
		}, err
	case "next":
		found, err := journal.Next(ctx, fastjournal.JournalNextOptions{
			Count: take[int64](params, "count"), Wait: span(params, "wait"), Lease: span(params, "lease"),
			Domain: take[string](params, "domain"), Worker: take[string](params, "worker"),
		})
		d.sayRows(found.Items)
		return nil, err
	case "touch":
		end, err := journal.Touch(ctx, leased(params), fastjournal.JournalTouchOptions{Lease: span(params, "lease")})
		return values{"lease_end": end}, err
	case "done":
		return nil, journal.Done(ctx, leased(params))
	case "done_next":
		found, err := journal.DoneAndNext(ctx, leased(params))
		d.sayRows(found.Items)
		return nil, err
	case "release":
		options := fastjournal.JournalReleaseOptions{Error: take[string](params, "error")}
		if _, given := params["delay"]; given {
			options.ProcessDate = fastjournal.In(span(params, "delay"))
		}
		returned, err := journal.Release(ctx, leased(params), options)
		return values{"fate": returned.Fate}, err
	case "fail":
		returned, err := journal.Fail(ctx, leased(params), take[string](params, "error"))
		return values{"fate": returned.Fate}, err
	case "why":
		options := fastjournal.JournalWhyOptions{Row: optional(params, "row")}
		pages := journal.Why(params, options)
		for pages.Next(ctx) {
			reason := pages.Value()
			d.say("message", given(values{
				"command": "REASON", "state": reason.State, "text": reason.Text, "row": reason.Row,
				"epoch": reason.Epoch, "attempts": reason.Attempts, "failures": reason.Failures, "error": reason.Error,
				"held_by": reason.HeldBy, "worker": reason.Worker, "by": reason.By, "reason": reason.Reason,
			}))
		}
		return nil, pages.Err()
	}
	return nil, fmt.Errorf("no verb %s", verb)
}

// given are the values of a record that are there: absent ones are zero.
func given(record values) values {
	for name, value := range record {
		if value == "" || value == int64(0) {
			delete(record, name)
		}
	}
	return record
}

func (d *driver) sayRows(rows []fastjournal.Row) {
	for _, row := range rows {
		d.say("row", shown(row))
	}
}

func (d *driver) ofQueues(
	ctx context.Context, queues *fastjournal.Queues, verb string, params values,
) (values, error) {
	switch verb {
	case "send":
		var sent fastjournal.Sent
		var err error
		if exchange, given := params["exchange"].(string); given {
			sent, err = queues.Publish(ctx, exchange, take[string](params, "routing_key"), params["body"],
				fastjournal.QueuePublishOptions{
					Priority: optional(params, "priority"), ProcessDate: date(params, "process_date"),
					ExpirationDate: date(params, "expiration_date"), Properties: take[string](params, "properties"),
					Client: take[string](params, "client"), Sequence: optional(params, "sequence"),
				})
		} else {
			sent, err = queues.Send(ctx, take[string](params, "queue"), params["body"],
				fastjournal.QueueSendOptions{
					Priority: optional(params, "priority"), ProcessDate: date(params, "process_date"),
					ExpirationDate: date(params, "expiration_date"), Properties: take[string](params, "properties"),
					Client: take[string](params, "client"), Sequence: optional(params, "sequence"),
				})
		}
		return values{"result": sent.Result, "message": sent.Message, "queues": sent.Queues}, err
	case "acquire":
		found, err := queues.Acquire(ctx, fastjournal.QueueAcquireOptions{
			Queue: take[string](params, "queue"), Count: take[int64](params, "count"), Wait: span(params, "wait"),
			Lease: span(params, "lease"), Accept: take[int64](params, "accept") == 1,
			Worker: take[string](params, "worker"),
		})
		for _, message := range found.Items {
			d.say("row", shownMessage(message))
		}
		return nil, err
	case "accept":
		return nil, queues.Accept(ctx, held(params))
	case "renew":
		end, err := queues.Touch(ctx, held(params), fastjournal.QueueTouchOptions{Lease: span(params, "lease")})
		return values{"lease_end": end}, err
	case "give_back":
		returned, err := queues.Release(ctx, held(params),
			fastjournal.QueueReleaseOptions{Error: take[string](params, "error")})
		return values{"fate": returned.Fate}, err
	case "reject":
		returned, err := queues.Reject(ctx, held(params), take[string](params, "error"))
		return values{"fate": returned.Fate}, err
	}
	return nil, fmt.Errorf("no verb %s", verb)
}

func main() {
	d := &driver{
		in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout), notices: make(chan fastjournal.Notice, 1024),
		listeners: map[string]*fastjournal.Listener{},
	}
	for {
		line, err := d.in.ReadString('\n')
		if err == io.EOF {
			return
		}
		verb, params := split(line)
		out, err := d.act(verb, params)
		var why *fastjournal.Error
		switch {
		case err == nil:
			d.say("ok", out)
		case errors.As(err, &why):
			said := values{"code": why.Code, "text": why.Message}
			for name, value := range why.Facts {
				said["fact."+name] = value
			}
			d.say("error", said)
		default:
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		d.out.Flush()
	}
}
