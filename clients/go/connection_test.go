package fastjournal

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var background = context.Background()

func TestAnswersAreMatchedByRequest(t *testing.T) {
	c, _, daemon := start(t, quick())
	first := later(func() error {
		found, err := c.Journal("jobs").Next(background, JournalNextOptions{Wait: time.Second})
		if err == nil && found.Items[0].Columns["name"] != "one" {
			err = errors.New("the answer of another")
		}
		return err
	})
	waiting := daemon.take("NEXT")
	want(t, waiting.Params["wait"], int64(1000))
	second := later(func() error {
		put, err := c.Journal("jobs").Put(background, Columns{"name": "one"})
		if err == nil && put.Result != "inserted" {
			err = errors.New("the answer of another")
		}
		return err
	})
	daemon.serve("INSERT", "INSERTED", Params{"result": "inserted", "row": 1})
	ok(t, <-second)
	daemon.answer(waiting, "ROW", Params{"row": 1, "epoch": 2, "name": "one", "left": 0})
	ok(t, <-first)
}

func TestOptionsThatAreAbsentAreNotSent(t *testing.T) {
	c, _, daemon := start(t, quick())
	call := later(func() error {
		_, err := c.Queues("post").Publish(background, "news", "", []byte("x"),
			QueuePublishOptions{Priority: Int(0), Mandatory: Bool(false), ProcessDate: In(time.Second)})
		return err
	})
	sent := daemon.serve("SEND", "SENT", Params{"result": "sent"}).Params
	ok(t, <-call)
	for _, name := range []string{"body", "routing_key", "properties", "expiration_date"} {
		want(t, sent[name], nil)
	}
	want(t, sent["priority"], int64(0))
	want(t, sent["mandatory"], int64(0))
	want(t, sent["process_date"], "+1000")
	want(t, string(sent["body_binary"].([]byte)), "x")
}

func TestWhatMayBeSentTwiceIsSentAgainAfterALoss(t *testing.T) {
	c, f, daemon := start(t, quick())
	put := later(func() error {
		_, err := c.Journal("jobs").Put(background, Columns{"name": "one"})
		return err
	})
	first := daemon.take("INSERT")
	daemon.Close()
	daemon = f.peer()
	second := daemon.serve("INSERT", "INSERTED", Params{"result": "duplicate"})
	ok(t, <-put)
	for _, name := range []string{"client", "sequence", "name"} {
		want(t, second.Params[name], first.Params[name])
	}
	want(t, strings.HasPrefix(first.Params.Text("client"), "client-"), true)

	kick := later(func() error {
		_, err := c.Journal("jobs").Kick(background, nil, JournalKickOptions{Row: Int(7)})
		return err
	})
	want(t, daemon.take("KICK").Params["row"], int64(7))
	daemon.Close()
	want(t, CodeOf(<-kick), "closed")
}

func TestADoneThatIsSentAgainMayFindItsRowGone(t *testing.T) {
	c, f, daemon := start(t, quick())
	done := later(func() error { return c.Journal("jobs").Done(background, Row{Row: 1, Epoch: 2}) })
	daemon.take("DONE")
	daemon.Close()
	daemon = f.peer()
	daemon.serve("DONE", "ERROR", Params{"code": "unknown_row", "message": "no"})
	ok(t, <-done)
	done = later(func() error { return c.Journal("jobs").Done(background, Row{Row: 1, Epoch: 2}) })
	daemon.serve("DONE", "ERROR", Params{"code": "unknown_row", "message": "no"})
	want(t, CodeOf(<-done), "unknown_row")
}

func TestALeaseThatNobodyWaitsForIsGivenBack(t *testing.T) {
	c, _, daemon := start(t, quick())
	ctx, cancel := context.WithCancel(background)
	next := later(func() error {
		_, err := c.Journal("jobs").Next(ctx, JournalNextOptions{Wait: time.Minute})
		return err
	})
	waiting := daemon.take("NEXT")
	cancel()
	err := <-next
	want(t, CodeOf(err), "timed_out")
	want(t, errors.Is(err, context.Canceled), true)
	daemon.answer(waiting, "ROW", Params{"table": "jobs", "row": 1, "epoch": 2, "left": 0})
	released := daemon.take("RELEASE").Params
	want(t, released["row"], int64(1))
	want(t, released["epoch"], int64(2))
	want(t, released["error"], nil)
}

func TestATimeLimitHasItsCode(t *testing.T) {
	options := quick()
	options.TimeLimit = time.Millisecond
	c, _, _ := start(t, options)
	_, err := c.Stats(background, "jobs")
	want(t, CodeOf(err), "timed_out")
}

func TestAMovedTableIsFollowed(t *testing.T) {
	c, _, home := start(t, quick())
	node := newFake(t)
	jobs := c.Journal("jobs")
	put := func(name string) <-chan error {
		return later(func() error {
			_, err := jobs.Put(background, Columns{"name": name})
			return err
		})
	}
	one := put("one")
	home.serve("INSERT", "ERROR", Params{"code": "moved", "address": node.address(), "token": "5", "message": "no"})
	there := node.peer()
	want(t, there.serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["name"], "one")
	ok(t, <-one)
	two := put("two")
	want(t, there.serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["name"], "two")
	ok(t, <-two)
	// Other tables stay at home.
	stats := later(func() error {
		_, err := c.Stats(background, "pages")
		return err
	})
	home.serve("STATS", "STATS", Params{"rows": 1, "left": 0})
	ok(t, <-stats)
	// The node is lost: home is asked again.
	there.Close()
	node.Close()
	three := put("three")
	want(t, home.serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["name"], "three")
	ok(t, <-three)
}

// putter has the puts of one table, and a command that comes after all that was said before.
func putter(c *Connection) (func(string) <-chan error, func(*peer)) {
	put := func(name string) <-chan error {
		return later(func() error {
			_, err := c.Journal("jobs").Put(background, Columns{"name": name})
			return err
		})
	}
	return put, func(daemon *peer) {
		daemon.Helper()
		stats := later(func() error {
			_, err := c.Stats(background, "pages")
			return err
		})
		daemon.serve("STATS", "STATS", Params{"left": 0})
		ok(daemon.T, <-stats)
	}
}

func TestATableWithoutAnOwnerIsTriedAgainInOrder(t *testing.T) {
	c, _, daemon := start(t, quick())
	put, barrier := putter(c)
	one := put("one")
	daemon.serve("INSERT", "ERROR", Params{"code": "unavailable", "retry": 100, "message": "wait"})
	barrier(daemon)
	two := put("two")
	want(t, daemon.serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["name"], "one")
	want(t, daemon.serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["name"], "two")
	ok(t, <-one)
	ok(t, <-two)
}

func TestAMovedTableIsFollowedInOrder(t *testing.T) {
	c, _, home := start(t, quick())
	node := newFake(t)
	put, barrier := putter(c)
	one := put("one")
	first := home.take("INSERT")
	two := put("two")
	home.serve("INSERT", "ERROR", Params{"code": "moved", "address": node.address(), "token": "5", "message": "no"})
	barrier(home)
	// What is on its way to where the table was may still be carried out there.
	c.mutex.Lock()
	want(t, len(c.wanted)+len(c.dialing)+len(c.nodes), 0)
	c.mutex.Unlock()
	home.answer(first, "INSERTED", Params{"result": "inserted"})
	ok(t, <-one)
	want(t, node.peer().serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["name"], "two")
	ok(t, <-two)
}

func TestAnOlderTokenIsNotFollowed(t *testing.T) {
	home, node, stranger := &line{address: "a:1"}, &line{address: "b:1"}, Params{"address": "c:1", "token": "4"}
	of := &route{line: home}
	want(t, of.follow(Params{"address": "b:1", "token": "5"}, home, home), true)
	want(t, of.address, "b:1")
	of.line = node
	want(t, of.follow(stranger, home, home), true) // what was asked there goes to where it is
	want(t, of.address, "b:1")
	want(t, of.follow(stranger, node, home), false)
	want(t, of.follow(Params{"token": "6"}, node, home), false)
	want(t, of.line, home)
	want(t, of.address, "")
	secret := &route{line: home}
	home.address = "tls:a:1"
	secret.follow(Params{"address": "b:1"}, home, home)
	want(t, secret.address, "tls:b:1")
}

func TestTheNextServerTakesOver(t *testing.T) {
	first, second := newFake(t), newFake(t)
	c := connected(t, first.address()+", "+second.address(), Options{Pauses: []time.Duration{time.Hour}})
	daemon := first.peer()
	stats := later(func() error {
		_, err := c.Stats(background, "jobs")
		return err
	})
	daemon.take("STATS")
	first.Close()
	daemon.Close()
	second.peer().serve("STATS", "STATS", Params{"rows": 1, "left": 0})
	ok(t, <-stats)
}

func TestASilentServerIsGivenUp(t *testing.T) {
	first, second := newFake(t), newFake(t)
	options := Options{Pauses: []time.Duration{time.Hour}, SilenceLimit: 20 * time.Millisecond}
	c := connected(t, first.address()+","+second.address(), options)
	daemon := first.peer()
	stats := later(func() error {
		_, err := c.Stats(background, "jobs")
		return err
	})
	daemon.take("STATS")
	second.peer().serve("STATS", "STATS", Params{"rows": 1, "left": 0})
	ok(t, <-stats)
}

func TestTheTokenGoesFirst(t *testing.T) {
	f := newFake(t)
	options := quick()
	options.Token = "secret"
	for _, isRefused := range []bool{false, true} {
		connecting := later(func() error {
			c, err := Connect(background, f.address(), options)
			if err == nil {
				defer c.Close()
				_, err = c.Stats(background, "")
			}
			return err
		})
		daemon := f.peer()
		login := daemon.take("AUTH")
		want(t, login.Params["token"], "secret")
		if isRefused {
			daemon.answer(login, "ERROR", Params{"code": "not_allowed", "message": "no"})
			want(t, CodeOf(<-connecting), "not_allowed")
			continue
		}
		daemon.answer(login, "AUTHENTICATED", Params{"user": "u"})
		daemon.serve("STATS", "STATS", Params{"left": 0})
		ok(t, <-connecting)
	}
}

func TestWhereNobodyListensTheConnectionIsUnavailable(t *testing.T) {
	f := newFake(t)
	f.Close()
	_, err := Connect(background, f.address(), quick())
	want(t, CodeOf(err), "unavailable")
	_, err = Connect(background, f.address()+",nowhere", quick())
	want(t, CodeOf(err), "unavailable")
	_, err = Connect(background, "nowhere", quick())
	want(t, CodeOf(err), "bad_parameter")
}

func TestWithoutPausesNothingIsConnectedAgain(t *testing.T) {
	c, _, daemon := start(t, Options{Pauses: []time.Duration{}})
	stats := later(func() error {
		_, err := c.Stats(background, "jobs")
		return err
	})
	daemon.take("STATS")
	daemon.Close()
	want(t, CodeOf(<-stats), "closed")
	_, err := c.Stats(background, "jobs")
	want(t, CodeOf(err), "closed")
}

func TestCloseEndsWhatIsInFlight(t *testing.T) {
	c, _, daemon := start(t, quick())
	stats := later(func() error {
		_, err := c.Stats(background, "jobs")
		return err
	})
	daemon.take("STATS")
	ok(t, c.Close())
	want(t, CodeOf(<-stats), "closed")
	_, err := c.Stats(background, "jobs")
	want(t, CodeOf(err), "closed")
}

func TestARefusalWithoutARequestIsThatOfTheOldest(t *testing.T) {
	c, _, daemon := start(t, quick())
	next := later(func() error {
		_, err := c.Journal("jobs").Next(background, JournalNextOptions{Wait: time.Minute})
		return err
	})
	waiting := daemon.take("NEXT") // whose answer may overtake others
	stats := later(func() error {
		_, err := c.Stats(background, "jobs")
		return err
	})
	daemon.take("STATS")
	_, err := daemon.Write([]byte("INVALID code=too_large;message=a line;\n"))
	ok(t, err)
	want(t, CodeOf(<-stats), "too_large")
	daemon.answer(waiting, "NOTHING", Params{})
	ok(t, <-next)
}

func TestCommandsBeyondTheMostInFlightWait(t *testing.T) {
	options := quick()
	options.InFlightMax = 1
	c, _, daemon := start(t, options)
	for round := 0; round < 2; round++ {
		stats := later(func() error {
			_, err := c.Stats(background, "jobs")
			return err
		})
		asked := daemon.take("STATS")
		ctx, cancel := context.WithCancel(background)
		cancel()
		_, err := c.Stats(ctx, "jobs")
		want(t, CodeOf(err), "timed_out")
		daemon.answer(asked, "STATS", Params{"left": 0})
		ok(t, <-stats)
	}
}

func TestATableWithoutRoomForANameGetsPutsWithoutOne(t *testing.T) {
	c, _, daemon := start(t, quick())
	for round := 0; round < 2; round++ {
		put := later(func() error {
			_, err := c.Journal("jobs").Put(background, Columns{"name": "one"})
			return err
		})
		if round == 0 {
			daemon.serve("INSERT", "ERROR", Params{"code": "over_limit", "parameter": "client", "message": "full"})
		}
		want(t, daemon.serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["client"], nil)
		ok(t, <-put)
	}
}

func TestADaemonThatKnowsNoTracesGetsNone(t *testing.T) {
	c, _, daemon := start(t, quick())
	fail := later(func() error {
		returned, err := c.Journal("jobs").Fail(background, Row{Row: 1, Epoch: 2}, strings.Repeat("e", 2000),
			JournalFailOptions{ErrorTrace: "there"})
		if err == nil && returned.Fate != "parked" {
			err = errors.New(returned.Fate)
		}
		return err
	})
	first := daemon.serve("FAIL", "ERROR",
		Params{"code": "unknown_parameter", "parameter": "error_trace", "message": "what"})
	want(t, len(first.Params.Text("error")), 1024)
	want(t, first.Params["error_trace"], "there")
	want(t, daemon.serve("FAIL", "PARKED", Params{"row": 1}).Params["error_trace"], nil)
	ok(t, <-fail)
	release := later(func() error {
		_, err := c.Journal("jobs").Release(background, Row{Row: 1}, JournalReleaseOptions{ErrorTrace: "there"})
		return err
	})
	want(t, daemon.serve("RELEASE", "RELEASED", Params{"row": 1}).Params["error_trace"], nil)
	ok(t, <-release)
}

func TestPagesGoOnUntilThereIsNoMore(t *testing.T) {
	c, _, daemon := start(t, quick())
	var rows []Row
	list := later(func() (err error) {
		rows, err = c.Journal("jobs").List(JournalListOptions{Status: "due"}).All(background)
		return err
	})
	first := daemon.take("LIST")
	want(t, first.Params["after"], nil)
	daemon.answer(first, "ROW", Params{"row": 1, "name": "a", "left": 1})
	daemon.answer(first, "ROW", Params{"row": 2, "after": 2, "left": 0})
	second := daemon.serve("LIST", "NOTHING", Params{"after": 9})
	want(t, second.Params["after"], int64(2))
	want(t, daemon.serve("LIST", "ROW", Params{"row": 12, "left": 0}).Params["after"], int64(9))
	ok(t, <-list)
	want(t, len(rows), 3)
	want(t, rows[0].Columns["name"], "a")
	want(t, len(rows[2].Columns), 0)
}

func TestWhatAddsUpGoesOnToItsCount(t *testing.T) {
	c, _, daemon := start(t, quick())
	purge := later(func() error {
		count, err := c.Queues("post").Purge(background, "orders", QueuePurgeOptions{Count: 1500})
		if err == nil && count != 1200 {
			err = errors.New("wrong count")
		}
		return err
	})
	want(t, daemon.serve("PURGE", "PURGED", Params{"count": 1000, "more": 1}).Params["count"], int64(1000))
	want(t, daemon.serve("PURGE", "PURGED", Params{"count": 200}).Params["count"], int64(500))
	ok(t, <-purge)
}

func TestManyRowsHaveTheirResults(t *testing.T) {
	c, _, daemon := start(t, quick())
	var counts PutCounts
	refused := []int{}
	rows := []Columns{{"name": "a"}, {"table": "no column"}, {"name": "b"}, {"name": "c"}}
	many := later(func() (err error) {
		counts, err = c.Journal("jobs").PutMany(background, EachOf(rows), PutManyOptions{
			Client: "mine", FirstSequence: 10,
			OnRefused: func(index int, _ Columns, _ error) { refused = append(refused, index) },
		})
		return err
	})
	want(t, daemon.serve("INSERT", "INSERTED", Params{"result": "inserted"}).Params["sequence"], int64(10))
	want(t, daemon.serve("INSERT", "ERROR", Params{"code": "too_large"}).Params["sequence"], int64(12))
	daemon.serve("INSERT", "INSERTED", Params{"result": "merged"})
	ok(t, <-many)
	want(t, counts, PutCounts{Inserted: 1, Merged: 1, Refused: 2})
	want(t, len(refused), 2)
	want(t, refused[0]+refused[1], 3)

	many = later(func() error {
		_, err := c.Journal("jobs").PutMany(background, EachOf(rows[2:]))
		return err
	})
	daemon.serve("INSERT", "INSERTED", Params{"result": "inserted"})
	daemon.serve("INSERT", "ERROR", Params{"code": "too_large"})
	var why *Error
	want(t, errors.As(<-many, &why), true)
	want(t, why.Facts["index"], int64(1))
}

func TestTransactionsHaveTheAnswersOfTheirCommands(t *testing.T) {
	c, _, daemon := start(t, quick())
	done := later(func() error {
		answers, err := c.Transaction(background, []Command{{"INSERT", Params{"table": "jobs", "name": "a"}}})
		if err == nil && (len(answers) != 1 || answers[0].Command != "INSERTED") {
			err = errors.New("other answers")
		}
		return err
	})
	sent := daemon.take("TRANSACTION")
	inner, err := read(t, sent.Params.Text("commands"))
	ok(t, err)
	want(t, inner.Command, "INSERT")
	daemon.answer(sent, "COMMITTED", Params{"left": 1})
	daemon.answer(sent, "INSERTED", Params{"left": 0})
	ok(t, <-done)
	_, err = c.Call(background, "BEGIN", Params{})
	want(t, CodeOf(err), "not_supported")
}

func TestThereIsNoneWhereNothingIsAnswered(t *testing.T) {
	c, _, daemon := start(t, quick())
	var found bool
	get := later(func() (err error) {
		_, found, err = c.KeyValue("kv").Get(background, "key")
		return err
	})
	daemon.serve("GET", "NOTHING", Params{})
	ok(t, <-get)
	want(t, found, false)
	var pair Pair
	get = later(func() (err error) {
		pair, found, err = c.KeyValue("kv").Get(background, []byte("key"))
		return err
	})
	daemon.serve("GET", "PAIR", Params{"value": 7, "left": 0})
	ok(t, <-get)
	want(t, found, true)
	want(t, pair.Value, int64(7))
}

// A certificate for "localhost", as files.
func certificate(t *testing.T) (tls.Certificate, string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ok(t, err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	raw, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	ok(t, err)
	file := filepath.Join(t.TempDir(), "ca.pem")
	ok(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), 0o600))
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, file
}

func TestTLSOverAUnixSocket(t *testing.T) {
	pair, file := certificate(t)
	path := filepath.Join(t.TempDir(), "socket")
	plain, err := net.Listen("unix", path)
	ok(t, err)
	f := &fake{t, tls.NewListener(plain, &tls.Config{Certificates: []tls.Certificate{pair}})}
	defer f.Close()
	options := quick()
	options.CA = file
	stats := later(func() error {
		c, err := Connect(background, "tls:unix:"+path, options)
		if err == nil {
			defer c.Close()
			_, err = c.Stats(background, "jobs")
		}
		return err
	})
	f.peer().serve("STATS", "STATS", Params{"left": 0})
	ok(t, <-stats)
	refused := later(func() error {
		_, err := Connect(background, "tls:unix:"+path, quick())
		return err
	})
	f.peer().in.next()
	err = <-refused
	var why *Error
	want(t, errors.As(err, &why), true)
	want(t, why.Facts["tls"], "certificate")
}
