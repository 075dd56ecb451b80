package recognition

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// The recorder keeps requests as they were sent, and clients find it where the server says that
// it is itself.
func TestRecorder(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, `{"url":"http://%s/"}`, r.Context().Value(http.LocalAddrContextKey))
	}))
	defer server.Close()
	recorder, err := Record(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	for _, body := range []io.Reader{strings.NewReader(`{"a": 1}`), struct{ io.Reader }{strings.NewReader("sent in chunks")}, nil} {
		q, err := http.NewRequest(http.MethodPost, recorder.URL+"/rpc?x=1", body)
		if err != nil {
			t.Fatal(err)
		}
		q.Header["x-odd"] = []string{"value"}
		r, err := client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if want := `{"url":"` + recorder.URL + `/"}`; string(text) != want {
			t.Errorf("the response is %s, not %s", text, want)
		}
	}
	client.CloseIdleConnections()
	all, err := recorder.Stop()
	if err != nil || len(all.Requests) != 3 {
		t.Fatalf("%d requests, %v", len(all.Requests), err)
	}
	for i, body := range []string{`{"a": 1}`, "sent in chunks", ""} {
		q := all.Requests[i]
		odd := slices.Contains(q.Fields, [2]string{"x-odd", "value"})
		if q.Body != body || q.Method != "POST" || q.Target != "/rpc?x=1" || q.Conn != 1 || !odd || q.Fields[0][0] != "Host" {
			t.Errorf("request %d is kept as %+v", i+1, q)
		}
	}

	all.Client, all.Dialect = "net/http", "a2a-1.0"
	var written bytes.Buffer
	if err := all.Write(&written); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&written)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(all) {
		t.Errorf("read as %+v (%v)", again, err)
	}
	if _, err := Read(strings.NewReader("{}\nno JSON")); err == nil {
		t.Error("what is no recording is read")
	}
}

func TestForms(t *testing.T) {
	for id, want := range map[any]string{
		"f81d4fae-7dec-41d0-a765-00a0c91e6bf6":     "UUID of version 4",
		"01a21b30-d842-7682-a0a4-2f653dd1909b":     "UUID of version 7",
		"F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6":     "UUID in capitals of version 4",
		"msg-f81d4fae-7dec-41d0-a765-00a0c91e6bf6": "UUID after msg-",
		"f81d4fae7dec41d0a76500a0c91e6bf6":         "hexadecimal digits",
		"17":                                       "digits",
		"CRHWGZFI7OOMTIEWRJCDP4UATZ":               "capitals and digits",
		"no such task":                             "another text",
		nil:                                        "<nil>",
	} {
		if got := formOf(id); got != want {
			t.Errorf("%v is %s, not %s", id, got, want)
		}
	}
	if a, b := orderOfMagnitude(0), orderOfMagnitude(time.Second); a != "0" || b != "14" {
		t.Errorf("the magnitudes are %s and %s", a, b)
	}
}

// A classifier is right about what it was taught, guesses where nothing tells, and heeds neither
// families that it is not to look at nor what one kind alone was asked.
func TestClassifier(t *testing.T) {
	one := func(family Family, question, answer string) Sender {
		return Sender{{{family, question, answer}}}
	}
	order, words := one(MemberOrder, "first", "id"), one(Words, "word", "hello")
	other := one(MemberOrder, "first", "method")
	for _, c := range []struct {
		name          string
		by            []Family
		first, second []Sender
		right         float64
	}{
		{"told apart", Families, []Sender{order, order}, []Sender{other, other}, 1},
		{"alike", Families, []Sender{order, other}, []Sender{other, order}, 0.5},
		{"not looked at", []Family{MemberOrder}, []Sender{words}, []Sender{one(Words, "word", "bye")}, 0.5},
		{"never asked", Families, []Sender{order}, []Sender{words}, 0.5},
		{"one that sends much", Families, []Sender{slices.Concat(order, order, order), other}, []Sender{order, other}, 0.5},
	} {
		if right := Train(c.by, c.first, c.second).Right(1, c.first, c.second); right != c.right {
			t.Errorf("%s: right on %v, not %v", c.name, right, c.right)
		}
	}
}
