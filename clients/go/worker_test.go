package fastjournal

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestNoticesComeAlsoAfterALoss(t *testing.T) {
	c, f, daemon := start(t, quick())
	var l *Listener
	listen := later(func() (err error) {
		l, err = c.Journal("jobs").Listen(background, ListenOptions{Domain: "d", Worker: "w"})
		return err
	})
	asked := daemon.serve("LISTEN", "LISTENING", Params{"table": "jobs"})
	ok(t, <-listen)
	want(t, asked.Params["domain"], "d")
	daemon.say("LISTEN", Params{"table": "jobs", "domain": "d", "ready": 3})
	notice, err := l.Next(background)
	ok(t, err)
	want(t, notice.Kind, "work")
	want(t, notice.Ready, int64(3))
	daemon.Close()
	daemon = f.peer()
	again := daemon.serve("LISTEN", "LISTENING", Params{"table": "jobs"})
	want(t, again.Params["worker"], "w")
	daemon.say("LISTEN", Params{"table": "jobs", "domain": "d", "missed": 5})
	notice, err = l.Next(background)
	ok(t, err)
	want(t, notice.Kind, "missed")
	daemon.say("UNLISTENED", Params{"table": "jobs", "domain": "d"})
	_, err = l.Next(background)
	want(t, CodeOf(err), "unknown_table")
}

func TestASubscriptionThatIsRefusedLaterEnds(t *testing.T) {
	c, f, daemon := start(t, quick())
	var l *Listener
	listen := later(func() (err error) {
		l, err = c.Journal("jobs").Listen(background, ListenOptions{})
		return err
	})
	daemon.serve("LISTEN", "LISTENING", Params{"table": "jobs"})
	ok(t, <-listen)
	daemon.Close()
	f.peer().serve("LISTEN", "ERROR", Params{"code": "not_allowed", "message": "no"})
	_, err := l.Next(background)
	want(t, CodeOf(err), "not_allowed")
}

func TestWhatIsDeliveredIsNeverDropped(t *testing.T) {
	options := quick()
	options.NoticesMax = 2
	c, _, daemon := start(t, options)
	var wakes, rows *Listener
	listen := later(func() (err error) {
		if wakes, err = c.Journal("pages").Listen(background, ListenOptions{}); err == nil {
			rows, err = c.Journal("jobs").Listen(background, ListenOptions{Mode: "deliver", Credit: 3})
		}
		return err
	})
	daemon.serve("LISTEN", "LISTENING", Params{"table": "pages"})
	daemon.serve("LISTEN", "LISTENING", Params{"table": "jobs"})
	ok(t, <-listen)
	for at := 0; at < 3; at++ {
		daemon.say("LISTEN", Params{"table": "pages", "ready": at})
		daemon.say("ROW", Params{"table": "jobs", "row": 10 + at, "epoch": 1})
	}
	notice, err := rows.Next(background)
	ok(t, err)
	want(t, notice.Kind, "delivered")
	want(t, notice.Row.Row, int64(10))
	// The end of what was said is known by an answer.
	stats := later(func() error {
		_, err := c.Stats(background, "")
		return err
	})
	daemon.serve("STATS", "STATS", Params{"left": 0})
	ok(t, <-stats)
	want(t, c.NoticesDropped(), int64(1))
	c.mutex.Lock()
	want(t, len(wakes.notices), 2)
	c.mutex.Unlock()
	closing := later(func() error { return rows.Close(background) })
	for _, row := range []int64{11, 12} {
		want(t, daemon.take("RELEASE").Params["row"], row)
	}
	daemon.serve("UNLISTEN", "UNLISTENED", Params{"table": "jobs"})
	ok(t, <-closing)
}

func TestAListenThatIsGivenUpIsTakenBack(t *testing.T) {
	c, _, daemon := start(t, quick())
	ctx, cancel := context.WithCancel(background)
	listen := later(func() error {
		_, err := c.Journal("jobs").Listen(ctx, ListenOptions{Mode: "deliver"})
		return err
	})
	daemon.take("LISTEN")
	cancel()
	want(t, CodeOf(<-listen), "timed_out")
	daemon.take("UNLISTEN")
	daemon.say("ROW", Params{"table": "jobs", "row": 5, "epoch": 1})
	want(t, daemon.take("RELEASE").Params["row"], int64(5))
	_, err := c.Call(background, "LISTEN", Params{"table": "jobs"})
	want(t, CodeOf(err), "not_supported")
}

func TestAListenerFollowsItsTable(t *testing.T) {
	c, _, home := start(t, quick())
	node := newFake(t)
	var l *Listener
	listen := later(func() (err error) {
		l, err = c.Queues("post").Listen(background, ListenOptions{Queue: "orders", Mode: "deliver"})
		return err
	})
	home.serve("LISTEN", "LISTENING", Params{"table": "post", "queue": "orders"})
	ok(t, <-listen)
	home.say("UNLISTENED", Params{"table": "post", "queue": "orders", "code": "moved", "address": node.address()})
	there := node.peer()
	there.serve("LISTEN", "LISTENING", Params{"table": "post", "queue": "orders"})
	there.say("MESSAGE", Params{"table": "post", "queue": "orders", "message": 4, "epoch": 1, "body": "x"})
	notice, err := l.Next(background)
	ok(t, err)
	want(t, notice.QueueMessage.Body, "x")
}

// A worker of the table jobs, whose first NEXT finds a row.
type working struct {
	*peer
	*fake
	ended <-chan error
	stop  context.CancelFunc
}

func startWorker(t *testing.T, lease time.Duration, do func(context.Context, Row) error) *working {
	c, f, daemon := start(t, quick())
	ctx, cancel := context.WithCancel(background)
	t.Cleanup(cancel)
	w := &working{daemon, f, later(func() error {
		return c.Journal("jobs").Work(ctx, do, WorkerOptions{Lease: lease, Name: "w"})
	}), cancel}
	w.serve("LISTEN", "LISTENING", Params{"table": "jobs"})
	asked := w.serve("NEXT", "ROW", Params{"table": "jobs", "row": 1, "epoch": 2, "name": "one", "left": 0})
	want(t, asked.Params["worker"], "w")
	return w
}

// end stops it: it says UNLISTEN, or NEXT before it.
func (w *working) end(t *testing.T) {
	t.Helper()
	w.stop()
	for {
		message, err := w.in.next()
		ok(t, err)
		if message.Command == "UNLISTEN" {
			w.answer(message, "UNLISTENED", Params{"table": "jobs"})
			break
		}
		want(t, message.Command, "NEXT")
		w.answer(message, "NOTHING", Params{})
	}
	ok(t, <-w.ended)
}

func TestAWorkerSaysHowAFunctionEnded(t *testing.T) {
	for name, one := range map[string]struct {
		do      func(context.Context, Row) error
		command string
		error   string
	}{
		"done":   {func(context.Context, Row) error { return nil }, "DONE", ""},
		"failed": {func(context.Context, Row) error { return errors.New("disk full") }, "RELEASE", "disk full"},
		"given up": {
			func(context.Context, Row) error { return GiveUp(errors.New("no such page")) }, "FAIL", "no such page",
		},
		"panic": {func(context.Context, Row) error { panic("oh") }, "RELEASE", "panic: oh"},
	} {
		t.Run(name, func(t *testing.T) {
			w := startWorker(t, time.Minute, one.do)
			// Its place is free once the end was said.
			said := w.take(one.command)
			answers := map[string]string{"DONE": "COMPLETED", "RELEASE": "RELEASED", "FAIL": "PARKED"}
			w.answer(said, answers[one.command], Params{"row": 1})
			want(t, said.Params["epoch"], int64(2))
			want(t, said.Params.Text("error"), one.error)
			if name == "panic" && !strings.Contains(said.Params.Text("error_trace"), "worker_test.go") {
				t.Error("the trace does not say where")
			}
			w.end(t)
		})
	}
}

func TestAWorkerIsWokenByANotice(t *testing.T) {
	w := startWorker(t, time.Minute, func(context.Context, Row) error { return nil })
	w.serve("DONE", "COMPLETED", Params{"row": 1})
	w.serve("NEXT", "NOTHING", Params{})
	w.say("LISTEN", Params{"table": "jobs", "ready": 1})
	w.serve("NEXT", "NOTHING", Params{})
	w.end(t)
}

func TestAWorkerRenewsItsLease(t *testing.T) {
	finish := make(chan struct{})
	w := startWorker(t, 20*time.Millisecond, func(context.Context, Row) error {
		<-finish
		return nil
	})
	for round := 0; round < 3; round++ {
		want(t, w.serve("TOUCH", "TOUCHED", Params{"lease_end": 1}).Params["lease"], int64(20))
	}
	close(finish)
	for {
		message, err := w.in.next()
		ok(t, err)
		if message.Command == "DONE" {
			w.answer(message, "COMPLETED", Params{})
			break
		}
		w.answer(message, "TOUCHED", Params{"lease_end": 1})
	}
	w.end(t)
}

func TestALostLeaseEndsTheFunction(t *testing.T) {
	w := startWorker(t, 20*time.Millisecond, func(ctx context.Context, _ Row) error {
		<-ctx.Done()
		return errors.New("nobody is told")
	})
	w.serve("TOUCH", "ERROR", Params{"code": "stale_epoch", "message": "another has it"})
	w.serve("NEXT", "NOTHING", Params{})
	w.end(t)
}

func TestAWorkerAdoptsItsLeaseAfterALoss(t *testing.T) {
	finish := make(chan struct{})
	w := startWorker(t, time.Minute, func(context.Context, Row) error {
		<-finish
		return nil
	})
	w.peer.Close()
	w.peer = w.fake.peer()
	w.serve("LISTEN", "LISTENING", Params{"table": "jobs"})
	w.serve("TOUCH", "TOUCHED", Params{"lease_end": 1})
	close(finish)
	w.serve("DONE", "COMPLETED", Params{})
	w.end(t)
}

func TestAStopLetsTheFunctionFinish(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	w := startWorker(t, time.Minute, func(context.Context, Row) error {
		close(begun)
		<-finish
		return nil
	})
	<-begun
	w.stop()
	w.serve("UNLISTEN", "UNLISTENED", Params{"table": "jobs"})
	close(finish)
	w.serve("DONE", "COMPLETED", Params{})
	ok(t, <-w.ended)
}

func TestAWorkerEndsWithWhatNoWaitingChanges(t *testing.T) {
	c, _, daemon := start(t, quick())
	ended := later(func() error {
		return c.Queues("post").Consume(background, func(context.Context, QueueMessage) error { return nil },
			WorkerOptions{Queue: "orders", UntilEmpty: true})
	})
	asked := daemon.serve("ACQUIRE", "MESSAGE", Params{"table": "post", "message": 3, "epoch": 4, "body": "x", "left": 0})
	want(t, asked.Params["queue"], "orders")
	want(t, daemon.serve("ACCEPT", "ACCEPTED", Params{}).Params["message"], int64(3))
	daemon.serve("ACQUIRE", "ERROR", Params{"code": "not_found", "message": "no such queue"})
	want(t, CodeOf(<-ended), "not_found")

	ended = later(func() error {
		return c.Queues("post").Consume(background, func(context.Context, QueueMessage) error { return nil })
	})
	daemon.serve("LISTEN", "LISTENING", Params{"table": "post"})
	daemon.serve("ACQUIRE", "ERROR", Params{"code": "not_found", "message": "no such queue"})
	daemon.serve("UNLISTEN", "UNLISTENED", Params{"table": "post"})
	want(t, CodeOf(<-ended), "not_found")
}
