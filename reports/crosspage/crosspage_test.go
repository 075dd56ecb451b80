package crosspage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
)

// sample is a table with a pair of every kind.
func sample() *Table {
	passes := &Alone{Report: "alone/report.json", Verdict: "partial", Passes: true, Page: "../alone/report.html"}
	fault := func(side Side, id string, level schema.Level) Fault {
		return Fault{Side: side, ID: id, Level: level, Section: "4.1.4", Statement: "The client must send a non-empty `messageId` in each message.", Reason: "the request has no `messageId`", Step: "cross/send", Exchange: 2}
	}
	known := fault(ServerSide, "A2A10-CARD-043", schema.Must)
	known.Known = "The card has the SDK's own form of a security scheme."
	return &Table{
		SchemaVersion: "1", Tool: Tool{"a2a-conform", "1.2.3", "7"}, Text: "Hello, what can you do?",
		Clients: []Client{
			{Name: "js", Command: []string{"node", "chat.js", "{url}", "{text}"}, Dialects: []string{"a2a-1.0", "a2a-0.3"}, SDK: "js@1.3.0", Alone: passes, Shows: []Shows{{"a2a-1.0", true, true, true}}},
			{Name: "go", Command: []string{"chat"}, Dialects: []string{"a2a-1.0"}},
		},
		Servers: []Server{
			{Name: "clerk", URL: "http://127.0.0.1:9999", Dialects: []string{"a2a-1.0"}, SDK: "js@1.3.0", Alone: passes},
			{Name: "greeter", Command: []string{"greeter"}, Dialects: []string{"a2a-1.0"}, Notes: []string{"the gRPC interface 127.0.0.1:9 does not pass through the relay"}},
			{Name: "vault", URL: "http://127.0.0.1:9998"},
			{Name: "gone", URL: "http://127.0.0.1:1", Trouble: "does not answer"},
		},
		Cells: []Cell{
			{Client: "js", Server: "clerk", Dialect: "a2a-1.0", Outcome: Works, Why: "ended with exit code 0, and printed what the server wrote", Faults: []Fault{}, SameSDK: true, Calls: 2, Tries: 1, ClientRecord: "cells/js~clerk.client/transcript.har", ServerRecord: "cells/js~clerk.server/transcript.har", Key: "k"},
			{Client: "js", Server: "greeter", Dialect: "a2a-1.0", Outcome: Fails, Side: NoSide, Hole: true, Why: "ended with exit code 1", Faults: []Fault{}, Calls: 2, Tries: 2,
				Readings: []Reading{{Side: ClientSide, Text: "ended with exit code 1; its last line: no artifacts"}, {Side: ServerSide, Text: "answered the last call, POST /, by HTTP 200"}, {Side: NoSide, ID: "A2A10-CL-AUTH-008", Text: "reading A of the sources: credentials are secrets"}}},
			{Client: "js", Server: "vault", Outcome: Refused, Why: "ended with exit code 1; it sent no credentials, and the server refused its calls by HTTP 401", Faults: []Fault{}, Tries: 2},
			{Client: "js", Server: "gone", Outcome: Void, Why: "the server gone does not answer", Faults: []Fault{}},
			{Client: "go", Server: "clerk", Dialect: "a2a-1.0", Outcome: Fails, Side: BothSides, Why: "did not end within 30 s", Faults: []Fault{fault(ClientSide, "A2A10-CL-MSG-001", schema.Must), known}, More: 1, Calls: 2, Tries: 2, Notes: []string{"the card is signed"}},
			{Client: "go", Server: "greeter", Dialect: "a2a-1.0", Outcome: Works, Why: "ended with exit code 0", Faults: []Fault{fault(ServerSide, "A2A10-CARD-028", schema.Should)}, Calls: 2, Tries: 1},
			{Client: "go", Server: "vault", Outcome: Apart, Why: "the client has a2a-1.0, and the server's card offers a2a-0.3; nothing was started", Faults: []Fault{}},
		},
		Missing: 1,
	}
}

func TestGolden(t *testing.T) {
	for name, render := range map[string]func(io.Writer) error{
		"cross.html": func(w io.Writer) error { return WritePage(w, sample()) },
		"cross.md":   func(w io.Writer) error { return WriteMarkdown(w, sample()) },
		"cross.json": func(w io.Writer) error { return WriteJSON(w, sample()) },
	} {
		t.Run(name, func(t *testing.T) { reportstest.Golden(t, name, reportstest.Render(t, render)) })
	}
}

// What works on one SDK is marked as no evidence, in the page and in the Markdown; other pairs are not.
func TestOneSDKIsNoEvidence(t *testing.T) {
	const marked, apart = "no evidence of interoperability", "works, on one SDK"
	for name, render := range map[string]func(io.Writer, *Table) error{PageFile: WritePage, MarkdownFile: WriteMarkdown} {
		table := sample()
		text := reportstest.Render(t, func(w io.Writer) error { return render(w, table) })
		if strings.Count(text, marked) != 1 || !strings.Contains(text, apart) {
			t.Errorf("%s does not mark the pair", name)
		}
		for i := range table.Cells {
			table.Cells[i].SameSDK = table.Cells[i].Outcome != Works // a pair that fails is evidence, whatever it is built on
		}
		if text = reportstest.Render(t, func(w io.Writer) error { return render(w, table) }); strings.Contains(text, marked) || strings.Contains(text, apart) {
			t.Errorf("%s marks a pair that is not on one SDK, or does not work", name)
		}
	}
}

// What is written fits the schema, and the schema refuses what is not written.
func TestSchema(t *testing.T) {
	s, err := jsonschema.CompileString("cross.json", string(Schema))
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	text := reportstest.Render(t, func(w io.Writer) error { return WriteJSON(w, sample()) })
	if err := validate(text); err != nil {
		t.Errorf("%#v", err)
	}
	for _, change := range [][2]string{{`"schemaVersion": "1"`, `"schemaVersion": "2"`}, {`"outcome": "works"`, `"outcome": "excellent"`}, {`"side": "both"`, `"side": "ours"`}, {`"calls": 2`, `"calls": -1`}, {`"missing"`, `"left"`}} {
		if changed := strings.Replace(text, change[0], change[1], 1); changed == text || validate(changed) == nil {
			t.Errorf("%s is taken", change[1])
		}
	}
}

// Texts of others are escaped and bounded, in the page and in the Markdown.
func TestTextsOfOthers(t *testing.T) {
	const bad = "<script>alert(1)</script> [a](javascript:x) | \x1b[31m \u202e ` \n## heading"
	table := sample()
	for i := range table.Cells {
		c := &table.Cells[i]
		c.Why, c.Notes = bad, []string{bad}
		c.Readings = append(c.Readings, Reading{Side: ClientSide, Text: bad, ID: "X"})
		for j := range c.Faults {
			c.Faults[j].Reason, c.Faults[j].Step, c.Faults[j].Known = bad, bad, bad
		}
		c.ClientRecord = "javascript:alert(1)"
	}
	table.Servers[0].Trouble, table.Text = bad+strings.Repeat("x", 10_000), bad+strings.Repeat("x", 10_000)
	page := reportstest.Render(t, func(w io.Writer) error { return WritePage(w, table) })
	for _, no := range []string{"<script", "\x1b", "\u202e", `href="javascript`} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	text := reportstest.Render(t, func(w io.Writer) error { return WriteMarkdown(w, table) })
	for _, no := range []string{"<script>", "\x1b", "\u202e", "](javascript", "\n## heading"} {
		if strings.Contains(text, no) {
			t.Errorf("the Markdown has %q", no)
		}
	}
	if len(page) > 200_000 || strings.Contains(page, strings.Repeat("x", 5000)) {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// A large table stays bounded: what is not shown is counted.
func TestLargeTable(t *testing.T) {
	table := &Table{SchemaVersion: "1"}
	for i := range 200 {
		table.Clients = append(table.Clients, Client{Name: fmt.Sprint("c", i)})
		table.Servers = append(table.Servers, Server{Name: fmt.Sprint("s", i)})
	}
	for _, c := range table.Clients {
		for _, s := range table.Servers {
			table.Cells = append(table.Cells, Cell{Client: c.Name, Server: s.Name, Outcome: Fails, Side: ClientSide, Why: "ended with exit code 1"})
		}
	}
	var page, text bytes.Buffer
	if err := WritePage(&page, table); err != nil {
		t.Fatal(err)
	}
	if err := WriteMarkdown(&text, table); err != nil {
		t.Fatal(err)
	}
	if page.Len() > 3_000_000 || !strings.Contains(page.String(), "140 more servers") || !strings.Contains(page.String(), "39600 more pairs") {
		t.Errorf("the page has %d bytes", page.Len())
	}
	if text.Len() > 1_000_000 || !strings.Contains(text.String(), "The others are in cross.json.") {
		t.Errorf("the Markdown has %d bytes", text.Len())
	}
}
