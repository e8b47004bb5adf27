package fastjournal

import (
	"bytes"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

func read(t *testing.T, raw string) (Message, error) {
	t.Helper()
	return newReader(strings.NewReader(raw), 1<<20).next()
}

func TestValuesOfEveryKindComeBack(t *testing.T) {
	long := strings.Repeat("long ", 20000)
	type own string
	given := Params{
		"text": "grüß ;\x00\n", "long": long, "middle": strings.Repeat("x", 200), "empty": "",
		"bytes": []byte{0, 255, 10},
		"least": int64(math.MinInt64), "most": int64(math.MaxInt64), "beyond": uint64(math.MaxUint64), "small": int8(-3),
		"real": -0.5, "yes": true, "no": false, "own": own("x"), "absent": nil, "date": Date("+5"),
	}
	frame, err := appendFrame(nil, "INSERT", given)
	ok(t, err)
	got, err := read(t, string(frame))
	ok(t, err)
	delete(given, "absent")
	given["small"], given["own"], given["date"] = int64(-3), "x", "+5"
	want(t, got.Command, "INSERT")
	if !reflect.DeepEqual(got.Params, given) {
		t.Fatalf("got %v", got.Params)
	}
}

func TestIntegersOfEveryWidthAreRead(t *testing.T) {
	for raw, wanted := range map[string]any{
		"\xcc\xff": int64(255), "\xcd\x01\x00": int64(256), "\xce\x00\x01\x00\x00": int64(65536), "\xd0\x80": int64(-128),
		"\xd1\xff\x00": int64(-256), "\xd2\xff\xff\x00\x00": int64(-65536), "\xe0": int64(-32), "\x7f": int64(127),
		"\xca\x3f\x00\x00\x00": 0.5, "\xc4\x01a": "bytes", "\xd9\x01a": "a",
	} {
		d := &decoder{rest: []byte(raw)}
		got := d.value(0)
		if blob, isBytes := got.([]byte); isBytes && string(blob) == "a" {
			got = "bytes"
		}
		if got != wanted || d.bad || len(d.rest) > 0 {
			t.Errorf("%q: got %v", raw, got)
		}
	}
}

func TestWhatNoMessageCanCarryIsRefused(t *testing.T) {
	_, err := appendFrame(nil, "X", Params{"list": []int{1}})
	want(t, CodeOf(err), "bad_parameter")
	many := Params{}
	for at := 0; at < 257; at++ {
		many[strings.Repeat("x", at+1)] = at
	}
	_, err = appendFrame(nil, "X", many)
	want(t, CodeOf(err), "too_large")
}

func TestLinesAreRead(t *testing.T) {
	got, err := read(t, "\r\n  \n"+`INVALID code=invalid;message="a \"b\"; c\n";empty=;plain=a\\b`+"\n")
	ok(t, err)
	wanted := Params{"code": "invalid", "message": "a \"b\"; c\n", "empty": "", "plain": `a\b`}
	if got.Command != "INVALID" || !reflect.DeepEqual(got.Params, wanted) {
		t.Fatalf("got %v", got)
	}
	for _, bad := range []string{"X y\n", "X y=\"z\n", "to/ x=1\n"} {
		if _, err := read(t, bad); CodeOf(err) != "invalid" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestOtherMembersOfAFrameAreIgnored(t *testing.T) {
	body := "\x83\xa7command\xa1X\xa5other\x92\x81\xa1a\xc0\xdc\x00\x01\x05\xaaparameters\x80"
	got, err := messageOfFrame([]byte(body))
	ok(t, err)
	want(t, got.Command, "X")
	for levels, wanted := range map[int]string{15: "", 40: "invalid"} {
		deep := "\x83\xa1o" + strings.Repeat("\x91", levels) + "\x05\xa7command\xa1X\xaaparameters\x80"
		_, err = messageOfFrame([]byte(deep))
		want(t, CodeOf(err), wanted)
	}
}

func TestAMessageOverTheLimitIsSkipped(t *testing.T) {
	big, err := appendFrame(nil, "BIG", Params{"x": strings.Repeat("y", 5000)})
	ok(t, err)
	small, err := appendFrame(nil, "SMALL", Params{})
	ok(t, err)
	line := strings.Repeat("l", 5000) + "\n"
	in := newReader(bytes.NewReader(append(append(big, line...), small...)), 1000)
	for _, wanted := range []string{"too_large", "too_large", ""} {
		_, err := in.next()
		want(t, CodeOf(err), wanted)
	}
}

func TestHostileBytesNeverPanic(t *testing.T) {
	frame, err := appendFrame(nil, "ROW", Params{"a": "text", "b": []byte("x"), "c": 1 << 40, "d": 1.5})
	ok(t, err)
	seed := rand.New(rand.NewSource(1))
	for round := 0; round < 20000; round++ {
		body := append([]byte{}, frame[8:]...)
		for changes := seed.Intn(4); changes >= 0; changes-- {
			body[seed.Intn(len(body))] = byte(seed.Intn(256))
		}
		body = body[:seed.Intn(len(body)+1)]
		if message, err := messageOfFrame(body); err == nil && message.Params == nil {
			t.Fatalf("% x", body)
		}
	}
}

func TestAddresses(t *testing.T) {
	for server, wanted := range map[string]place{
		"127.0.0.1:4050":     {"tcp", "127.0.0.1:4050", "127.0.0.1", false},
		"[::1]:4050":         {"tcp", "[::1]:4050", "::1", false},
		"tls:name:4050":      {"tcp", "name:4050", "name", true},
		"unix:/run/a.sock":   {"unix", "/run/a.sock", "localhost", false},
		"/run/a.sock":        {"unix", "/run/a.sock", "localhost", false},
		"tls:unix:here.sock": {"unix", "here.sock", "localhost", true},
	} {
		got, why := placeOf(server)
		if why != nil || got != wanted {
			t.Errorf("%s: %v %v", server, got, why)
		}
	}
	for _, server := range []string{"", "name", "name:", ":4050", "::1:4050", "name:x", "name:65536", "unix:",
		"unix:/" + strings.Repeat("x", 107)} {
		if _, why := placeOf(server); why == nil || why.Code != "bad_parameter" {
			t.Errorf("%s: %v", server, why)
		}
	}
}

func TestTextIsCutAtACharacter(t *testing.T) {
	want(t, cut("grüß", 3), "gr")
	want(t, cut("grüß", 4), "grü")
	want(t, cut("gr", 4), "gr")
}
