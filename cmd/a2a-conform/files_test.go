package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// cpuBound is the time that reading or refusing a file may take of a processor.
const cpuBound = 5 * time.Second

// endlessPipe is the name that stands for a pipe to which nobody writes.
const endlessPipe = "PIPE"

// foreignFile is a file that nobody should have to read.
type foreignFile struct {
	name  string
	write func(w io.Writer) // what is in it; nil where args name what is read
	args  []string          // FILE stands for its name
	says  string            // what the sentence holds; the file is refused
}

func plainText(s string) func(io.Writer) { return func(w io.Writer) { io.WriteString(w, s) } }

// repeated writes a piece again and again between two texts.
func repeated(before, piece string, bytes int, after string) func(io.Writer) {
	return func(w io.Writer) {
		io.WriteString(w, before)
		block := strings.Repeat(piece, max(1, (1<<20)/len(piece)))
		for n := 0; n < bytes; n += len(block) {
			io.WriteString(w, block)
		}
		io.WriteString(w, after)
	}
}

// counted writes n pieces of a format.
func counted(before, format string, n int, after string) func(io.Writer) {
	return func(w io.Writer) {
		io.WriteString(w, before)
		for i := range n {
			fmt.Fprintf(w, format, i+1)
		}
		io.WriteString(w, after)
	}
}

// doubling is a schema in which each definition says twice what the next says.
func doubling(say string) string {
	var b strings.Builder
	b.WriteString(`{"definitions":{`)
	for i := range 40 {
		fmt.Fprintf(&b, `"D%d":%s,`, i, strings.ReplaceAll(say, "NEXT", fmt.Sprintf(`{"$ref":"#/definitions/D%d"}`, i+1)))
	}
	return b.String() + `"D40":{"type":"object"},"AgentCard":{"$ref":"#/definitions/D0"},"Task":{"$ref":"#/definitions/D0"}}}`
}

// began is when the runs of foreign files were, and of each of their exchanges.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// unlike is an entry whose response is no run's.
func unlike(response string) string {
	return fmt.Sprintf(`{"startedDateTime":"2026-01-01T00:00:00Z","_id":1,"_direction":"out","_ended":"eof","_end":1,"request":{},"response":{%s}}`, response)
}

// likeOurs is an entry as a run writes it, about a response.
func likeOurs(head string, body []byte) string {
	var har bytes.Buffer
	x := &record.Exchange{ID: 1, Dir: record.Out, End: 1, Ended: record.EOF, Response: record.Message{Head: []byte(head), Body: body}}
	if err := record.WriteHAR(&har, &record.Transcript{Started: began, Exchanges: []*record.Exchange{x}}); err != nil {
		panic(err)
	}
	var file struct {
		Log struct{ Entries []json.RawMessage }
	}
	if err := json.Unmarshal(har.Bytes(), &file); err != nil {
		panic(err)
	}
	var entry bytes.Buffer
	if err := json.Compact(&entry, file.Log.Entries[0]); err != nil {
		panic(err)
	}
	return entry.String()
}

// har is a transcript around entries.
func har(entries func(w io.Writer), plays string) func(io.Writer) {
	return func(w io.Writer) {
		io.WriteString(w, `{"log":{"version":"1.2","entries":[`)
		entries(w)
		io.WriteString(w, fmt.Sprintf(`],"_a2aConform":{"format":1,"started":"2026-01-01T00:00:00Z","durationNs":1,"facts":{"dialect":"a2a-0.1"},"plays":[%s]}}}`, plays))
	}
}

// withEntries writes an entry n times, each with its number.
func withEntries(n int, entry string) func(io.Writer) {
	before, after, ok := strings.Cut(entry, `"_id":1,`)
	if !ok {
		panic("an entry without a number")
	}
	return func(w io.Writer) {
		for i := range n {
			if i > 0 {
				io.WriteString(w, ",")
			}
			fmt.Fprintf(w, `%s"_id":%d,%s`, before, i+1, after)
		}
	}
}

func foreignFiles() []foreignFile {
	config, waivers, schema := []string{"run", "--config", "FILE"}, []string{"run", target, "--waivers", "FILE"}, []string{"run", target, "--dialect", "a2a-0.1", "--schema", "FILE"}
	diff, replay := []string{"diff", "FILE", "FILE"}, []string{"replay", "FILE"}
	stream := likeOurs("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", []byte(strings.Repeat("data: {\"jsonrpc\":1}\n\n", 300_000)))
	return []foreignFile{
		{"a configuration with a string of 50 MB", repeated("target: '", "x", 50<<20, "'"), config, "larger than"},
		{"a configuration without end", nil, []string{"run", "--config", "/dev/zero"}, "larger than"},
		{"a configuration that no process writes", nil, []string{"run", "--config", endlessPipe}, "empty"},
		{"a configuration that is a folder", nil, []string{"run", "--config", "/"}, "folder"},
		{"a configuration of aliases upon aliases", plainText("a: &a [x,x,x,x,x,x,x,x,x]\n" + aliases()), config, "unknown key"},
		{"a configuration nested 100,000 deep", plainText("target: " + strings.Repeat("[", 100_000)), config, "this is not YAML"},
		{"a configuration of 30,000 keys", counted("", "key%d: {}\n", 30_000, ""), config, "and "},
		{"a configuration of 250,000 empty lists", plainText("stimuli: {quick: {text: [" + strings.Repeat("[],", 150_000) + "]}}"), config, "but must be"},
		{"a token without end", plainText("target: " + target + "\nauth: {bearer: 'file:/dev/zero'}"), config, "larger than"},
		{"a token that no process writes", plainText("target: " + target + "\nauth: {bearer: 'file:" + endlessPipe + "'}"), config, "empty"},
		{"a token in a folder", plainText("target: " + target + "\nauth: {apiKey: 'file:/'}"), config, "folder"},
		{"stimuli of 50 MB", repeated("quick: {text: '", "x", 50<<20, "'}"), []string{"run", target, "--stimuli", "FILE"}, "larger than"},
		{"stimuli without end", nil, []string{"run", target, "--stimuli", "/dev/zero"}, "larger than"},
		{"waivers of 50 MB", repeated("waivers: [{id: '", "x", 50<<20, "'}]"), waivers, "larger than"},
		{"waivers by the 10,000", counted("waivers:\n", "- {id: X%d}\n", 10_000, ""), waivers, "more than there are requirements"},
		{"3,000 waivers of nothing", counted("waivers:\n", "- {id: X%d, why: w, until: 2099-01-01}\n", 3_000, ""), waivers, "no requirement is called"},
		{"authorities without end", nil, []string{"run", target, "--ca", "/dev/zero"}, "larger than"},
		{"a certificate without end", nil, []string{"run", target, "--client-cert", "/dev/zero", "--client-key", "/dev/zero"}, "larger than"},
		{"a webhook's certificate without end", nil, []string{"run", target, "--webhook-listen", "127.0.0.1:0", "--webhook-cert", "/dev/zero", "--webhook-key", "/dev/zero"}, ""},
		{"a card without end", nil, []string{"run", target, "--card", "/dev/zero"}, "larger than"},
		{"a card that no process writes", nil, []string{"run", target, "--card", endlessPipe}, "empty"},
		{"a schema of 50 MB", repeated(`{"definitions":{"Task":{"description":"`, "x", 50<<20, `"}}}`), schema, "larger than"},
		{"a schema without end", nil, []string{"run", target, "--dialect", "a2a-0.1", "--schema", "/dev/zero"}, "larger than"},
		{"a schema of doubling allOf", plainText(doubling(`{"allOf":[NEXT,NEXT]}`)), schema, "ways"},
		{"a schema of doubling anyOf", plainText(doubling(`{"anyOf":[NEXT,NEXT]}`)), schema, "ways"},
		{"a schema that doubles member by member", plainText(doubling(`{"allOf":[{"properties":{"a":NEXT}},{"properties":{"a":NEXT}}]}`)), schema, "ways"},
		{"a schema that doubles item by item", plainText(doubling(`{"items":NEXT,"contains":NEXT}`)), schema, "ways"},
		{"a schema that doubles by recursion", plainText(`{"definitions":{"Task":{"anyOf":[{"properties":{"a":{"$ref":"#/definitions/Task"}}},{"additionalProperties":{"$ref":"#/definitions/Task"}}]}}}`), schema, "ways"},
		{"a schema that doubles by places", plainText(places()), schema, "rules"},
		{"a schema of 20,000 definitions", counted(`{"definitions":{`, `"D%d":{},`, 20_000, `"Task":{}}}`), schema, "definitions"},
		{"a schema nested 100,000 deep", plainText(strings.Repeat(`{"not":`, 100_000)), schema, ""},
		{"a report of 92 MB", repeated(`{"schemaVersion":"1","reason":"`, "x", 92<<20, `"}`), diff, "larger than"},
		{"a report without end", nil, []string{"diff", "/dev/zero", "/dev/zero"}, "larger than"},
		{"a report that no process writes", nil, []string{"diff", endlessPipe, endlessPipe}, "not a report"},
		{"a report of 8,000,000 values", repeated(`{"results":[`, "0,", 16<<20, `0]}`), diff, "values"},
		{"a report of 100,000 results", repeated(`{"schemaVersion":"1","results":[`, "{},", 300_000, `{}]}`), diff, "values"},
		{"a report nested deep", repeated("", "[", 1<<20, ""), []string{"waivers", "--from", "FILE"}, "not a report"},
		{"a baseline of 92 MB", repeated(`"`, "x", 92<<20, `"`), []string{"run", target, "--gate", "baseline=FILE"}, "larger than"},
		{"a report to run again of 92 MB", repeated(`"`, "x", 92<<20, `"`), []string{"run", target, "--rerun-failed", "FILE"}, "larger than"},
		{"a transcript with five streams of 300,000 events", har(withEntries(5, stream), ""), replay, "MiB"},
		{"a transcript with a body of 60 MB", har(withEntries(1, likeOurs("", make([]byte, 60<<20))), ""), replay, "MiB"},
		{"a transcript with twenty bodies of 8 MB", har(withEntries(20, likeOurs("", make([]byte, 8<<20))), ""), replay, "MiB"},
		{"a transcript of 200,000 exchanges", har(withEntries(200_000, likeOurs("", nil)), ""), replay, "MiB"},
		{"a transcript of 8,000,000 steps", har(withEntries(1, unlike("")), `{"steps":[`+strings.Repeat("{},", 8_000_000)+`{}]}`), replay, "values"},
		{"a transcript of 8,000,000 headers", har(withEntries(1, unlike(`"headers":[`+strings.Repeat("{},", 8_000_000)+`{}]`)), ""), replay, "values"},
		{"a transcript of 8,000,000 arrivals", har(withEntries(1, unlike(`"_raw":{"_chunks":[`+strings.Repeat("{},", 8_000_000)+`{}]}`)), ""), replay, "values"},
		{"a transcript with replies of 8 MB of numbers", har(withEntries(4, likeOurs("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", []byte("["+strings.Repeat("1,", 4<<20)+"1]"))), ""), replay, ""},
		{"a transcript without end", nil, []string{"replay", "/dev/zero"}, "not a HAR file"},
		{"a transcript that begins and does not end", repeated(`{"log":{"comment":"`, "x", 300<<20, ""), replay, "larger than"},
		{"a transcript nested deep", repeated(`{"log":`, "[", 20<<20, ""), replay, "not a HAR file"},
		{"a transcript that no process writes", nil, []string{"replay", endlessPipe}, "too early"},
		{"a transcript of many small members", repeated(`{"log":{`, `"a":0,`, 100<<20, `"b":0}}`), replay, "not a transcript"},
	}
}

const target = "http://127.0.0.1:1"

func aliases() string {
	var b strings.Builder
	for c := 'b'; c < 'z'; c++ {
		fmt.Fprintf(&b, "%c: &%[1]c [%s]\n", c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	return b.String()
}

// places is a schema whose definitions refer twice to places inside the next.
func places() string {
	var b strings.Builder
	b.WriteString(`{"definitions":{`)
	for i := range 40 {
		fmt.Fprintf(&b, `"D%d":{"properties":{"x":{"properties":{"a":{"$ref":"#/definitions/D%d/properties/x"},"b":{"$ref":"#/definitions/D%[2]d/properties/x"}}}}},`, i, i+1)
	}
	return b.String() + `"D40":{"properties":{"x":{}}},"Task":{"$ref":"#/definitions/D0"}}}`
}

// allForeignFiles are the files of every class.
func allForeignFiles() []foreignFile {
	return slices.Concat(foreignFiles(), yamlFiles(), recordFiles())
}

// What others wrote, and is larger, deeper or more entangled than anything a run
// needs, is refused with a sentence, in little time and memory.
func TestMemoryIsBoundedForForeignFiles(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	files := allForeignFiles()
	for i, c := range files {
		if testamount.LeavesOut(i%12 == 2) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(dir, fmt.Sprint(i))
			if c.write != nil {
				f, err := os.Create(file)
				if err != nil {
					t.Fatal(err)
				}
				defer os.Remove(file)
				c.write(pipeNamed{f, pipe})
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
			var args []string
			for _, a := range c.args {
				args = append(args, strings.NewReplacer("FILE", file, endlessPipe, pipe).Replace(a))
			}
			run := newChild(t, args...)
			guard := time.AfterFunc(time.Minute, func() { run.Process.Kill() })
			run.Run()
			guard.Stop()
			after := run.Check(t)
			said := run.Errors.String()
			if took := run.ProcessState.UserTime() + run.ProcessState.SystemTime(); took > cpuBound {
				t.Errorf("it took %v of a processor", took)
			}
			if code := run.ProcessState.ExitCode(); c.says == isRead && code != 4 {
				t.Errorf("exit %d, but it should be read: %.500s", code, said)
			} else if c.says != isRead && c.says != "" && (code != 2 || !strings.Contains(said, c.says)) {
				t.Errorf("exit %d, and it does not say %q: %.500s", code, c.says, said)
			}
			silent(t, run)
			t.Logf("%d MiB, %v: %.150s", after.Peak>>20, run.ProcessState.UserTime()+run.ProcessState.SystemTime(), said)
		})
	}
}

// listFile is the row of a file in the table of mechanisms.
func listFile(c foreignFile) string {
	says := fmt.Sprintf("`%s`", c.says)
	switch c.says {
	case "":
		says = "a sentence, or a verdict"
	case isRead:
		says = isRead
	}
	args := strings.ReplaceAll(strings.ReplaceAll(strings.Join(c.args, " "), target, "URL"), " --data fleet", "")
	return fmt.Sprintf("| %s | `%s` | %s |\n", c.name, args, says)
}

// The table of mechanisms names every file.
func TestForeignFilesAreListed(t *testing.T) {
	testamount.SkipInShort(t)
	text, err := os.ReadFile("../../docs/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range allForeignFiles() {
		if row := listFile(c); strings.Count(string(text), row) != 1 {
			t.Errorf("docs/hostile.md does not have this line once in its tables:\n%s", row)
		}
	}
}

// pipeNamed writes to a file, with the name of the pipe in its place.
type pipeNamed struct {
	io.Writer
	pipe string
}

func (p pipeNamed) Write(b []byte) (int, error) {
	if len(b) < 1000 {
		b = []byte(strings.ReplaceAll(string(b), endlessPipe, p.pipe))
	}
	return p.Writer.Write(b)
}
