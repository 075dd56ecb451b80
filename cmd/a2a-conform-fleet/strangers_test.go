package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reports/files"
)

// strangerAt is a connection to the broker of a folder of somebody who may write there what he likes.
func strangerAt(t *testing.T, data string) jetstream.JetStream {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "broker.json"))
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ URL, Token string }
	if err := json.Unmarshal(text, &at); err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(at.URL, nats.Token(at.Token))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// growing is evidence of few bytes whose report has many.
func growing(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(files.JSONFile)
	if err != nil {
		t.Fatal(err)
	}
	piece := make([]byte, 1<<20)
	for range 900 {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What others wrote into the broker neither fills the memory of a report nor ends it: the targets that
// are as they were are shown, what cannot be read is named, and the exit code is 0.
func TestReportOfASpoiltBroker(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	data := t.TempDir()
	started(t, "broker", "--data", data)
	if code, _, _ := fleetOf(t, "add", "http://127.0.0.1:1", "http://127.0.0.2:1", "--data", data); code != 0 {
		t.Fatal(code)
	}
	if code, _, _ := fleetOf(t, "work", "--once", "--allow-network", "127.0.0.0/8", "--data", data); code != 0 {
		t.Fatal(code)
	}
	ctx := t.Context()
	js := strangerAt(t, data)
	result := func(full any) []byte {
		text, err := json.Marshal(map[string]any{"verdict": "conformant", "at": "2026-01-01T00:00:00Z", "tries": 1, "run": "a", "round": "000001", "full": full})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	put := func(bucket, key string, text []byte) {
		t.Helper()
		if _, err := js.Publish(ctx, "$KV."+bucket+"."+key, text); err != nil {
			t.Fatal(err)
		}
	}
	target := func(i int) string { return fmt.Sprintf("%016x", 0xabc0000+i) }
	changes := make([]map[string]string, 100)
	for i := range changes {
		changes[i] = map[string]string{"id": fmt.Sprint("ZZ-", i), "after": strings.Repeat("x", 9000)}
	}
	noise := make([]byte, 500_000)
	for i := range noise {
		noise[i] = byte(' ' + rand.IntN(90))
	}
	for i := range 200 { // in all some hundred megabytes
		put("a2a-fleet-results", "000001."+target(i), result(map[string]any{"url": "http://a.example", "changes": changes}))
		if i < 80 {
			put("a2a-fleet-latest", target(i), result(map[string]any{"url": "http://a.example", "changes": changes, "summary": map[string]any{}}))
			put("a2a-fleet-results", "000001."+target(1000+i), result(map[string]any{"reason": string(noise)}))
			put("a2a-fleet-results", "000001."+target(2000+i), []byte(`{"full":{"changes":[`+strings.Repeat(`{},`, 300_000)+`{}]}}`))
		}
	}
	put("a2a-fleet-results", "000001.a/b/c", result(nil))
	put("a2a-fleet-rounds", "round.999999", []byte(`{"id":"999999","began":"2026-01-01T00:00:00Z","catalogue":"a"}`))
	evidence, err := js.ObjectStore(ctx, "a2a-fleet-evidence")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.List(ctx)
	if err != nil || len(kept) == 0 {
		t.Fatal(kept, err)
	}
	if _, err := evidence.PutBytes(ctx, kept[0].Name, growing(t)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := commandtest.NewChild(t, "report", "--data", data, "--out", dir)
	if err := c.Run(); err != nil {
		t.Errorf("%v: %s", err, c.Errors.String())
	}
	if after := c.Check(t); after.Peak > 256<<20 {
		t.Errorf("it held %d MiB, want at most 256", after.Peak>>20)
	}
	if !strings.Contains(c.Printed.String(), "unreadable in the broker") {
		t.Errorf("it names nothing: %s", c.Printed.String())
	}
	page, err := os.ReadFile(filepath.Join(dir, files.MarkdownFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"http://127.0.0.1:1", "http://127.0.0.2:1", "unreadable in the broker", "round.999999"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the summary has no %q: %.2000s", want, page)
		}
	}
}
