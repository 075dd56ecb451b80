package cross

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// startBundled starts a bundled server, and returns it as an entry.
func startBundled(t *testing.T, name string, o reference.Options) ServerEntry {
	t.Helper()
	s, err := reference.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return ServerEntry{Entry: Entry{Name: name}, URL: s.URL()}
}

// bundledClient is a bundled client as an entry: its command is the variant and the mutant.
func bundledClient(name, dialect, variant, mutant string) ClientEntry {
	return ClientEntry{Entry: Entry{Name: name, Command: []string{variant, mutant}}, Dialects: []string{dialect}}
}

// callBundled calls the bundled client in place of a command.
func callBundled(c *ClientEntry) func(ctx context.Context, k *serve.Task) error {
	return func(ctx context.Context, k *serve.Task) error {
		code := client.Run(ctx, client.Options{URL: k.URL, Text: k.Text, Second: k.Second, Dialect: k.Dialect, Variant: c.Command[0], Mutant: c.Command[1],
			Timeout: 4 * time.Second, Stdin: strings.NewReader(""), Stdout: k.Stdout, Stderr: k.Stdout})
		if code != 0 {
			return fmt.Errorf("exit code %d", code)
		}
		return nil
	}
}

// execute runs pairs of bundled clients and servers, and returns the table.
func execute(t *testing.T, r *Run) *crosspage.Table {
	t.Helper()
	if r.Dir == "" {
		r.Dir = t.TempDir()
	}
	if err := ensureDir(r.Dir); err != nil {
		t.Fatal(err)
	}
	if r.call == nil {
		r.call = callBundled
	}
	r.Jobs, r.Version = 2, "1.2.3"
	table, err := r.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// find returns a cell of a table.
func find(t *testing.T, table *crosspage.Table, client, server string) *crosspage.Cell {
	t.Helper()
	for i := range table.Cells {
		if c := &table.Cells[i]; c.Client == client && c.Server == server {
			return c
		}
	}
	t.Fatalf("there is no cell %s × %s", client, server)
	return nil
}

// Each fault is on the side that shows it: of the bundled clients and servers, it is known which has one.
func TestSides(t *testing.T) {
	for _, d := range []struct {
		dialect                        string
		lost, vague                    string // mutants of the server
		clientID, serverID, harmlessID string
	}{
		{"a2a-1.0", "card-binding-homemade", "card-icon-vague", "A2A10-CL-MSG-001", "A2A10-CARD-017", "A2A10-CARD-033"},
		{"a2a-0.3", "events-unseparated", "card-documentation-vague", "A2A03-CL-MSG-001", "A2A03-STREAM-003", "A2A03-CARD-041"},
	} {
		t.Run(d.dialect, func(t *testing.T) {
			t.Parallel()
			r := Run{
				Clients: []ClientEntry{bundledClient("healthy", d.dialect, "streaming", ""), bundledClient("faulty", d.dialect, "", "message-id-missing"), bundledClient("narrow", d.dialect, "streaming", "artifacts-needed")},
				Servers: []ServerEntry{startBundled(t, "healthy", reference.Options{Dialect: d.dialect}), startBundled(t, "lost", reference.Options{Dialect: d.dialect, Mutant: d.lost}),
					startBundled(t, "vague", reference.Options{Dialect: d.dialect, Mutant: d.vague})},
			}
			table := execute(t, &r)
			for _, want := range []struct {
				client, server string
				outcome        crosspage.Outcome
				side           crosspage.Side
				ids            []string // that are among the faults
			}{
				{"healthy", "healthy", crosspage.Works, "", nil},
				{"healthy", "lost", crosspage.Fails, crosspage.ServerSide, []string{d.serverID}},
				{"healthy", "vague", crosspage.Works, "", []string{d.harmlessID}},
				{"faulty", "healthy", crosspage.Fails, crosspage.ClientSide, []string{d.clientID}},
				{"faulty", "vague", crosspage.Fails, crosspage.BothSides, []string{d.clientID, d.harmlessID}},
				{"narrow", "healthy", crosspage.Fails, crosspage.NoSide, nil},
			} {
				c := find(t, table, want.client, want.server)
				if c.Outcome != want.outcome || c.Side != want.side {
					t.Errorf("%s; want %s %s: %+v", c.Line(), want.outcome, want.side, c)
				}
				for _, id := range want.ids {
					if !slices.ContainsFunc(c.Faults, func(f crosspage.Fault) bool { return f.ID == id }) {
						t.Errorf("%s × %s has the faults %+v, which lack %s", c.Client, c.Server, c.Faults, id)
					}
				}
				if shown := strings.Contains(c.Why, "its last line: ") || strings.Contains(c.Why, "it printed nothing"); shown != (len(c.Faults) > 0 && c.Outcome == crosspage.Fails) {
					t.Errorf("%s × %s: the client %s", c.Client, c.Server, c.Why)
				}
				if len(want.ids) == 0 && len(c.Faults) > 0 {
					t.Errorf("%s × %s has the faults %+v", c.Client, c.Server, c.Faults)
				}
				if (c.Side == crosspage.NoSide) != (len(c.Readings) >= 2) {
					t.Errorf("%s × %s has the readings %+v", c.Client, c.Server, c.Readings)
				}
				demandReplay(t, r.Dir, c)
			}
		})
	}
}

// demandReplay demands that both records of a pair show the faults of their side again.
func demandReplay(t *testing.T, dir string, c *crosspage.Cell) {
	t.Helper()
	for side, file := range map[crosspage.Side]string{crosspage.ClientSide: c.ClientRecord, crosspage.ServerSide: c.ServerRecord} {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			t.Error(err)
			continue
		}
		defer f.Close()
		o, err := conform.Replay(f)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for _, fault := range c.Faults {
			if fault.Side != side {
				continue
			}
			i := slices.IndexFunc(o.Report.Results, func(r report.Result) bool { return r.ID == fault.ID })
			if i < 0 || o.Report.Results[i].Verdict != report.Fail || o.Report.Results[i].Evidence[0].Exchange != fault.Exchange {
				t.Errorf("%s does not show %+v", file, fault)
			}
		}
	}
}

// What is finished is kept: only what is missing, or was changed, is run by the next start.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	live := []ServerEntry{startBundled(t, "one", reference.Options{Dialect: "a2a-1.0"}), startBundled(t, "two", reference.Options{Dialect: "a2a-1.0"})}
	var first *crosspage.Table
	for _, step := range []struct {
		name      string
		change    func(r *Run)
		kept, ran int
		starts    bool // of clients
	}{
		{"at first", func(*Run) {}, 0, 4, true},
		{"again", func(*Run) {}, 4, 0, false},
		{"with --again", func(r *Run) { r.Again = true }, 0, 4, true},
		{"a file is gone", func(*Run) { os.Remove(filepath.Join(dir, cellsName, "a~two.json")) }, 3, 1, true},
		{"a file is broken", func(*Run) { os.WriteFile(filepath.Join(dir, cellsName, "a~two.json"), []byte("{"), 0o600) }, 3, 1, true},
		{"a file has another outcome", func(*Run) {
			text, err := os.ReadFile(filepath.Join(dir, cellsName, "a~two.json"))
			if err != nil {
				t.Fatal(err)
			}
			os.WriteFile(filepath.Join(dir, cellsName, "a~two.json"), []byte(strings.Replace(string(text), `"works"`, `"excellent"`, 1)), 0o600)
		}, 3, 1, true},
		{"another text", func(r *Run) { r.Text = "What now?" }, 0, 4, true},
		{"another command", func(r *Run) { r.Text, r.Clients[0].Command[0] = "What now?", "plain" }, 2, 2, true},
	} {
		var kept, ran int
		var starts atomic.Int64
		r := Run{Clients: []ClientEntry{bundledClient("a", "a2a-1.0", "streaming", ""), bundledClient("b", "a2a-1.0", "plain", "")}, Servers: live, Dir: dir,
			Done: func(_ *crosspage.Cell, was bool) {
				if was {
					kept++
				} else {
					ran++
				}
			},
			call: func(c *ClientEntry) func(ctx context.Context, k *serve.Task) error {
				return func(ctx context.Context, k *serve.Task) error {
					starts.Add(1)
					return callBundled(c)(ctx, k)
				}
			}}
		step.change(&r)
		table := execute(t, &r)
		if kept != step.kept || ran != step.ran || (starts.Load() > 0) != step.starts {
			t.Errorf("%s: %d were kept, %d ran, with %d starts; want %d, %d, %v", step.name, kept, ran, starts.Load(), step.kept, step.ran, step.starts)
		}
		if n := table.Count(crosspage.Works); n != 4 || table.Missing > 0 {
			t.Errorf("%s: %d work", step.name, n)
		}
		if first == nil {
			first = table
		} else if step.name == "again" {
			for _, s := range []*crosspage.Table{first, table} { // which are not kept
				s.Servers[0].URL, s.Servers[1].URL, s.Clients[0].Shows, s.Clients[1].Shows = "", "", nil, nil
			}
			was, _ := json.Marshal(first)
			is, _ := json.Marshal(table)
			if string(was) != string(is) {
				t.Errorf("the kept table is\n%s, want\n%s", is, was)
			}
		}
	}
}

// A run that is interrupted leaves a table of what is finished.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	dir := t.TempDir()
	if err := ensureDir(dir); err != nil {
		t.Fatal(err)
	}
	r := Run{Clients: []ClientEntry{bundledClient("a", "a2a-1.0", "plain", ""), bundledClient("b", "a2a-1.0", "plain", "")}, Servers: []ServerEntry{startBundled(t, "one", reference.Options{Dialect: "a2a-1.0"})},
		Dir: dir, Jobs: 1, call: callBundled, Done: func(*crosspage.Cell, bool) { stop() }}
	table, err := r.Execute(ctx)
	if err == nil || table == nil || len(table.Cells) != 1 || table.Missing != 1 || !strings.Contains(err.Error(), "start it again") {
		t.Errorf("got %+v, %v", table, err)
	}
}

// A server that asks for credentials is nobody's fault, and is called again by the next start.
func TestNeedsCredentials(t *testing.T) {
	r := Run{Clients: []ClientEntry{bundledClient("a", "a2a-1.0", "plain", "")}, Servers: []ServerEntry{startBundled(t, "guarded", reference.Options{Dialect: "a2a-1.0", Variant: "guarded"})}}
	for range 2 {
		r.Done = func(_ *crosspage.Cell, kept bool) {
			if kept {
				t.Error("the pair was kept")
			}
		}
		if c := find(t, execute(t, &r), "a", "guarded"); c.Outcome != crosspage.Refused || c.Side != "" {
			t.Errorf("%s: %+v", c.Line(), c)
		}
	}
}

// A pair that fails although both pass alone comes first, one on a single SDK is marked, and what a side breaks alone is
// named.
func TestWhatEachSideDoesAlone(t *testing.T) {
	passes, breaks := &crosspage.Alone{Verdict: "partial", Passes: true}, &crosspage.Alone{Verdict: "nonconformant"}
	healthy := bundledClient("healthy", "a2a-1.0", "streaming", "")
	hole, known := bundledClient("hole", "a2a-1.0", "streaming", "artifacts-needed"), bundledClient("known", "a2a-1.0", "streaming", "artifacts-needed")
	healthy.SDK, hole.alone, known.alone, known.fails = "js@1.3.0", passes, breaks, []string{"A2A10-CL-RES-001"}
	server := startBundled(t, "one", reference.Options{Dialect: "a2a-1.0"})
	server.alone, server.SDK = passes, "@a2a-js/sdk@1.2.9"
	table := execute(t, &Run{Clients: []ClientEntry{healthy, known, hole}, Servers: []ServerEntry{server}})
	var order []string
	for _, c := range table.ListByGravity() {
		order = append(order, c.Client)
	}
	if got := strings.Join(order, " "); got != "hole known healthy" || table.Holes() != 1 {
		t.Errorf("the order is %s, with %d holes", got, table.Holes())
	}
	if c := find(t, table, "healthy", "one"); !c.SameSDK {
		t.Errorf("%+v is not marked", c)
	}
	if c := find(t, table, "known", "one"); c.Hole || c.SameSDK || !strings.Contains(strings.Join(c.Notes, "\n"), "alone, the client breaks A2A10-CL-RES-001") {
		t.Errorf("%+v", c)
	}
}

// Without a protocol in common nothing is started; a client of several versions takes its first that there is.
func TestDialects(t *testing.T) {
	both := bundledClient("both", "a2a-0.3", "plain", "")
	both.Dialects = []string{"a2a-0.3", "a2a-1.0"}
	table := execute(t, &Run{Clients: []ClientEntry{both, bundledClient("old", "a2a-0.3", "plain", "")}, Servers: []ServerEntry{startBundled(t, "new", reference.Options{Dialect: "a2a-1.0"})}})
	if c := find(t, table, "both", "new"); c.Outcome != crosspage.Works || c.Dialect != "a2a-1.0" {
		t.Errorf("%s: %+v", c.Line(), c)
	}
	if c := find(t, table, "old", "new"); c.Outcome != crosspage.Apart || c.Calls != 0 || c.Tries != 0 {
		t.Errorf("%s: %+v", c.Line(), c)
	}
}

// What cannot be run is no fault, and names its reason.
func TestVoid(t *testing.T) {
	silent := httptest.NewServer(nil)
	silent.Close()
	bare := httptest.NewServer(http.NotFoundHandler())
	defer bare.Close()
	absent := ClientEntry{Entry: Entry{Name: "absent", Command: []string{"/no/such/program"}}, Dialects: []string{"a2a-1.0"}}
	r := Run{Clients: []ClientEntry{bundledClient("a", "a2a-1.0", "plain", ""), absent}, Wait: 300 * time.Millisecond,
		Servers: []ServerEntry{{Entry: Entry{Name: "silent"}, URL: silent.URL}, {Entry: Entry{Name: "bare"}, URL: bare.URL}, startBundled(t, "live", reference.Options{Dialect: "a2a-1.0"}),
			{Entry: Entry{Name: "unknown", Command: []string{"/no/such/program"}}}, {Entry: Entry{Name: "mute", Command: []string{"true"}}}},
		call: func(c *ClientEntry) func(ctx context.Context, k *serve.Task) error {
			if c.Name == "absent" {
				return nil
			}
			return callBundled(c)
		}}
	table := execute(t, &r)
	for _, want := range []struct {
		client, server string
		outcome        crosspage.Outcome
		why            string
	}{
		{"a", "silent", crosspage.Void, "the server silent does not answer"}, {"absent", "live", crosspage.Void, "no such file"}, {"a", "live", crosspage.Works, ""},
		{"a", "unknown", crosspage.Void, "the server unknown could not be started"}, {"a", "mute", crosspage.Void, "the server mute did not print its URL"}, {"a", "bare", crosspage.Fails, "exit code 1"},
	} {
		if c := find(t, table, want.client, want.server); c.Outcome != want.outcome || !strings.Contains(c.Why, want.why) {
			t.Errorf("%s × %s: %s, %s; want %s, %s", c.Client, c.Server, c.Outcome, c.Why, want.outcome, want.why)
		}
	}
	if c := find(t, table, "a", "bare"); c.Side != crosspage.NoSide || !strings.Contains(strings.Join(c.Notes, " "), "404") {
		t.Errorf("without a card: %+v", c)
	}
}

// Secrets of the lists are in no file.
func TestSecretsAreNotWritten(t *testing.T) {
	const secret = "a-secret-of-somebody"
	t.Setenv("CROSS_SECRET", secret)
	list := filepath.Join(t.TempDir(), "clients.yaml")
	if err := os.WriteFile(list, []byte(`clients: [{name: a, command: [plain, "", `+secret+`], secrets: ["${CROSS_SECRET}"]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	clients, err := ReadClients(list)
	if err != nil {
		t.Fatal(err)
	}
	r := Run{Clients: clients, Servers: []ServerEntry{startBundled(t, "one", reference.Options{Dialect: "a2a-1.0"})}, Text: "My word is " + secret, Dir: t.TempDir()}
	table := execute(t, &r)
	if err := crosspage.Write(r.Dir, table); err != nil {
		t.Fatal(err)
	}
	seen := 0
	err = filepath.WalkDir(r.Dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		seen++
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%s has the secret (%v)", path, err)
		}
		return nil
	})
	if err != nil || seen < 6 {
		t.Errorf("%d files: %v", seen, err)
	}
}

// A client shows by what it prints that it understood the answer, however it writes that.
func TestPrintedTexts(t *testing.T) {
	for _, c := range []struct {
		printed, text string
		want          bool
	}{
		{"The answer is 42.", "The answer is 42.", true},
		{`{"text":"Gr\u00f6\u00DFe:\n\"42\" \ud83d\ude00 \u0041"}`, "Größe:\n\"42\" 😀 A", true},
		{"The answer\n  is 42", "The answer is 42", true},
		{"The answer is 4", "The answer is 42", false},
		{"", "x", false},
		{strings.Repeat("x", cutOutput), "y", true}, // it may have been cut
		{"one two three four five six seven eight nine ten eleven twelve, and so on", "one two three four five six seven eight nine ten eleven twelve thirteen", true},
		{`back\\slash \u12`, `slash`, true},
	} {
		run := record.ClientRun{Stdout: c.printed}
		if got := findUnprinted([]string{c.text}, &run) == ""; got != c.want {
			t.Errorf("%q in %q: %v", c.text, c.printed, got)
		}
	}
}

// Of what a server writes, its artifacts and messages are to be shown, and neither the history nor what the client wrote.
func TestListTexts(t *testing.T) {
	of := func(bodies ...string) (out *record.Transcript) {
		out = &record.Transcript{Plays: []record.Play{{}}}
		for _, b := range bodies {
			x := &record.Exchange{Response: record.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(b)}}
			if strings.HasPrefix(b, "data:") {
				x.Response.Head = []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			}
			out.Plays[0].Steps = append(out.Plays[0].Steps, record.Step{Op: "send", Exchange: x})
		}
		return out
	}
	for _, c := range []struct {
		t    *record.Transcript
		want []string
	}{
		{of(`{"result":{"task":{"history":[{"role":"ROLE_AGENT","parts":[{"text":"no"}]}],"status":{"message":{"role":"ROLE_AGENT","parts":[{"text":"so so"}]}},"artifacts":[{"parts":[{"text":"yes"},{"data":{"text":"no"}}]}]}}}`), []string{"yes"}},
		{of(`{"result":{"status":{"message":{"role":"agent","parts":[{"kind":"text","text":"why?"}]}}}}`), []string{"why?"}},
		{of(`{"result":{"kind":"message","role":"agent","parts":[{"kind":"text","text":"hello"}]}}`, `{"result":{"role":"user","parts":[{"text":"no"}]}}`), []string{"hello"}},
		{of("data: {\"result\":{\"artifact\":{\"parts\":[{\"text\":\"a\"}]}}}\n\ndata: {\"result\":{\"artifact\":{\"parts\":[{\"text\":\"b\"}]}}}\n\n"), []string{"a", "b"}},
		{of("<html>"), nil}, {of(`{"error":{"message":"text"}}`), nil},
	} {
		if got := listTexts(c.t); !slices.Equal(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// Mistakes in the lists are errors with the line and the remedy.
func TestMistakesInLists(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ list, text, want string }{
		{"clients", "", ":1: the file is empty"},
		{"clients", "clients: []", ":1: the list has no clients; write it like"},
		{"clients", "clients:\n  - {name: a}", ":2: the client a has no command; write it like command"},
		{"clients", "clients:\n  - {name: a/b, command: [x]}", ":2: name: \"a/b\" names no entry"},
		{"clients", "clients:\n  - {name: a, command: [x]}\n  - {name: A, command: [x]}", ":3: name: there are two entries called A"},
		{"clients", "clients:\n  - name: a\n    command: [x]\n    dialects: [a2a-1.1]", ":4: dialects: unknown dialect of clients a2a-1.1"},
		{"clients", "clients:\n  - {name: a, command: [x], url: y}", ":2: "},
		{"clients", "clients:\n  - {name: a, command: x y}", ":2: "},
		{"clients", "clients:\n  - {name: a, command: ['']}", "its first word is empty"},
		{"clients", "clients:\n  - name: a\n    command: [x]\n    report: no-such-file.json", ":4: report: "},
		{"clients", "clients:\n  - name: a\n    command: [x]\n    secrets: [hunter2]", ":4: secrets: "},
		{"servers", "servers: []", ":1: the list has no servers"},
		{"servers", "servers:\n  - {name: a}", ":2: the server a has neither a URL nor a command"},
		{"servers", "servers:\n  - {name: a, url: 'localhost:9999'}", ":2: url: \"localhost:9999\" is no URL"},
		{"servers", "servers:\n  - {name: a, url: 'http://u:p@localhost'}", ":2: url contains a user or password"},
	} {
		file := filepath.Join(dir, c.list+".yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if c.list == "clients" {
			_, err = ReadClients(file)
		} else {
			_, err = ReadServers(file)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), file+":") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// A fault of one side is never put on the other: at the healthy server, no defect of a client is the server's fault, and no
// defect of a server is the fault of a healthy client.
func TestTheHealthySideHasNoFault(t *testing.T) {
	demand := func(t *testing.T, r *Run, healthy crosspage.Side) {
		t.Helper()
		r.call, r.Patience = callBundled, 6*time.Second
		table := execute(t, r)
		found := 0
		for i := range table.Cells {
			c := &table.Cells[i]
			if f := c.First(healthy); f != nil {
				t.Errorf("%s × %s: a fault of the healthy %s: %s, %s", c.Client, c.Server, healthy, f.ID, f.Reason)
			}
			found += len(c.Faults)
		}
		if len(table.Cells) < 5 || found == 0 {
			t.Errorf("in %d cells are %d faults", len(table.Cells), found)
		}
	}
	for _, dialect := range pairDialects {
		var clients []ClientEntry
		for i, m := range client.Mutants(dialect) {
			if !testamount.LeavesOut(i%30 == 1 || m.Name == "file-at-local-path") {
				clients = append(clients, bundledClient(m.Name, dialect, "", m.Name))
			}
		}
		t.Run(dialect+" clients", func(t *testing.T) {
			demand(t, &Run{Clients: clients, Servers: []ServerEntry{startBundled(t, "healthy", reference.Options{Dialect: dialect})}}, crosspage.ServerSide)
		})
		t.Run(dialect+" servers", func(t *testing.T) {
			r := Run{Clients: []ClientEntry{bundledClient("healthy", dialect, "streaming", "")}}
			for i, m := range reference.Mutants(dialect) {
				if !testamount.LeavesOut(i%60 == 0 || m.Name == "card-skill-ids-equal") && !strings.HasPrefix(m.Name, "grpc-") && !strings.HasPrefix(m.Name, "tls-") {
					r.Servers = append(r.Servers, startBundled(t, m.Name, reference.Options{Dialect: dialect, Mutant: m.Name}))
				}
			}
			demand(t, &r, crosspage.ClientSide)
		})
	}
}
