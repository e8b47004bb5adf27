// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.

package fastjournal

import (
	"context"
	"time"
)

// Queues has the calls of a queue table on a connection. Message queues: named queues, exchanges that route to them,
// messages that are acquired and accepted, all of it transactional.
type Queues struct {
	connection *Connection
	table      string
}

// Queues has the calls of a queue table.
func (c *Connection) Queues(table string) *Queues { return &Queues{c, table} }

// QueueSendOptions are the options of Queues.Send.
type QueueSendOptions struct {
	// what goes with it: an object in JSON, which is given back as it came (at most 65536 bytes)
	Properties string
	// the messages of one group on a queue are handed out one at a time, in the order of their numbers (at most 128
	// bytes)
	Group string
	// the smallest is first; up to 255, unless the table says otherwise by priorities (0 to 4294967295; 100 if absent)
	Priority Optional[int64]
	// how long its consumers may take unless they say otherwise; as the queue says if absent (1 to 31536000000 ms)
	Lease time.Duration
	// not to be handed out before; now if absent
	ProcessDate Date
	// not to be handed out from then on; 0 or absent: as the queue says
	ExpirationDate Date
	// with queue: a further message with the same text, sent to this queue within five minutes of the first one, is not
	// stored; the answer has the number of the first one (at most 128 bytes)
	Deduplication string
	// the producer's name for this start of it; with sequence: resent messages are there once (at most 128 bytes)
	Client string
	// the number of this message by this client
	Sequence Optional[int64]
}

// Send puts a message on a queue, or by an exchange on each queue that it routes to. queue: the queue; or else
// exchange (at most 255 bytes). body: the message, as text (string or []byte).
func (t *Queues) Send(ctx context.Context, queue string, body any, options ...QueueSendOptions) (Sent, error) {
	params := Params{"table": t.table}
	params.setText("queue", queue)
	params.setContent("body", body)
	o := optionsOf(options)
	params.setText("properties", o.Properties)
	params.setText("group", o.Group)
	setOptional(params, "priority", o.Priority)
	params.setSpan("lease", o.Lease)
	params.setDate("process_date", o.ProcessDate)
	params.setDate("expiration_date", o.ExpirationDate)
	params.setText("deduplication", o.Deduplication)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "SEND", params, "SENT")
	if err != nil {
		return Sent{}, err
	}
	return sentOf(p), nil
}

// QueuePublishOptions are the options of Queues.Publish.
type QueuePublishOptions struct {
	// what goes with it: an object in JSON, which is given back as it came (at most 65536 bytes)
	Properties string
	// the messages of one group on a queue are handed out one at a time, in the order of their numbers (at most 128
	// bytes)
	Group string
	// the smallest is first; up to 255, unless the table says otherwise by priorities (0 to 4294967295; 100 if absent)
	Priority Optional[int64]
	// how long its consumers may take unless they say otherwise; as the queue says if absent (1 to 31536000000 ms)
	Lease time.Duration
	// not to be handed out before; now if absent
	ProcessDate Date
	// not to be handed out from then on; 0 or absent: as the queue says
	ExpirationDate Date
	// true: refused if the exchange routes it to no queue; false: then it is dropped, and the answer says so. 1 for a
	// direct exchange if absent, else 0
	Mandatory Optional[bool]
	// the producer's name for this start of it; with sequence: resent messages are there once (at most 128 bytes)
	Client string
	// the number of this message by this client
	Sequence Optional[int64]
}

// Publish sends a message to the queues that the exchange routes it to. exchange: the exchange that routes it (at
// most 255 bytes). routingKey: what a direct or topic exchange routes by: words between dots (at most 255 bytes).
// body: the message, as text (string or []byte).
func (t *Queues) Publish(
	ctx context.Context, exchange string, routingKey string, body any, options ...QueuePublishOptions,
) (Sent, error) {
	params := Params{"table": t.table}
	params.setText("exchange", exchange)
	params.setText("routing_key", routingKey)
	params.setContent("body", body)
	o := optionsOf(options)
	params.setText("properties", o.Properties)
	params.setText("group", o.Group)
	setOptional(params, "priority", o.Priority)
	params.setSpan("lease", o.Lease)
	params.setDate("process_date", o.ProcessDate)
	params.setDate("expiration_date", o.ExpirationDate)
	setOptional(params, "mandatory", o.Mandatory)
	params.setText("client", o.Client)
	setOptional(params, "sequence", o.Sequence)
	p, err := oneNumbered(ctx, t.connection, "SEND", params, "SENT")
	if err != nil {
		return Sent{}, err
	}
	return sentOf(p), nil
}

// QueueAcquireOptions are the options of Queues.Acquire.
type QueueAcquireOptions struct {
	// the queue; of any by turns if absent (at most 255 bytes)
	Queue string
	// several of them, between blanks, 256 at most, in place of queue: the first message of all of them, by priority,
	// then in the order of one queue, without turns (at most 4096 bytes)
	Queues string
	// how many messages at most (1 to 1024; 1 if absent)
	Count int64
	// how long the consumer may take; if absent, as the message or its queue says (processing-timeout-min to
	// processing-timeout-max; processing-timeout if absent)
	Lease time.Duration
	// how long to wait for a message when there is none; needs request (0 to 31536000000 ms; 0 if absent)
	Wait time.Duration
	// true: they are gone with the answer, without lease and ACCEPT: at most once
	Accept bool
	// the consumer's name, for people; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// Acquire hands out the next messages of a queue, each to one consumer until it ends its lease.
func (t *Queues) Acquire(ctx context.Context, options ...QueueAcquireOptions) (Leased[QueueMessage], error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("queue", o.Queue)
	params.setText("queues", o.Queues)
	params.setInt("count", o.Count)
	params.setSpan("lease", o.Lease)
	params.setSpan("wait", o.Wait)
	params.setFlag("accept", o.Accept)
	params.setText("worker", o.Worker)
	return leasedBy(ctx, t.connection, "ACQUIRE", params, "MESSAGE", queueMessageOf)
}

// QueueAcquireMessageOptions are the options of Queues.AcquireMessage.
type QueueAcquireMessageOptions struct {
	// how long the consumer may take; if absent, as the message or its queue says (processing-timeout-min to
	// processing-timeout-max; processing-timeout if absent)
	Lease time.Duration
	// the consumer's name, for people; peer address and connection if absent (at most 256 bytes)
	Worker string
}

// AcquireMessage hands out this message, also before its date, parked, or on a paused queue. message: this message
// alone, in place of queue: also before its date, which is now then, parked, or on a paused queue.
func (t *Queues) AcquireMessage(
	ctx context.Context, message int64, options ...QueueAcquireMessageOptions,
) (Leased[QueueMessage], error) {
	params := Params{"table": t.table}
	params.setInt("message", message)
	o := optionsOf(options)
	params.setSpan("lease", o.Lease)
	params.setText("worker", o.Worker)
	return leasedBy(ctx, t.connection, "ACQUIRE", params, "MESSAGE", queueMessageOf)
}

// QueueTouchOptions are the options of Queues.Touch.
type QueueTouchOptions struct {
	// how long from now (processing-timeout-min to processing-timeout-max; processing-timeout if absent)
	Lease time.Duration
	// the consumer's name, for people (at most 256 bytes)
	Worker string
}

// Touch renews a lease, and takes it over on a new connection.
func (t *Queues) Touch(ctx context.Context, message QueueMessage, options ...QueueTouchOptions) (time.Time, error) {
	params := Params{"table": t.table}
	params["message"] = message.Message
	params["epoch"] = message.Epoch
	o := optionsOf(options)
	params.setSpan("lease", o.Lease)
	params.setText("worker", o.Worker)
	p, err := oneOf(ctx, t.connection, "TOUCH", params, "TOUCHED")
	if err != nil {
		return time.Time{}, err
	}
	return p.Time("lease_end"), nil
}

// Accept: the message is dealt with: it leaves its queue.
func (t *Queues) Accept(ctx context.Context, message QueueMessage) error {
	params := Params{"table": t.table}
	params["message"] = message.Message
	params["epoch"] = message.Epoch
	_, err := t.connection.request(ctx, "ACCEPT", params)
	return err
}

// QueueReleaseOptions are the options of Queues.Release.
type QueueReleaseOptions struct {
	// when it may be handed out again; if absent: at once, or after the back-off of a failed delivery
	ProcessDate Date
	// its new priority, as in SEND; it keeps the old one if absent (0 to 4294967295)
	Priority Optional[int64]
	// what went wrong, for people. Makes it a failed delivery (1024 bytes are kept)
	Error string
	// where it went wrong, as a traceback, for people. Makes it a failed delivery (65536 bytes are kept)
	ErrorTrace string
	// true: a failed delivery, also without error; false: none, also with one
	Failed Optional[bool]
}

// Release gives a message back to its place in the queue, as redelivered. With an error it is a failed delivery:
// after the last one it is dead.
func (t *Queues) Release(
	ctx context.Context, message QueueMessage, options ...QueueReleaseOptions,
) (Returned, error) {
	params := Params{"table": t.table}
	params["message"] = message.Message
	params["epoch"] = message.Epoch
	o := optionsOf(options)
	params.setDate("process_date", o.ProcessDate)
	setOptional(params, "priority", o.Priority)
	params.setText("error", cut(o.Error, 1024))
	params.setText("error_trace", cut(o.ErrorTrace, 65536))
	setOptional(params, "failed", o.Failed)
	return returnedBy(ctx, t.connection, "RELEASE", params)
}

// QueueRejectOptions are the options of Queues.Reject.
type QueueRejectOptions struct {
	// where it went wrong, as a traceback, for people (65536 bytes are kept)
	ErrorTrace string
}

// Reject: the message can never be dealt with: it goes to the queue's dead letters at once, or is parked where there
// are none. why: why, for people (1024 bytes are kept).
func (t *Queues) Reject(
	ctx context.Context, message QueueMessage, why string, options ...QueueRejectOptions,
) (Returned, error) {
	params := Params{"table": t.table}
	params["message"] = message.Message
	params["epoch"] = message.Epoch
	params.setText("error", cut(why, 1024))
	o := optionsOf(options)
	params.setText("error_trace", cut(o.ErrorTrace, 65536))
	return returnedBy(ctx, t.connection, "REJECT", params)
}

// QueueParkOptions are the options of Queues.Park.
type QueueParkOptions struct {
	// its new priority, as in SEND; it keeps the old one if absent (0 to 4294967295)
	Priority Optional[int64]
	// why, for people (1024 bytes are kept)
	Error string
	// where it went wrong, as a traceback, for people (65536 bytes are kept)
	ErrorTrace string
}

// Park puts a message aside: it stays on its queue, parked, until somebody kicks, moves or removes it. No failed
// delivery is counted.
func (t *Queues) Park(ctx context.Context, message QueueMessage, options ...QueueParkOptions) (Returned, error) {
	params := Params{"table": t.table}
	params["message"] = message.Message
	params["epoch"] = message.Epoch
	o := optionsOf(options)
	setOptional(params, "priority", o.Priority)
	params.setText("error", cut(o.Error, 1024))
	params.setText("error_trace", cut(o.ErrorTrace, 65536))
	return returnedBy(ctx, t.connection, "PARK", params)
}

// QueueBrowseOptions are the options of Queues.Browse.
type QueueBrowseOptions struct {
	// of this queue only (at most 255 bytes)
	Queue string
	// in this state only: waiting, due, behind, acquired, parked
	Status string
	// true: with their bodies
	Body bool
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Browse shows messages of a queue by their number, without taking them, a page at a time; the last message has
// `after` if there is more to look at.
func (t *Queues) Browse(options ...QueueBrowseOptions) *Pages[QueueMessage] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("queue", o.Queue)
	params.setText("status", o.Status)
	params.setFlag("body", o.Body)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "BROWSE", params, "MESSAGE", queueMessageOf)
}

// QueueCountOptions are the options of Queues.Count.
type QueueCountOptions struct {
	// of this queue only (at most 255 bytes)
	Queue string
	// in this state only: waiting, due, behind, acquired, parked
	Status string
	// so many in all (all if absent)
	Count int64
}

// Count: how many messages of a queue, or of the table, are in a state, counted page by page.
func (t *Queues) Count(ctx context.Context, options ...QueueCountOptions) (int64, error) {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("queue", o.Queue)
	params.setText("status", o.Status)
	return addedBy(ctx, t.connection, "COUNT", params, "count", o.Count)
}

// QueueReadOptions are the options of Queues.Read.
type QueueReadOptions struct {
	// from this byte of the body on (0 if absent)
	Offset int64
	// so many bytes of it at most; with offset or length the body comes as bytes
	Length Optional[int64]
}

// Read shows one message, or a part of its body. message: the message's number.
func (t *Queues) Read(ctx context.Context, message int64, options ...QueueReadOptions) (QueueMessage, error) {
	params := Params{"table": t.table}
	params["message"] = message
	o := optionsOf(options)
	params.setInt("offset", o.Offset)
	setOptional(params, "length", o.Length)
	p, err := oneOf(ctx, t.connection, "READ", params, "MESSAGE")
	if err != nil {
		return QueueMessage{}, err
	}
	return queueMessageOf(p), nil
}

// QueuePeekOptions are the options of Queues.Peek.
type QueuePeekOptions struct {
	// in this state; due if absent, also where the queue is paused: due, waiting, behind, parked
	Status string
}

// Peek shows the first message of a queue in a state, without taking it: the one that would be handed out, come to
// its date, or be kicked next. queue: the queue (at most 255 bytes).
func (t *Queues) Peek(queue string, options ...QueuePeekOptions) *Pages[QueueMessage] {
	params := Params{"table": t.table}
	params["queue"] = queue
	o := optionsOf(options)
	params.setText("status", o.Status)
	return pagesOf(t.connection, "PEEK", params, "MESSAGE", queueMessageOf)
}

// Why says in a sentence, and in parameters for programs, why a message is where it is. message: the message's
// number.
func (t *Queues) Why(ctx context.Context, message int64) (QueueReason, error) {
	params := Params{"table": t.table}
	params["message"] = message
	p, err := oneOf(ctx, t.connection, "WHY", params, "REASON")
	if err != nil {
		return QueueReason{}, err
	}
	return queueReasonOf(p), nil
}

// QueueQueuesOptions are the options of Queues.Queues.
type QueueQueuesOptions struct {
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Queues shows the queues with what is on them, in the order of their names, a page at a time; the last message has
// `after` if there are more.
func (t *Queues) Queues(options ...QueueQueuesOptions) *Pages[Queue] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "QUEUES", params, "QUEUE", queueOf)
}

// QueueExchangesOptions are the options of Queues.Exchanges.
type QueueExchangesOptions struct {
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Exchanges shows the exchanges, in the order of their names, a page at a time; the last message has `after` if there
// are more.
func (t *Queues) Exchanges(options ...QueueExchangesOptions) *Pages[Exchange] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "EXCHANGES", params, "EXCHANGE", exchangeOf)
}

// QueueBindingsOptions are the options of Queues.Bindings.
type QueueBindingsOptions struct {
	// of this exchange only (at most 255 bytes)
	Exchange string
	// of this queue only (at most 255 bytes)
	Queue string
	// so many a page (1 to 1000; 100 if absent)
	Count int64
}

// Bindings shows the bindings by their number, a page at a time; the last message has `after` if there are more to
// look at.
func (t *Queues) Bindings(options ...QueueBindingsOptions) *Pages[Binding] {
	params := Params{"table": t.table}
	o := optionsOf(options)
	params.setText("exchange", o.Exchange)
	params.setText("queue", o.Queue)
	params.setInt("count", o.Count)
	return pagesOf(t.connection, "BINDINGS", params, "BINDING", bindingOf)
}

// QueueDeclareOptions are the options of Queues.Declare.
type QueueDeclareOptions struct {
	// of a queue: 1, it ends with this connection
	Temporary Optional[bool]
	// of a queue: the queue that gets what is rejected, or was delivered too often; empty: they are parked (at most 255
	// bytes)
	DeadLetters string
	// of a queue: a message that failed so often is dead; 0: as the option max-deliveries (0 to 250)
	MaxDeliveries Optional[int64]
	// of a queue: so many messages at most; 0: no limit (0 to 4000000000)
	MaxMessages Optional[int64]
	// of a queue: so many bytes of bodies at most; 0: no limit (0 to 1125899906842624)
	MaxBytes Optional[int64]
	// of a queue: refuse (SEND), or drop (the first messages, which are dead then)
	WhenFull string
	// of a queue: how long consumers of its messages may take, unless message or ACQUIRE say otherwise; 0: as the option
	// processing-timeout (0 to 31536000000 ms)
	Lease Optional[time.Duration]
	// of a queue: its messages expire so long after they came, or after their process_date, in milliseconds; 0: never (0
	// to 315360000000 ms)
	Expires Optional[time.Duration]
	// of a queue: a message that is sent without process_date is handed out so long after it came, in milliseconds; 0:
	// at once (0 to 31536000000 ms)
	Delay Optional[time.Duration]
	// of a queue: a body has so many bytes at most; 0: as the option message-size-max (0 to 67108864)
	MaxMessageBytes Optional[int64]
	// of a queue: what goes with it, one object in JSON, which QUEUES of this queue gives back as it came; empty:
	// nothing (at most 8192 bytes)
	Properties string
}

// Declare makes a queue, or changes its options; or makes an exchange. What is absent stays as it is. queue: the
// queue; or else exchange (at most 255 bytes).
func (t *Queues) Declare(ctx context.Context, queue string, options ...QueueDeclareOptions) (string, error) {
	params := Params{"table": t.table}
	params.setText("queue", queue)
	o := optionsOf(options)
	setOptional(params, "temporary", o.Temporary)
	params.setText("dead_letters", o.DeadLetters)
	setOptional(params, "max_deliveries", o.MaxDeliveries)
	setOptional(params, "max_messages", o.MaxMessages)
	setOptional(params, "max_bytes", o.MaxBytes)
	params.setText("when_full", o.WhenFull)
	setOptional(params, "lease", o.Lease)
	setOptional(params, "expires", o.Expires)
	setOptional(params, "delay", o.Delay)
	setOptional(params, "max_message_bytes", o.MaxMessageBytes)
	params.setText("properties", o.Properties)
	p, err := oneOf(ctx, t.connection, "DECLARE", params, "DECLARED")
	if err != nil {
		return "", err
	}
	return p.Text("result"), nil
}

// DeclareExchange makes an exchange of this kind. exchange: the exchange (at most 255 bytes). kind: of an exchange:
// direct (routing keys that are equal), fanout (every queue) or topic (patterns).
func (t *Queues) DeclareExchange(ctx context.Context, exchange string, kind string) (string, error) {
	params := Params{"table": t.table}
	params.setText("exchange", exchange)
	params.setText("kind", kind)
	p, err := oneOf(ctx, t.connection, "DECLARE", params, "DECLARED")
	if err != nil {
		return "", err
	}
	return p.Text("result"), nil
}

// QueueRemoveOptions are the options of Queues.Remove.
type QueueRemoveOptions struct {
	// true: only a queue without messages
	IfEmpty bool
}

// Remove removes a queue with its messages and bindings, or an exchange with its bindings. queue: the queue; or else
// exchange (at most 255 bytes).
func (t *Queues) Remove(ctx context.Context, queue string, options ...QueueRemoveOptions) error {
	params := Params{"table": t.table}
	params.setText("queue", queue)
	o := optionsOf(options)
	params.setFlag("if_empty", o.IfEmpty)
	_, err := t.connection.request(ctx, "REMOVE", params)
	return err
}

// RemoveExchange removes an exchange with its bindings. exchange: the exchange (at most 255 bytes).
func (t *Queues) RemoveExchange(ctx context.Context, exchange string) error {
	params := Params{"table": t.table}
	params.setText("exchange", exchange)
	_, err := t.connection.request(ctx, "REMOVE", params)
	return err
}

// QueueBindOptions are the options of Queues.Bind.
type QueueBindOptions struct {
	// of a direct exchange the routing key; of a topic exchange a pattern, where * stands for a word and # for any
	// number of them (at most 255 bytes)
	RoutingKey string
	// true: the queue is made if there is none: a durable subscription
	Declare bool
	// true: it is made, and ends with this connection: a subscription that does not last
	Temporary bool
}

// Bind: from now on the exchange routes to the queue what fits. exchange: the exchange (at most 255 bytes). queue:
// the queue (at most 255 bytes).
func (t *Queues) Bind(
	ctx context.Context, exchange string, queue string, options ...QueueBindOptions,
) (string, error) {
	params := Params{"table": t.table}
	params["exchange"] = exchange
	params["queue"] = queue
	o := optionsOf(options)
	params.setText("routing_key", o.RoutingKey)
	params.setFlag("declare", o.Declare)
	params.setFlag("temporary", o.Temporary)
	p, err := oneOf(ctx, t.connection, "BIND", params, "BOUND")
	if err != nil {
		return "", err
	}
	return p.Text("result"), nil
}

// QueueUnbindOptions are the options of Queues.Unbind.
type QueueUnbindOptions struct {
	// as in BIND (at most 255 bytes)
	RoutingKey string
}

// Unbind ends a binding; messages on the queue stay. exchange: the exchange (at most 255 bytes). queue: the queue (at
// most 255 bytes).
func (t *Queues) Unbind(ctx context.Context, exchange string, queue string, options ...QueueUnbindOptions) error {
	params := Params{"table": t.table}
	params["exchange"] = exchange
	params["queue"] = queue
	o := optionsOf(options)
	params.setText("routing_key", o.RoutingKey)
	_, err := t.connection.request(ctx, "UNBIND", params)
	return err
}

// QueuePurgeOptions are the options of Queues.Purge.
type QueuePurgeOptions struct {
	// in this state only; both if absent: waiting, parked
	Status string
	// so many in all (all if absent)
	Count int64
}

// Purge drops messages of a queue that are not acquired, a page at a time. queue: the queue (at most 255 bytes).
func (t *Queues) Purge(ctx context.Context, queue string, options ...QueuePurgeOptions) (int64, error) {
	params := Params{"table": t.table}
	params["queue"] = queue
	o := optionsOf(options)
	params.setText("status", o.Status)
	return addedBy(ctx, t.connection, "PURGE", params, "count", o.Count)
}

// QueueMoveOptions are the options of Queues.Move.
type QueueMoveOptions struct {
	// in this state only; both if absent: waiting, parked
	Status string
	// so many in all (all if absent)
	Count int64
}

// Move moves messages of a queue that are not acquired to another queue, in their order and with their attempts
// reset, a page at a time: dead letters back to work; or parked ones of a queue back to its front. Without `to` each
// dead letter goes back to the queue on which it died, in the order of their numbers; others stay. queue: the queue
// that has them (at most 255 bytes). to: the queue that gets them; the same one for parked messages; if absent, that
// on which each died (at most 255 bytes).
func (t *Queues) Move(ctx context.Context, queue string, to string, options ...QueueMoveOptions) (int64, error) {
	params := Params{"table": t.table}
	params["queue"] = queue
	params.setText("to", to)
	o := optionsOf(options)
	params.setText("status", o.Status)
	return addedBy(ctx, t.connection, "MOVE", params, "count", o.Count)
}

// QueueMoveBackOptions are the options of Queues.MoveBack.
type QueueMoveBackOptions struct {
	// in this state only; both if absent: waiting, parked
	Status string
	// so many in all (all if absent)
	Count int64
}

// MoveBack moves dead letters of a queue back to the queues on which they died, with their attempts reset. queue: the
// queue that has them (at most 255 bytes).
func (t *Queues) MoveBack(ctx context.Context, queue string, options ...QueueMoveBackOptions) (int64, error) {
	params := Params{"table": t.table}
	params["queue"] = queue
	o := optionsOf(options)
	params.setText("status", o.Status)
	return addedBy(ctx, t.connection, "MOVE", params, "count", o.Count)
}

// QueueKickOptions are the options of Queues.Kick.
type QueueKickOptions struct {
	// of a message: only in this state: waiting, acquired, parked
	Status string
}

// Kick puts a message back to work: a parked one, with its attempts reset; one that waits for its date; or one that a
// consumer has, whose lease is taken back and who is refused from then on. Or so many of a queue: the parked ones;
// those that wait for their date only if none is parked. message: the message's number; or else queue.
func (t *Queues) Kick(ctx context.Context, message int64, options ...QueueKickOptions) error {
	params := Params{"table": t.table}
	params.setInt("message", message)
	o := optionsOf(options)
	params.setText("status", o.Status)
	_, err := t.connection.request(ctx, "KICK", params)
	return err
}

// QueueKickQueueOptions are the options of Queues.KickQueue.
type QueueKickQueueOptions struct {
	// so many in all (all if absent)
	Count int64
}

// KickQueue puts messages of a queue back to work: the parked ones; those that wait for their date only if none is
// parked. queue: the queue (at most 255 bytes).
func (t *Queues) KickQueue(ctx context.Context, queue string, options ...QueueKickQueueOptions) (int64, error) {
	params := Params{"table": t.table}
	params.setText("queue", queue)
	o := optionsOf(options)
	return addedBy(ctx, t.connection, "KICK", params, "count", o.Count)
}

// Delete removes a message that no consumer has. message: the message's number.
func (t *Queues) Delete(ctx context.Context, message int64) error {
	params := Params{"table": t.table}
	params["message"] = message
	_, err := t.connection.request(ctx, "DELETE", params)
	return err
}

// QueuePauseOptions are the options of Queues.Pause.
type QueuePauseOptions struct {
	// when it goes on by itself; at RESUME only if absent
	Until Date
	// why, for people (at most 255 bytes)
	Reason string
}

// Pause: nothing of a queue is handed out any more; leases go on, messages are taken. A queue that is paused already
// gets the new date; one that its first use makes is made. queue: the queue (at most 255 bytes).
func (t *Queues) Pause(ctx context.Context, queue string, options ...QueuePauseOptions) (string, error) {
	params := Params{"table": t.table}
	params["queue"] = queue
	o := optionsOf(options)
	params.setDate("until", o.Until)
	params.setText("reason", o.Reason)
	p, err := oneOf(ctx, t.connection, "PAUSE", params, "PAUSED")
	if err != nil {
		return "", err
	}
	return p.Text("result"), nil
}

// Resume ends a PAUSE; who waits for messages is told. queue: the queue (at most 255 bytes).
func (t *Queues) Resume(ctx context.Context, queue string) (string, error) {
	params := Params{"table": t.table}
	params["queue"] = queue
	p, err := oneOf(ctx, t.connection, "RESUME", params, "RESUMED")
	if err != nil {
		return "", err
	}
	return p.Text("result"), nil
}
