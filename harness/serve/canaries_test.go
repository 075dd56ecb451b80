package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// describeSightings returns sightings in short, sorted.
func describeSightings(all []record.Sighting) string {
	var out []string
	for _, s := range all {
		out = append(out, strings.Join(strings.Fields(fmt.Sprint(s.Of, ".", s.Kind, " ", s.In, " ", s.Name, " ", map[bool]string{true: "whole"}[s.Whole])), " "))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func TestCanariesAreFoundInEveryPlaceOfARequest(t *testing.T) {
	pool := newCanaryPool([]Script{{Name: "one", Grants: []string{record.BearerCanary, record.BasicCanary, record.KeyCanary}}, {Name: "none"}})
	set := pool.chooseSet("one", 0)
	if pool.chooseSet("none", 0) != nil || pool.chooseSet("one", 1) == set || pool.chooseSet("one", 7) != pool.chooseSet("one", 2) {
		t.Error("the starts have the wrong canaries")
	}
	bearer, basic, key := set.values[record.BearerCanary], set.values[record.BasicCanary], set.values[record.KeyCanary]
	_, password, _ := strings.Cut(basic, ":")
	for _, c := range []struct{ target, head, body, want string }{
		{"/", "", "", ""},
		{"/", "Authorization: Bearer " + bearer, "", "one.1.bearer header Authorization whole"},
		{"/", "authorization: bearer  " + bearer, "", "one.1.bearer header Authorization whole"},
		{"/", "Authorization: " + bearer, "", "one.1.bearer header Authorization"},
		{"/", "Authorization: Bearer x" + bearer, "", "one.1.bearer header Authorization"},
		{"/", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(basic)), "", "one.1.basic header Authorization whole"},
		{"/", "Authorization: Bearer " + basic, "", "one.1.basic header Authorization whole"},
		{"/", "X-Key: " + key, "", "one.1.key header X-Key whole"},
		{"/", "Cookie: a=b; k=" + key, "", "one.1.key cookie k whole"},
		{"/", "Cookie: " + key, "", "one.1.key cookie"},
		{"/?a=b&k=" + key, "", "", "one.1.key query k whole"},
		{"/?" + key + "=1", "", "", "one.1.key query"},
		{"/a/" + url.PathEscape(bearer) + "/b", "", "", "one.1.bearer path"},
		{"/", "", `{"metadata":{"token":"` + bearer + `"}}`, "one.1.bearer body"},
		{"/", "", `{"text":"` + hex.EncodeToString([]byte(password)) + `"}`, "one.1.basic body"},
		{"/", "Content-Type: application/x-www-form-urlencoded", "a=1&client_secret=" + key, "one.1.key body client_secret whole"},
		{"/", "Authorization: Bearer " + pool.chooseSet("one", 1).values[record.BearerCanary], "", "one.2.bearer header Authorization whole"},
	} {
		q := &request{Target: c.target}
		q.record.Head = []byte("POST " + c.target + " HTTP/1.1\r\n" + c.head + "\r\n\r\n")
		q.record.Body = []byte(c.body)
		if got := describeSightings(pool.findSightings(q)); got != c.want {
			t.Errorf("%s %s %s: got %q, want %q", c.target, c.head, c.body, got, c.want)
		}
	}
}

// TestCanariesReachTheClientAlone plays a client that sends its token everywhere and prints it: the record names the places and has
// no value.
func TestCanariesReachTheClientAlone(t *testing.T) {
	d, err := schema.LoadClient(a2a10)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	given := map[string]map[string]string{}
	careless := func(_ context.Context, task *Task) error {
		mu.Lock()
		given[task.Scenario] = task.Credentials
		mu.Unlock()
		token := task.Credentials[record.BearerCanary]
		fmt.Fprintln(task.Stdout, "my token is", token)
		body := `{"jsonrpc":"2.0","id":"` + token + `","method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`
		r, err := http.NewRequest(http.MethodPost, task.RPC, strings.NewReader(body))
		if err != nil {
			return err
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "A2a-Version": {"1.0"}, "Authorization": {"Bearer " + token}}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer reply.Body.Close()
		_, err = io.Copy(io.Discard, reply.Body)
		return err
	}
	tr, err := Run(t.Context(), Config{Dialect: d, Command: []string{"careless"}, Func: careless, Scenarios: []string{"auth-bearer"}, With: []string{WithCredentials}, pace: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if len(given["hello"]) != 0 || len(given["auth-bearer"]) != 1 {
		t.Fatalf("given: %v", given)
	}
	play := tr.Play("auth-bearer")
	if r := play.Client; r.Start != "auth-bearer.1" || !slices.Equal(r.Granted, []string{"bearer"}) || !slices.Equal(r.Leaked, []string{"auth-bearer.1.bearer"}) {
		t.Errorf("the start is %q, granted %q, leaked %q", r.Start, r.Granted, r.Leaked)
	}
	const want = "auth-bearer.1.bearer body, auth-bearer.1.bearer header Authorization whole"
	if got := describeSightings(play.Steps[0].Exchange.Canaries); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var file bytes.Buffer
	if err := record.WriteHAR(&file, tr); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	if strings.Contains(text, canaryMark) || !strings.Contains(text, "auth-bearer.1.bearer") {
		t.Error("the record has a canary, or does not name it")
	}
	again, err := record.ReadHAR(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := describeSightings(again.Play("auth-bearer").Steps[0].Exchange.Canaries); got != want {
		t.Errorf("read again: got %s, want %s", got, want)
	}
}

func TestCanariesInTheEnvironmentAndTheContext(t *testing.T) {
	task := &Task{Scenario: "auth-both", Credentials: map[string]string{"bearer": "b", "key": "k"}}
	env := task.buildEnvironment("/home", nil)
	for name, want := range map[string]string{"A2A_CONFORM_BEARER": "b", "A2A_CONFORM_API_KEY": "k"} {
		if !slices.Contains(env, name+"="+want) {
			t.Errorf("%s is not %s", name, want)
		}
	}
	if slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "A2A_CONFORM_BASIC") }) {
		t.Error("there is a variable for what was not granted")
	}
	if got := fillCommand([]string{"c", "{bearer}-{key}", "--basic={basic}", "{client-id}{client-secret}"}, task); !slices.Equal(got, []string{"c", "b-k", "--basic=", "", "", ""}) {
		t.Errorf("command: %q", got)
	}
	d, err := schema.LoadClient(a2a03)
	if err != nil {
		t.Fatal(err)
	}
	var context struct{ Credentials map[string]string }
	if err := json.Unmarshal([]byte((&session{Config: Config{Dialect: d}}).encodeContext(task)), &context); err != nil || context.Credentials["bearer"] != "b" {
		t.Errorf("%v, %v", context, err)
	}
}

// A person is shown the credentials of a scenario, and what the application sends of them is recorded.
func TestCanariesByHand(t *testing.T) {
	t.Parallel()
	a := attend(t, Config{Scenarios: []string{"auth-bearer", "extension-required"}, With: []string{WithCredentials, WithExtension}}, Attached{})
	a.choose("auth-bearer")
	_, page := a.ask(http.MethodGet, a.Page, "")
	_, after, found := strings.Cut(page, canaryMark)
	if !found || !strings.Contains(page, "Give your application this credential (bearer):") {
		t.Fatalf("the page shows no credential: %s", page)
	}
	token := canaryMark + after[:len(makeCanary())-len(canaryMark)]
	const body = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]},"configuration":{"returnImmediately":true}}}`
	if resp, text := a.ask(http.MethodPost, a.Agent+rpcPath, body, "Content-Type: application/json", "A2A-Version: 1.0", "Authorization: Bearer "+token); resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", resp.Status, text)
	}
	a.choose("extension-required")
	if _, page = a.ask(http.MethodGet, a.Page, ""); !strings.Contains(page, knownExtension) {
		t.Error("the page shows no extension")
	}
	play := a.end().Play("auth-bearer")
	if play == nil || !slices.Equal(play.Client.Granted, []string{"bearer"}) || describeSightings(play.Steps[0].Exchange.Canaries) != "auth-bearer.1.bearer header Authorization whole" {
		t.Errorf("the play is %+v", play)
	}
}

// The page of a client that is used by hand judges what credentials were in its requests while a play goes on.
func TestCopiesOfExchangesHaveTheirCanaries(t *testing.T) {
	x := &record.Exchange{Canaries: []record.Sighting{{Of: "hello.1", Kind: record.BearerCanary, In: "header"}}}
	if got := new(recorder).copyExchange(x); !slices.Equal(got.Canaries, x.Canaries) {
		t.Errorf("got %v, want %v", got.Canaries, x.Canaries)
	}
}
