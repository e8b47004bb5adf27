package fastjournal

// The made calls with the real daemon, where FJ_BIN and FJ_PLUGINS name its programs and the table types: that each is
// understood, and that what it returns is read. tests/conformance has the rules.

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const plan = `<plan name="docs" version="1">
<retry max-attempts="3" first="1ms" factor="1" jitter="0"/>
<source name="pages" router="duplicate-all"/>
<step name="index" after="pages" kind="idempotent" guarantee="at-least-once"/>
<step name="publish" after="pages" kind="potent"/>
</plan>`

var files = map[string]string{
	"fastjournal.xml": `<fastjournal/>`,
	"tables/jobs.xml": `<table name="jobs" model="journal" row-key="name"><schema>` +
		`<column name="name" type="string" required="true"/><column name="site" type="string"/></schema>` +
		`<domain>site</domain></table>`,
	"tables/post.xml":       `<table name="post" model="queue"><queues>orders failed</queues></table>`,
	"tables/values.xml":     `<table name="values" model="keyvalue"/>`,
	"tables/files.xml":      `<table name="files" model="blob"/>`,
	"tables/docs.xml":       `<table name="docs" type="pipeline"><plan>plans/docs.xml</plan></table>`,
	"tables/plans/docs.xml": plan,
}

// daemon starts one, and connects to it as an administrator.
func daemon(t *testing.T) *Connection {
	programs, plugins := os.Getenv("FJ_BIN"), os.Getenv("FJ_PLUGINS")
	if programs == "" || plugins == "" {
		t.Skip("FJ_BIN and FJ_PLUGINS name no daemon")
	}
	folder := t.TempDir()
	ok(t, os.MkdirAll(filepath.Join(folder, "tables/plans"), 0o755))
	for name, text := range files {
		ok(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	command := exec.Command(filepath.Join(programs, "fastjournald"), "--config", folder+"/fastjournal.xml",
		"--tables", folder+"/tables", "--plugins", plugins, "--data", folder+"/data", "--listen", "unix:"+folder+"/s")
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	ok(t, err)
	ok(t, command.Start())
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
	address := ""
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == "listening" {
			address = words[1]
		}
	}
	if address == "" {
		t.Fatal("the daemon did not start")
	}
	return connected(t, address, quick())
}

// got is what a call returned besides its error.
func got[T any](out T, err error) T {
	if err != nil {
		panic(err)
	}
	return out
}

func countOf[T any](pages *Pages[T]) int { return len(got(pages.All(background))) }

func TestCallsOfAJournal(t *testing.T) {
	ctx := background
	jobs := daemon(t).Journal("jobs")
	one := got(jobs.Put(ctx, Columns{"name": "one", "site": "d"}, JournalPutOptions{Priority: Int(0)}))
	want(t, one.Result, "inserted")
	two := got(jobs.Put(ctx, Columns{"name": "two", "site": "d"}, JournalPutOptions{ProcessDate: In(time.Hour)}))
	want(t, time.Until(two.ProcessDate) > time.Minute, true)
	want(t, countOf(jobs.List(JournalListOptions{Count: 1})), 2)
	want(t, countOf(jobs.Peek(Columns{"name": "two"})), 1)
	want(t, got(jobs.Peek(nil, JournalPeekOptions{Row: Int(one.Row)}).All(ctx))[0].Columns["site"], "d")
	_, err := jobs.Peek(Columns{"name": "none"}).All(ctx)
	want(t, CodeOf(err), "unknown_row")
	want(t, countOf(jobs.Timeline()), 2)
	want(t, got(jobs.Domains().All(ctx))[0].Rows, int64(2))
	why := got(jobs.Why(Columns{"name": "two"}).All(ctx))[0]
	want(t, why.State, "waiting")
	want(t, why.In > time.Minute, true)

	found := got(jobs.Next(ctx, JournalNextOptions{Lease: time.Minute, Worker: "w", Count: 5}))
	want(t, len(found.Items), 1)
	row := found.Items[0]
	want(t, row.Priority, int64(0))
	want(t, row.Table, "jobs")
	want(t, time.Until(got(jobs.Touch(ctx, row, JournalTouchOptions{Lease: time.Hour}))) > time.Minute, true)
	why = got(jobs.Why(nil, JournalWhyOptions{Row: Int(row.Row)}).All(ctx))[0]
	want(t, why.Epoch, row.Epoch)
	want(t, got(jobs.Release(ctx, row, JournalReleaseOptions{Error: "e", ErrorTrace: "t"})).Fate, "released")
	want(t, got(jobs.Kick(ctx, Columns{"name": "one"})).Row, row.Row)
	row = got(jobs.Next(ctx)).Items[0]
	want(t, row.Attempts, int64(0))
	want(t, got(jobs.Fail(ctx, row, "never")).Fate, "parked")
	want(t, got(jobs.KickMatching(ctx, JournalKickMatchingOptions{Error: "never"})), int64(1))
	next := got(jobs.DoneAndNext(ctx, got(jobs.Next(ctx)).Items[0]))
	want(t, len(next.Items), 0)
	want(t, next.NextDate.UnixMilli(), two.ProcessDate.UnixMilli())
	_, err = jobs.Touch(ctx, row)
	want(t, CodeOf(err), "unknown_row")

	ok(t, jobs.Pause(ctx, JournalPauseOptions{Reason: "because"}))
	_, err = jobs.Next(ctx)
	want(t, CodeOf(err), "paused")
	want(t, got(jobs.Resume(ctx)), "paused")
	ok(t, jobs.Drain(ctx))
	_, err = jobs.Put(ctx, Columns{"name": "three"})
	want(t, CodeOf(err), "paused")
	want(t, got(jobs.Resume(ctx)), "draining")
	ok(t, jobs.Delete(ctx, Columns{"name": "two"}))
	got(jobs.Put(ctx, Columns{"name": "x1"}))
	got(jobs.Put(ctx, Columns{"name": "x2"}))
	want(t, got(jobs.Count(ctx, JournalCountOptions{Prefix: "x"})), int64(2))
	want(t, got(jobs.DeleteMatching(ctx, JournalDeleteMatchingOptions{Prefix: "x", Count: 1})), int64(1))
	want(t, got(jobs.DeleteMatching(ctx, JournalDeleteMatchingOptions{Prefix: "x"})), int64(1))
}

func TestCallsOfQueues(t *testing.T) {
	ctx := background
	post := daemon(t).Queues("post")
	want(t, got(post.Declare(ctx, "more", QueueDeclareOptions{DeadLetters: "failed", MaxDeliveries: Int(2)})), "made")
	want(t, got(post.DeclareExchange(ctx, "news", "topic")), "made")
	want(t, got(post.Bind(ctx, "news", "more", QueueBindOptions{RoutingKey: "italy.#"})), "made")
	want(t, countOf(post.Bindings()), 1)
	want(t, countOf(post.Exchanges()), 1)
	want(t, countOf(post.Queues(QueueQueuesOptions{Count: 1})), 3)
	want(t, got(post.Publish(ctx, "news", "italy.rome", "one")).Queues, int64(1))
	want(t, got(post.Publish(ctx, "news", "spain", "none", QueuePublishOptions{Mandatory: Bool(false)})).Queues, int64(0))
	_, err := post.Publish(ctx, "news", "spain", "none", QueuePublishOptions{Mandatory: Bool(true)})
	want(t, CodeOf(err), "not_found")
	sent := got(post.Send(ctx, "orders", []byte{0, 1}, QueueSendOptions{Properties: `{"a":1}`}))
	want(t, string(got(post.Read(ctx, sent.Message)).Body.([]byte)), "\x00\x01")
	want(t, got(post.Why(ctx, sent.Message)).State, "due")
	message := got(post.Acquire(ctx, QueueAcquireOptions{Queue: "more", Lease: time.Minute})).Items[0]
	want(t, message.Body, "one")
	want(t, message.RoutingKey, "italy.rome")
	want(t, time.Until(got(post.Touch(ctx, message))) > 0, true)
	ok(t, post.Kick(ctx, message.Message))
	message = got(post.Acquire(ctx, QueueAcquireOptions{Queue: "more"})).Items[0]
	want(t, message.Redelivered, true)
	want(t, got(post.Release(ctx, message)).Fate, "released")
	message = got(post.Acquire(ctx, QueueAcquireOptions{Queue: "more"})).Items[0]
	returned := got(post.Reject(ctx, message, "never"))
	want(t, returned.Fate+returned.Queue, "deadfailed")
	message = got(post.Acquire(ctx, QueueAcquireOptions{Queue: "failed"})).Items[0]
	want(t, message.DeadOf, "more")
	ok(t, post.Accept(ctx, message))
	want(t, countOf(post.Browse(QueueBrowseOptions{Queue: "orders"})), 1)
	want(t, got(post.Move(ctx, "orders", "failed")), int64(1))
	want(t, got(post.Purge(ctx, "failed")), int64(1))
	ok(t, post.Unbind(ctx, "news", "more", QueueUnbindOptions{RoutingKey: "italy.#"}))
	ok(t, post.RemoveExchange(ctx, "news"))
	ok(t, post.Remove(ctx, "more", QueueRemoveOptions{IfEmpty: true}))
}

func TestAnOperatorHasSingleMessagesAndQueuesInHand(t *testing.T) {
	ctx := background
	post := daemon(t).Queues("post")
	first := got(post.Send(ctx, "orders", "one", QueueSendOptions{Lease: 90 * time.Second})).Message
	later := got(post.Send(ctx, "orders", "later", QueueSendOptions{ProcessDate: In(time.Hour)})).Message
	want(t, got(post.Peek("orders").All(ctx))[0].Message, first)
	want(t, got(post.Peek("orders", QueuePeekOptions{Status: "waiting"}).All(ctx))[0].Message, later)
	want(t, countOf(post.Peek("orders", QueuePeekOptions{Status: "parked"})), 0)
	next := func() QueueMessage { return got(post.Acquire(ctx, QueueAcquireOptions{Queue: "orders"})).Items[0] }
	message := next()
	want(t, got(post.Read(ctx, first)).Lease, 90*time.Second)
	want(t, got(post.Release(ctx, message, QueueReleaseOptions{Priority: Int(7)})).Fate, "released")
	message = next()
	want(t, message.Priority, int64(7))
	want(t, CodeOf(post.Delete(ctx, first)), "wrong_state")
	want(t, got(post.Park(ctx, message, QueueParkOptions{Error: "who?", Priority: Int(0)})).Fate, "parked")
	parked := got(post.Peek("orders", QueuePeekOptions{Status: "parked"}).All(ctx))[0]
	want(t, parked.Error, "who?")
	want(t, parked.Priority, int64(0))
	// A parked one first; what waits for its date when none is parked.
	want(t, got(post.KickQueue(ctx, "orders")), int64(1))
	want(t, got(post.KickQueue(ctx, "orders", QueueKickQueueOptions{Count: 1})), int64(1))
	want(t, got(post.KickQueue(ctx, "orders")), int64(0))
	got(post.Park(ctx, got(post.AcquireMessage(ctx, first)).Items[0]))
	ok(t, post.Kick(ctx, first, QueueKickOptions{Status: "parked"}))
	want(t, CodeOf(post.Kick(ctx, first)), "wrong_state")
	ok(t, post.Delete(ctx, first))

	want(t, got(post.Pause(ctx, "orders", QueuePauseOptions{Until: In(time.Hour), Reason: "inventory"})), "changed")
	for _, queue := range got(post.Queues().All(ctx)) {
		want(t, queue.Paused, queue.Queue == "orders")
		want(t, time.Until(queue.PausedUntil) > time.Minute, queue.Paused)
		want(t, queue.PauseReason != "", queue.Paused)
	}
	want(t, len(got(post.Acquire(ctx, QueueAcquireOptions{Queue: "orders"})).Items), 0)
	got(post.Send(ctx, "failed", "two"))
	several := QueueAcquireOptions{Queues: "orders failed", Count: 5}
	found := got(post.Acquire(ctx, several)).Items
	want(t, len(found), 1)
	want(t, found[0].Body, "two")
	got(post.Release(ctx, found[0]))
	want(t, got(post.Resume(ctx, "orders")), "changed")
	want(t, got(post.Resume(ctx, "orders")), "unchanged")
	want(t, len(got(post.Acquire(ctx, several)).Items), 2)
}

func TestCallsOfValues(t *testing.T) {
	ctx := background
	values := daemon(t).KeyValue("values")
	want(t, got(values.Set(ctx, "text", "one", KeyValueSetOptions{TTL: time.Hour})).Result, "stored")
	want(t, got(values.Set(ctx, "text", "two", KeyValueSetOptions{Overwrite: Bool(false)})).Result, "exists")
	want(t, got(values.Set(ctx, []byte{255}, []byte{0})).Result, "stored")
	want(t, got(values.Set(ctx, "yes", true)).Result, "stored")
	pair, found, err := values.Get(ctx, "text", KeyValueGetOptions{Facts: true})
	ok(t, err)
	want(t, found, true)
	want(t, pair.Value, "one")
	want(t, pair.TTL, time.Hour)
	want(t, time.Since(pair.CreationDate) < time.Hour, true)
	_, found, err = values.Get(ctx, "none")
	ok(t, err)
	want(t, found, false)
	want(t, countOf(values.Scan(KeyValueScanOptions{Count: 1})), 3)
	want(t, got(values.Add(ctx, "count", 5)).Value, int64(5))
	want(t, got(values.Invert(ctx, "yes")).Value, false)
	want(t, got(values.Truncate(ctx, "text", 2)).Result, "stored")
	want(t, got(values.Alias(ctx, "text", "alias")).Result, "stored")
	want(t, got(values.Rename(ctx, "alias", "other")).Result, "stored")
	want(t, time.Until(got(values.Lock(ctx, "other", time.Minute))) > 0, true)
	ok(t, values.Unlock(ctx, "other"))
	want(t, got(values.Delete(ctx, "other")), "deleted")
}

func TestCallsOfBlobs(t *testing.T) {
	ctx := background
	blobs := daemon(t).Blobs("files")
	want(t, got(blobs.Put(ctx, "key", []byte("a\x00b"))).Result, "stored")
	got(blobs.Put(ctx, "empty", nil))
	blob, found, err := blobs.Get(ctx, "key", BlobGetOptions{Offset: 1})
	ok(t, err)
	want(t, found, true)
	want(t, string(blob.Data), "\x00b")
	_, found, err = blobs.Get(ctx, "none")
	ok(t, err)
	want(t, found, false)
	want(t, countOf(blobs.List(BlobListOptions{Count: 1})), 2)
	want(t, got(blobs.Omit(ctx, "key")), "omitted")
	want(t, got(blobs.Maintain(ctx)).Result, "begun")
}

func TestCallsOfDocuments(t *testing.T) {
	ctx := background
	docs := daemon(t).Documents("docs")
	document := got(docs.Found(ctx, "pages", "http://example.com/", "h1", DocumentFoundOptions{Lease: time.Minute}))
	want(t, document.Change, "new")
	want(t, len(document.Destinations), 2)
	want(t, got(docs.Heartbeat(ctx, document, 0)), true)
	index, publish := document.Destinations[0], document.Destinations[1]
	want(t, got(docs.Begin(ctx, document, index)).Verdict, "run")
	want(t, got(docs.Sent(ctx, document, index)), "sent")
	want(t, got(docs.Begin(ctx, document, index)).Verdict, "skip")
	want(t, got(docs.Begin(ctx, document, publish)).Attempt, int64(1))
	failed := DocumentFailedOptions{Class: "full", Error: "disk full", Permanent: true}
	want(t, got(docs.Failed(ctx, document, publish, failed)), "error_doc")
	want(t, countOf(docs.Documents(DocumentDocumentsOptions{Status: "failed"})), 1)
	want(t, countOf(docs.Destinations()), 2)
	want(t, countOf(docs.History(DocumentHistoryOptions{Count: 1})) > 2, true)
	want(t, countOf(docs.Plans()), 1)
	want(t, countOf(docs.Steps()), 3)
	want(t, strings.Contains(got(docs.Why(ctx, document.Document)).Text, "disk full"), true)
	want(t, got(docs.Retry(ctx, DocumentRetryOptions{Class: "full"})), int64(1))
	found := got(docs.Next(ctx, DocumentNextOptions{Destination: publish}))
	want(t, found.Items[0].Document, document.Document)
	ok(t, docs.Release(ctx, found.Items[0]))
	want(t, got(docs.Force(ctx, DocumentForceOptions{All: true, DryRun: true})), int64(2))
	ok(t, docs.Pause(ctx, publish))
	ok(t, docs.Resume(ctx, publish))
	want(t, got(docs.Drop(ctx, DocumentDropOptions{Destination: publish, All: true})), int64(1))
	want(t, got(docs.Found(ctx, "pages", "http://example.com/", "h1")).Change, "unchanged")
}

func TestCallsOfTheDaemon(t *testing.T) {
	ctx := background
	c := daemon(t)
	own := c.Daemon()
	want(t, strings.Contains(got(own.Commands(ctx)), "XA_START"), true)
	want(t, got(own.Help("STATS").All(ctx))[0].Type, "daemon")
	want(t, countOf(own.Help("NEXT")) > 1, true)
	rights := got(own.Rights(ctx, DaemonRightsOptions{Table: "none"}))
	want(t, rights.Connection > 0 && strings.Contains(rights.Rights, "read"), true)
	tables := got(own.Tables().All(ctx))
	want(t, len(tables), 5)
	for _, one := range tables {
		want(t, one.Persistent, true)
	}
	stats := got(own.Stats(ctx))
	want(t, len(stats), 6)
	want(t, stats[0].Params.Int("connections"), int64(1))
	want(t, got(own.Stats(ctx, DaemonStatsOptions{Table: "jobs"}))[0].Params.Int("rows"), int64(0))
	want(t, strings.Contains(got(own.Metrics(ctx)), `table="jobs"`), true)
	want(t, strings.HasSuffix(got(own.Metrics(ctx, DaemonMetricsOptions{Format: "openmetrics"})), "# EOF\n"), true)
	ok(t, own.Health(ctx))
	ok(t, own.Health(ctx, DaemonHealthOptions{What: "live"}))
	want(t, strings.HasPrefix(got(own.Openapi(ctx)), "{"), true)
	want(t, countOf(own.Alerts()), 0)
	want(t, CodeOf(own.Lower(ctx, "none", DaemonLowerOptions{Table: "jobs"})), "not_found")
	want(t, countOf(own.Waiters("jobs")), 0)
	listener := got(c.Listen(ctx, "jobs", ListenOptions{}))
	waiters := got(own.Waiters("jobs", DaemonWaitersOptions{Count: 1}).All(ctx))
	want(t, len(waiters), 1)
	want(t, waiters[0].Mode, "wake")
	want(t, time.Since(waiters[0].Since) < time.Minute, true)
	ok(t, listener.Close(ctx))
	_, err := own.Fetch(ctx, "jobs", DaemonFetchOptions{From: Int(0)})
	want(t, CodeOf(err), "not_supported")

	// The connection is for many, and so begins no branch itself.
	manager := got(net.Dial("unix", strings.TrimPrefix(c.servers[0], "unix:")))
	defer manager.Close()
	got(manager.Write([]byte("XA_START xid=1:ab:01\nINSERT table=jobs;name=a\nXA_END xid=1:ab:01\n")))
	for lines, nr := bufio.NewScanner(manager), 0; nr < 3; nr++ {
		want(t, lines.Scan(), true)
	}
	want(t, countOf(own.XaRecover()), 0)
	want(t, got(own.XaRecover(DaemonXaRecoverOptions{All: true}).All(ctx))[0].State, "idle")
	want(t, got(own.XaPrepare(ctx, "1:ab:01")), int64(1))
	want(t, got(own.XaCommit(ctx, "1:ab:01"))[1].Command, "INSERTED")
	_, err = own.XaCommit(ctx, "1:ab:01", DaemonXaCommitOptions{OnePhase: true})
	want(t, CodeOf(err), "not_found")
	want(t, CodeOf(own.XaRollback(ctx, "1:ab:01")), "not_found")
	want(t, CodeOf(own.XaForget(ctx, "1:ab:01")), "not_found")

	want(t, got(own.Digest(DaemonDigestOptions{Table: "jobs"}).All(ctx))[0].Table, "jobs")
	want(t, got(own.Backup(ctx, DaemonBackupOptions{Digest: true}))[0].Command, "BACKUP")
	ok(t, own.BackupDone(ctx))
	_, err = own.Cluster(ctx)
	want(t, CodeOf(err), "not_found")
	told := got(own.Reload(ctx, DaemonReloadOptions{DryRun: true}))
	want(t, told.DryRun, true)
	want(t, told.Count, int64(0))
	ok(t, own.LogRotate(ctx))
}

func TestCallsThatEndOrMoveSomething(t *testing.T) {
	c, _, peer := start(t, quick())
	own := c.Daemon()
	ctx := background
	ended := later(func() error { return own.StepDown(ctx, "a", DaemonStepDownOptions{For: Of(time.Duration(0))}) })
	want(t, peer.serve("STEP_DOWN", "STEPPED_DOWN", Params{}).Params.Text("for"), "0")
	ok(t, <-ended)
	ended = later(func() error {
		moving, err := own.MoveTable(ctx, "jobs")
		want(t, moving[0].Params.Text("to"), "b")
		return err
	})
	want(t, peer.serve("MOVE_TABLE", "MOVING", Params{"to": "b"}).Params["table"], "jobs")
	ok(t, <-ended)
	ended = later(func() error { return own.Stop(ctx) })
	peer.serve("STOP", "STOPPING", Params{})
	ok(t, <-ended)
	ended = later(func() error { return own.Restart(ctx) })
	peer.serve("RESTART", "RESTARTING", Params{})
	ok(t, <-ended)
	ended = later(func() error {
		ops, err := own.XaDecide(ctx, "1:ab:01", "commit")
		want(t, ops, int64(3))
		return err
	})
	want(t, peer.serve("XA_DECIDE", "DECIDED", Params{"ops": 3}).Params["outcome"], "commit")
	ok(t, <-ended)
	ended = later(func() error {
		branches, err := own.XaRecover().All(ctx)
		want(t, len(branches), 0)
		return err
	})
	peer.serve("XA_RECOVER", "BRANCHES", Params{"count": 0})
	ok(t, <-ended)
}
