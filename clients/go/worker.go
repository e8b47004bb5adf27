package fastjournal

// Workers: they lease rows, or messages of a queue, call a function for each, and report how it ended.

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

const (
	// An idle worker asks as well: only this detects that the daemon's computer is gone.
	workerIdle = time.Minute
	// While a function runs, an absent daemon may delay the worker by no more than this.
	workerCall = 5 * time.Second
	// Before something is tried again that was refused for now, or for want of a connection.
	workerPause = 500 * time.Millisecond
)

// WorkerOptions are those of a worker; zero values stand for what is said in brackets.
type WorkerOptions struct {
	// Concurrency is how many rows are worked on at once (1; at most 1024).
	Concurrency int
	// Lease is within the table's limits (60 s), and renewed at half of it.
	Lease time.Duration
	// Domain: of a journal, rows of this domain only (all).
	Domain string
	// Queue: of a queue table, messages of this queue only (all).
	Queue string
	// Name is shown to people.
	Name string
	// UntilEmpty: it returns when there is nothing to do now.
	UntilEmpty bool
	// StopAfter: after a stop, with a daemon that does not answer, so long it is tried to say how a row ended (5 s).
	StopAfter time.Duration
	// OnError is told what went wrong, for people: functions that failed, outages, lost leases.
	OnError func(what string, why error)
}

// Work calls the function for each row of the table, until the context ends: then rows in work are finished, no other
// is leased, and it returns nil. It survives a restart of the daemon and a pause of the table.
//
//   - The function returns nil: the row is done.
//   - It returns an error, or panics: the row is returned as a failed attempt, with that as its error.
//   - It returns GiveUp of an error: the row is given up at once.
//
// If a lease is lost, the function's context ends, and nothing more is said about the row. A function is not told of
// the end of the worker's context. The error of Work is a refusal that no waiting changes, such as unknown_table.
func (t *Journal) Work(
	ctx context.Context, do func(context.Context, Row) error, options ...WorkerOptions,
) error {
	o := optionsOf(options).withDefaults()
	return work(ctx, t.connection, do, o, source[Row]{
		next: func(ctx context.Context, count int64) ([]Row, error) {
			found, err := t.Next(ctx, JournalNextOptions{Count: count, Lease: o.Lease, Domain: o.Domain, Worker: o.Name})
			return found.Items, err
		},
		touch: func(ctx context.Context, row Row) error {
			_, err := t.Touch(ctx, row, JournalTouchOptions{Lease: o.Lease, Worker: o.Name})
			return err
		},
		done: func(ctx context.Context, row Row) error { return t.Done(ctx, row) },
		release: func(ctx context.Context, row Row, why, trace string) error {
			_, err := t.Release(ctx, row, JournalReleaseOptions{Error: why, ErrorTrace: trace})
			return err
		},
		fail: func(ctx context.Context, row Row, why, trace string) error {
			_, err := t.Fail(ctx, row, why, JournalFailOptions{ErrorTrace: trace})
			return err
		},
		listen: func(ctx context.Context) (*Listener, error) {
			return t.Listen(ctx, ListenOptions{Domain: o.Domain, Worker: o.Name})
		},
		name: func(row Row) string { return fmt.Sprintf("%s row %d", t.table, row.Row) },
	})
}

// Consume calls the function for each message of a queue, or of all queues of the table, as Work does for rows: it is
// accepted, released as a failed delivery, or rejected.
func (t *Queues) Consume(
	ctx context.Context, do func(context.Context, QueueMessage) error, options ...WorkerOptions,
) error {
	o := optionsOf(options).withDefaults()
	return work(ctx, t.connection, do, o, source[QueueMessage]{
		next: func(ctx context.Context, count int64) ([]QueueMessage, error) {
			found, err := t.Acquire(ctx, QueueAcquireOptions{Count: count, Lease: o.Lease, Queue: o.Queue, Worker: o.Name})
			return found.Items, err
		},
		touch: func(ctx context.Context, message QueueMessage) error {
			_, err := t.Touch(ctx, message, QueueTouchOptions{Lease: o.Lease, Worker: o.Name})
			return err
		},
		done: t.Accept,
		release: func(ctx context.Context, message QueueMessage, why, trace string) error {
			_, err := t.Release(ctx, message, QueueReleaseOptions{Error: why, ErrorTrace: trace})
			return err
		},
		fail: func(ctx context.Context, message QueueMessage, why, trace string) error {
			_, err := t.Reject(ctx, message, why, QueueRejectOptions{ErrorTrace: trace})
			return err
		},
		listen: func(ctx context.Context) (*Listener, error) {
			return t.Listen(ctx, ListenOptions{Queue: o.Queue, Worker: o.Name})
		},
		name: func(message QueueMessage) string { return fmt.Sprintf("%s message %d", t.table, message.Message) },
	})
}

func (o WorkerOptions) withDefaults() WorkerOptions {
	defaultTo(&o.Concurrency, 1)
	defaultTo(&o.Lease, time.Minute)
	defaultTo(&o.StopAfter, 5*time.Second)
	if o.OnError == nil {
		o.OnError = func(string, error) {}
	}
	return o
}

// A source has the tasks of a worker: rows, or messages.
type source[T any] struct {
	next          func(context.Context, int64) ([]T, error)
	touch, done   func(context.Context, T) error
	release, fail func(ctx context.Context, task T, why, trace string) error
	listen        func(context.Context) (*Listener, error)
	name          func(T) string
}

type worker[T any] struct {
	WorkerOptions
	connection *Connection
	tasks      source[T]
	do         func(context.Context, T) error
	stop       context.Context // the worker is to end when it has ended
	wake       chan struct{}   // of one element: there may be something to do
}

func work[T any](
	ctx context.Context, c *Connection, do func(context.Context, T) error, o WorkerOptions, tasks source[T],
) error {
	if o.Concurrency < 1 || o.Concurrency > 1024 {
		return failure("bad_parameter", "Concurrency is 1 to 1024")
	}
	w := &worker[T]{o, c, tasks, do, ctx, make(chan struct{}, 1)}
	if !o.UntilEmpty {
		listener, err := tasks.listen(ctx)
		if err != nil {
			return err
		}
		following, end := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.follow(following, listener)
		}()
		defer func() {
			end()
			<-ended
		}()
	}
	return w.run()
}

func (w *worker[T]) run() error {
	running, asks := 0, true
	ended := make(chan struct{}, w.Concurrency)
	var why error
	for {
		stopped := w.stop.Done()
		isStopped := why != nil || w.stop.Err() != nil
		if asks && !isStopped && running < w.Concurrency {
			asked, changed := time.Now(), w.connection.whenChanged()
			var found []T
			found, asks, why = w.take(int64(w.Concurrency - running))
			for _, task := range found {
				running++
				go func(task T) {
					w.handle(task, asked.Add(w.Lease), changed)
					ended <- struct{}{}
				}(task)
			}
			if asks || why != nil {
				continue
			}
		}
		if running == 0 && (isStopped || w.UntilEmpty && !asks) {
			return why
		}
		if isStopped {
			stopped = nil
		}
		idle := time.NewTimer(workerIdle)
		select {
		case <-ended:
			running--
			// For all that have ended by now it asks once.
			for more := len(ended); more > 0; more-- {
				<-ended
				running--
			}
		case <-w.wake:
		case <-stopped:
		case <-idle.C:
		}
		idle.Stop()
		// A freed place, a notice, or a long silence.
		asks = true
	}
}

// take leases tasks. False: there is nothing now. The error is one that no waiting changes.
func (w *worker[T]) take(count int64) ([]T, bool, error) {
	// A stop ends it at once, and what is leased meanwhile is given back.
	ctx, cancel := context.WithTimeout(w.stop, workerCall)
	defer cancel()
	found, err := w.tasks.next(ctx, count)
	switch {
	case err == nil:
		return found, len(found) > 0, nil
	case w.stop.Err() != nil:
		return nil, false, nil
	case isOutage(err) && len(w.connection.options.Pauses) > 0 && !w.isClosed():
		w.OnError("no connection; trying again", err)
		pause(w.stop, workerPause)
		return nil, !w.UntilEmpty, nil
	case CodeOf(err) == "paused":
		w.OnError("waiting", err)
		return nil, false, nil
	}
	return nil, false, err
}

func (w *worker[T]) isClosed() bool {
	select {
	case <-w.connection.closed:
		return true
	default:
		return false
	}
}

func pause(ctx context.Context, span time.Duration) {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// follow: notices wake the worker. A LISTEN that is refused would never notify: it is tried now and then.
func (w *worker[T]) follow(ctx context.Context, listener *Listener) {
	for ctx.Err() == nil {
		var err error
		if listener == nil {
			listener, err = w.tasks.listen(ctx)
		} else {
			_, err = listener.Next(ctx)
		}
		if err != nil && ctx.Err() == nil {
			w.OnError("there are no notices; trying again", err)
			listener = nil
			pause(ctx, workerPause)
		}
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	if listener != nil {
		ctx, cancel := context.WithTimeout(context.Background(), w.StopAfter)
		defer cancel()
		_ = listener.Close(ctx) // it ends with the connection, too
	}
}

// handle works on a task, and renews its lease meanwhile. changed: since before it was leased.
func (w *worker[T]) handle(task T, leaseEnd time.Time, changed <-chan struct{}) {
	working, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := make(chan outcome, 1)
	go func() { result <- w.call(working, task) }()
	for {
		// After a failure of a renewal soon again, while the lease lasts.
		renew := time.NewTimer(within(time.Until(leaseEnd)-w.Lease/2, w.Lease/8, w.Lease))
		select {
		case ended := <-result:
			renew.Stop()
			w.settle(task, ended, leaseEnd)
			return
		case <-renew.C:
		// The daemon gives back what a lost connection had: a TOUCH from the new one adopts it.
		case <-changed:
			renew.Stop()
		}
		changed = w.connection.whenChanged()
		asked := time.Now()
		touching, stop := context.WithTimeout(working, workerCall)
		touched := make(chan error, 1)
		go func() { touched <- w.tasks.touch(touching, task) }()
		var err error
		select {
		case err = <-touched:
			stop()
		case ended := <-result:
			stop()
			w.settle(task, ended, leaseEnd)
			return
		}
		switch CodeOf(err) {
		case "":
			leaseEnd = asked.Add(w.Lease)
		case "stale_epoch", "not_leased", "unknown_row":
			w.OnError(w.tasks.name(task)+": lost while it was worked on", err)
			cancel()
			<-result
			return
		}
		// An outage may be over in time; an expired row may still be done within its lease.
	}
}

// An outcome is how a function ended.
type outcome struct {
	err   error
	trace string
}

func (w *worker[T]) call(ctx context.Context, task T) (out outcome) {
	defer func() {
		if panicked := recover(); panicked != nil {
			out = outcome{fmt.Errorf("panic: %v", panicked), string(debug.Stack())}
		}
	}()
	return outcome{err: w.do(ctx, task)}
}

// settle says how the task ended, again after an outage as long as the lease lasts.
func (w *worker[T]) settle(task T, ended outcome, leaseEnd time.Time) {
	name := w.tasks.name(task)
	var gaveUp *givenUp
	say := func(ctx context.Context) error { return w.tasks.done(ctx, task) }
	if errors.As(ended.err, &gaveUp) {
		w.OnError(name+": given up", ended.err)
		say = func(ctx context.Context) error { return w.tasks.fail(ctx, task, textOfError(ended.err), ended.trace) }
	} else if ended.err != nil {
		w.OnError(name+": failed", ended.err)
		say = func(ctx context.Context) error {
			return w.tasks.release(ctx, task, textOfError(ended.err), ended.trace)
		}
	}
	telling, cancel := w.untilStopped()
	defer cancel()
	for inDoubt := false; ; {
		ctx, stop := context.WithTimeout(telling, workerCall)
		err := say(ctx)
		stop()
		switch code := CodeOf(err); {
		case err == nil:
			return
		case isOutage(err) && time.Now().Before(leaseEnd) && telling.Err() == nil && !w.isClosed():
			inDoubt = true
			pause(telling, workerPause)
		// After an outage: the first attempt succeeded, and only its answer was lost.
		case inDoubt && (code == "unknown_row" || code == "not_leased"):
			return
		default:
			w.OnError(name+": its end could not be said", err)
			return
		}
	}
}

// textOfError is never empty: without a text nothing has failed.
func textOfError(err error) string {
	if text := err.Error(); text != "" {
		return text
	}
	return fmt.Sprintf("%T", err)
}

// untilStopped ends so long after a stop, or from now on if there was one.
func (w *worker[T]) untilStopped() (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-w.stop.Done():
			pause(out, w.StopAfter)
			cancel()
		case <-out.Done():
		}
	}()
	return out, cancel
}

// whenChanged is closed when what belongs to the connection may be over.
func (c *Connection) whenChanged() <-chan struct{} {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.changed
}
