// Made by ./mk generate from plugins/queue/queue.xml and clients/calls/queue.toml: do not edit.

package fastjournal

import "time"

// Sent is SENT: the message is on its queues, synced.
type Sent struct {
	// the table
	Table string
	// its number on the first of its queues; absent: on none
	Message int64
	// on how many queues it is
	Queues int64
	// sent or duplicate; of a transaction also expired
	Result string
	// not handed out before
	ProcessDate time.Time
}

func sentOf(p Params) Sent {
	out := Sent{}
	out.Table = p.Text("table")
	out.Message = p.Int("message")
	out.Queues = p.Int("queues")
	out.Result = p.Text("result")
	out.ProcessDate = p.Time("process_date")
	return out
}

// QueueMessage is MESSAGE: a message.
type QueueMessage struct {
	// the table
	Table string
	// its number on this queue
	Message int64
	// of the lease; READ and BROWSE tell it to its holder, and to those who may manage the table
	Epoch int64
	// messages of several queues that came as one have the same
	Origin int64
	// the queue
	Queue string
	// the exchange by which it came
	Exchange string
	// its routing key
	RoutingKey string
	// its properties
	Properties string
	// its group
	Group string
	// its body, of text (string or []byte)
	Body any
	// bytes of its body
	Bytes int64
	// of a part of its body: the first byte
	Offset int64
	// true: body or body_binary is OFFSET LENGTH PATH
	Places bool
	// the queue on which it died
	DeadOf string
	// its priority
	Priority int64
	// its date
	ProcessDate time.Time
	// when it came
	SentDate time.Time
	// when it expires
	ExpirationDate time.Time
	// true: it was handed out before
	Redelivered bool
	// deliveries that failed or timed out
	Deliveries int64
	// when the lease is over
	LeaseEnd time.Time
	// who has it
	Worker string
	// how long its leases last, in ms, if it says so itself
	Lease time.Duration
	// counted in its life, up to 255, where message-counts says so: how often it was handed out
	Leases int64
	// the same: given back by RELEASE
	Returns int64
	// the same: parked
	Parkings int64
	// the same: put back to work by KICK or MOVE
	Kicks int64
	// the same: leases that timed out, but for those whose connection was lost
	Timeouts int64
	// of READ and PEEK: the date at the daemon
	Now time.Time
	// waiting (for its date), due, behind (another one of its group), acquired or parked
	Status string
	// what a consumer said last
	Error string
	// where it went wrong, as that consumer said
	ErrorTrace string
}

func queueMessageOf(p Params) QueueMessage {
	out := QueueMessage{}
	out.Table = p.Text("table")
	out.Message = p.Int("message")
	out.Epoch = p.Int("epoch")
	out.Origin = p.Int("origin")
	out.Queue = p.Text("queue")
	out.Exchange = p.Text("exchange")
	out.RoutingKey = p.Text("routing_key")
	out.Properties = p.Text("properties")
	out.Group = p.Text("group")
	out.Body = p.Content("body")
	out.Bytes = p.Int("bytes")
	out.Offset = p.Int("offset")
	out.Places = p.Bool("places")
	out.DeadOf = p.Text("dead_of")
	out.Priority = p.Int("priority")
	out.ProcessDate = p.Time("process_date")
	out.SentDate = p.Time("sent_date")
	out.ExpirationDate = p.Time("expiration_date")
	out.Redelivered = p.Bool("redelivered")
	out.Deliveries = p.Int("deliveries")
	out.LeaseEnd = p.Time("lease_end")
	out.Worker = p.Text("worker")
	out.Lease = p.Span("lease")
	out.Leases = p.Int("leases")
	out.Returns = p.Int("returns")
	out.Parkings = p.Int("parkings")
	out.Kicks = p.Int("kicks")
	out.Timeouts = p.Int("timeouts")
	out.Now = p.Time("now")
	out.Status = p.Text("status")
	out.Error = p.Text("error")
	out.ErrorTrace = p.Text("error_trace")
	return out
}

// QueueReason is REASON: why a message is where it is.
type QueueReason struct {
	// the table
	Table string
	// the message's number
	Message int64
	// its queue
	Queue string
	// a word for programs: due, paused, waiting, behind, acquired, parked or leaving
	State string
	// a sentence for people
	Text string
	// messages before it
	Ahead int64
	// its group, where it waits for one of these
	Group string
	// the message of its group for which it waits
	Before int64
	// not handed out before
	ProcessDate time.Time
	// when its queue goes on by itself
	PausedUntil time.Time
	// when the lease is over
	LeaseEnd time.Time
	// who has it
	Worker string
	// of the lease
	Epoch int64
	// true: an open transaction holds it, and its lease does not end meanwhile
	InTransaction bool
	// deliveries that failed or timed out
	Deliveries int64
	// what a consumer said last
	Error string
	// where it went wrong, as that consumer said
	ErrorTrace string
}

func queueReasonOf(p Params) QueueReason {
	out := QueueReason{}
	out.Table = p.Text("table")
	out.Message = p.Int("message")
	out.Queue = p.Text("queue")
	out.State = p.Text("state")
	out.Text = p.Text("text")
	out.Ahead = p.Int("ahead")
	out.Group = p.Text("group")
	out.Before = p.Int("before")
	out.ProcessDate = p.Time("process_date")
	out.PausedUntil = p.Time("paused_until")
	out.LeaseEnd = p.Time("lease_end")
	out.Worker = p.Text("worker")
	out.Epoch = p.Int("epoch")
	out.InTransaction = p.Bool("in_transaction")
	out.Deliveries = p.Int("deliveries")
	out.Error = p.Text("error")
	out.ErrorTrace = p.Text("error_trace")
	return out
}

// Queue is QUEUE: a queue.
type Queue struct {
	// the table
	Table string
	// its name
	Queue string
	// messages on it
	Messages int64
	// of these, ready to be handed out
	Due int64
	// of these, waiting for another one of their group; missing if there are none
	Behind int64
	// of the due ones, with a priority below 1024; 100,000 are looked at, at most
	Urgent int64
	// of these, with consumers
	Acquired int64
	// of these, parked for an operator
	Parked int64
	// bytes of their bodies
	Bytes int64
	// true: it ends with its connection
	Temporary bool
	// true: in the table's file
	Declared bool
	// true: it was removed, and its messages go
	Leaving bool
	// the queue of dead letters
	DeadLetters string
	// its limit
	MaxDeliveries int64
	// its limit
	MaxMessages int64
	// its limit
	MaxBytes int64
	// refuse or drop
	WhenFull string
	// how long consumers of its messages may take, in ms
	Lease time.Duration
	// true: it hands out nothing
	Paused bool
	// when it goes on by itself
	PausedUntil time.Time
	// of a queue that is paused until a date: the date at the daemon
	Now time.Time
	// why, as was said
	PauseReason string
	// how long its messages last, in ms
	Expires time.Duration
	// how long a message without a date waits, in ms
	Delay time.Duration
	// bytes of a body, at most
	MaxMessageBytes int64
	// what goes with it, as it came; only of a queue that was named
	Properties string
	// when it was made
	MadeDate time.Time
	// when DECLARE changed it last, or made it
	ChangedDate time.Time
}

func queueOf(p Params) Queue {
	out := Queue{}
	out.Table = p.Text("table")
	out.Queue = p.Text("queue")
	out.Messages = p.Int("messages")
	out.Due = p.Int("due")
	out.Behind = p.Int("behind")
	out.Urgent = p.Int("urgent")
	out.Acquired = p.Int("acquired")
	out.Parked = p.Int("parked")
	out.Bytes = p.Int("bytes")
	out.Temporary = p.Bool("temporary")
	out.Declared = p.Bool("declared")
	out.Leaving = p.Bool("leaving")
	out.DeadLetters = p.Text("dead_letters")
	out.MaxDeliveries = p.Int("max_deliveries")
	out.MaxMessages = p.Int("max_messages")
	out.MaxBytes = p.Int("max_bytes")
	out.WhenFull = p.Text("when_full")
	out.Lease = p.Span("lease")
	out.Paused = p.Bool("paused")
	out.PausedUntil = p.Time("paused_until")
	out.Now = p.Time("now")
	out.PauseReason = p.Text("pause_reason")
	out.Expires = p.Span("expires")
	out.Delay = p.Span("delay")
	out.MaxMessageBytes = p.Int("max_message_bytes")
	out.Properties = p.Text("properties")
	out.MadeDate = p.Time("made_date")
	out.ChangedDate = p.Time("changed_date")
	return out
}

// Exchange is EXCHANGE: an exchange.
type Exchange struct {
	// the table
	Table string
	// its name
	Exchange string
	// direct, fanout or topic
	Kind string
	// how many it has
	Bindings int64
}

func exchangeOf(p Params) Exchange {
	out := Exchange{}
	out.Table = p.Text("table")
	out.Exchange = p.Text("exchange")
	out.Kind = p.Text("kind")
	out.Bindings = p.Int("bindings")
	return out
}

// Binding is BINDING: a binding.
type Binding struct {
	// the table
	Table string
	// its number
	Binding int64
	// the exchange
	Exchange string
	// the queue
	Queue string
	// the routing key or pattern
	RoutingKey string
}

func bindingOf(p Params) Binding {
	out := Binding{}
	out.Table = p.Text("table")
	out.Binding = p.Int("binding")
	out.Exchange = p.Text("exchange")
	out.Queue = p.Text("queue")
	out.RoutingKey = p.Text("routing_key")
	return out
}
