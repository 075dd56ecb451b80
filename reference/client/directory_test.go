package client_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/client"
)

const directory = "directory-0.1"

// A listing is what a directory has, and how its agents answer.
type listing struct {
	agents []object            // without their endpoints
	answer func(id any) object // of a task; nil for one that is completed
	// busy has the first two calls refused, once both have come, with the wish that they are repeated at once.
	busy bool
}

// A testDirectory is a directory with agents, which records what the client sends.
type testDirectory struct {
	listing
	base string

	mu   sync.Mutex
	seen []string
	both chan struct{} // is closed when two calls have come
}

// start serves the directory for the length of the test.
func (d *testDirectory) start(t *testing.T) {
	d.both = make(chan struct{})
	s := httptest.NewServer(d)
	t.Cleanup(s.Close)
	d.base = s.URL
}

// ServeHTTP answers a request.
func (d *testDirectory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		ID     any
		Method string
		Params json.RawMessage
	}
	var body bytes.Buffer
	body.ReadFrom(http.MaxBytesReader(w, r.Body, 1<<20))
	json.Unmarshal(body.Bytes(), &call) // what is no call has no method
	d.mu.Lock()
	d.seen = append(d.seen, fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body.String()))
	number := len(d.seen)
	if number == 2 {
		close(d.both)
	}
	d.mu.Unlock()
	if d.busy && number <= 2 {
		select {
		case <-d.both:
		case <-r.Context().Done():
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	var listed []any
	for _, agent := range d.agents {
		entry := maps.Clone(agent)
		entry["endpoint"] = d.base + "/agents/" + agent["agentId"].(string)
		listed = append(listed, entry)
	}
	var params struct{ TaskID string }
	json.Unmarshal(call.Params, &params) // a list has no members
	response := object{"jsonrpc": "2.0", "id": call.ID}
	switch strings.TrimPrefix(call.Method, "a2a/") {
	case "":
		response = object{"agents": listed}
	case "register":
		response["result"] = object{"status": "registered"}
	case "discover":
		response["result"] = object{"agents": listed}
	default:
		response["result"] = object{"taskId": params.TaskID, "status": "completed", "output": object{"text": "größer"}}
		if d.answer != nil {
			response = d.answer(call.ID)
		}
	}
	json.NewEncoder(w).Encode(response)
}

// runAtDirectory runs a client, and returns its exit code and all that is seen of it, without the ids that it makes.
func runAtDirectory(t *testing.T, l listing, variant, mutant string) (code int, seen string) {
	t.Helper()
	d := &testDirectory{listing: l}
	d.start(t)
	var out, errs bytes.Buffer
	code = client.Run(t.Context(), client.Options{URL: d.base, Text: "echo hello", Second: "echo again", Dialect: directory, Variant: variant, Mutant: mutant, Pause: testPause, Timeout: 5 * time.Second, Stdout: &out, Stderr: &errs})
	for i, one := range d.seen {
		d.seen[i] = uuids.ReplaceAllString(one, "<id>")
	}
	slices.Sort(d.seen) // a registration and a search are under way at the same time
	seen = strings.Join(d.seen, "\n") + "\nstdout: " + out.String() + "\nstderr: " + errs.String()
	return code, uuids.ReplaceAllString(strings.ReplaceAll(seen, d.base, ""), "<id>")
}

// fitting is an agent that has what the client wants.
func fitting() []object {
	return []object{{"agentId": "echo", "name": "Echo", "capabilities": []string{"test", "echo"}}}
}

// answerWith returns an answer to a task.
func answerWith(name string, value object) func(id any) object {
	return func(id any) object { return object{"jsonrpc": "2.0", "id": id, name: value} }
}

// Each variant finds an agent, and tells how its task ended.
func TestDirectoryClients(t *testing.T) {
	other := object{"agentId": "other", "name": "Other", "capabilities": []string{"test"}}
	for name, c := range map[string]struct {
		has  listing
		code int
		want string
	}{
		"found":           {listing{agents: fitting()}, 0, "größer"},
		"the second fits": {listing{agents: append([]object{other}, fitting()...)}, 0, "POST /agents/echo"},
		"none":            {listing{}, 1, "no agent was found"},
		"another alone":   {listing{agents: []object{other}}, 1, "no agent was found"},
		"failed":          {listing{agents: fitting(), answer: answerWith("result", object{"taskId": "1", "status": "failed"})}, 1, "failed"},
		"cancelled":       {listing{agents: fitting(), answer: answerWith("result", object{"taskId": "1", "status": "cancelled"})}, 1, "canceled"},
		"timeout":         {listing{agents: fitting(), answer: answerWith("result", object{"taskId": "1", "status": "timeout"})}, 1, "timeout"},
		"no status":       {listing{agents: fitting(), answer: answerWith("result", object{"taskId": "1"})}, 1, "nothing that the client understands"},
		"an error":        {listing{agents: fitting(), answer: answerWith("error", object{"code": -32001, "message": "no", "data": object{"reason": "tired"}})}, 1, "TaskFailed (-32001): no (tired)"},
		"output as list":  {listing{agents: fitting(), answer: answerWith("result", object{"taskId": "1", "status": "completed", "output": []any{1, "two"}})}, 0, `[1,"two"]`},
	} {
		for _, v := range client.Variants(directory) {
			t.Run(name+"/"+v.Name, func(t *testing.T) {
				t.Parallel()
				code, seen := runAtDirectory(t, c.has, v.Name, "")
				reports := v.Name == "reporting" || v.Name == "thorough" // in lines of JSON
				if code != c.code || !strings.Contains(seen, c.want) && !reports {
					t.Errorf("exit code %d:\n%s", code, seen)
				}
			})
		}
	}
}

// Two calls that are under way at the same time are repeated independently of each other. The race detector sees it if they are not.
func TestDirectoryCallsAreRepeatedTogether(t *testing.T) {
	t.Parallel()
	code, seen := runAtDirectory(t, listing{agents: fitting(), busy: true}, "rich", "")
	if code != 0 || strings.Count(seen, `"a2a/register"`) != 2 || strings.Count(seen, `"a2a/discover"`) != 2 {
		t.Errorf("exit code %d:\n%s", code, seen)
	}
}

// Each mutant differs from its healthy variant.
func TestMutantsOfDirectoryClients(t *testing.T) {
	ends := map[string]listing{
		"any-agent-called":     {agents: append([]object{{"agentId": "other", "name": "Other", "capabilities": []string{"test"}}}, fitting()...)},
		"first-of-none-called": {},
		"timeout-as-success":   {answer: answerWith("result", object{"taskId": "1", "status": "timeout"})},
		"any-end-is-done":      {answer: answerWith("result", object{"taskId": "1", "status": "failed"})},
		"error-as-success":     {answer: answerWith("error", object{"code": -32001, "message": "no"})},
		"reason-lost":          {answer: answerWith("error", object{"code": -32001, "message": "no", "data": object{"reason": "tired"}})},
	}
	for _, m := range client.Mutants(directory) {
		t.Run(m.Name, func(t *testing.T) {
			in := ends[m.Name]
			if in.agents == nil && m.Name != "first-of-none-called" {
				in.agents = fitting()
			}
			_, healthy := runAtDirectory(t, in, m.Variant, "")
			if _, again := runAtDirectory(t, in, m.Variant, ""); again != healthy {
				t.Errorf("the healthy client is seen in two ways:\n%s\n\n%s", healthy, again)
			}
			if _, got := runAtDirectory(t, in, m.Variant, m.Name); got == healthy {
				t.Errorf("nothing of the mutant is seen:\n%s", got)
			}
		})
	}
}

// The bundled directory, and its agent, are understood.
func TestBundledDirectoriesAreUnderstood(t *testing.T) {
	for _, server := range reference.Variants(directory) {
		url := startServer(t, reference.Options{Dialect: directory, Variant: server})
		for text, want := range map[string]int{"echo größer": 0, "fail": 1, "timeout": 1} {
			for _, variant := range []string{"plain", "rich"} {
				want := want
				if server == "empty" || server == "minimal" && variant == "rich" || server != "minimal" && variant == "plain" { // calls go to the paths of their methods, or to the bare addresses alone
					want = 1
				}
				code, out, errs := run(t, client.Options{URL: url, Dialect: directory, Text: text, Variant: variant})
				if code != want || want == 0 && !strings.Contains(out, "größer") {
					t.Errorf("%s, %s, %s: exit code %d\nstdout: %s\nstderr: %s", server, variant, text, code, out, errs)
				}
			}
		}
	}
}
