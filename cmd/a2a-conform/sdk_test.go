package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// likeAnSDK is the bundled server behind a proxy that refuses what is no request object in the words of
// @a2a-js/sdk 1.3.0, and calls without method in words of its own, if there are some.
func likeAnSDK(t *testing.T, own string) string {
	t.Helper()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	to, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	var front *httptest.Server
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Header.Get("Content-Type") == "text/event-stream" {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = bytes.ReplaceAll(body, []byte(to.Host), []byte(strings.TrimPrefix(front.URL, "http://")))
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return nil
	}
	front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var call map[string]any
		if r.Method == http.MethodPost && json.Unmarshal(body, &call) == nil && call["id"] != nil {
			method, _ := call["method"].(string)
			words := "Invalid JSON-RPC Request."
			if own != "" && call["method"] == nil {
				words = own
			}
			if method == "" || call["jsonrpc"] != "2.0" {
				id, _ := json.Marshal(call["id"])
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(id)+`,"error":{"code":-32602,"message":"`+words+`"}}`)
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// envelopes are the requirements that such a server breaks.
var envelopes = []string{"--stimuli", "plain", "--config", "", "--dialect", "a2a-1.0", "--run", "A2A10-ENV-015", "--run", "A2A10-ENV-016", "--run", "A2A10-ENV-017"}

func runOn(t *testing.T, url string, flags ...string) (int, string, string) {
	t.Helper()
	return command(t, slices.Concat([]string{"run", url}, envelopes, flags)...)
}

// Failures that are known faults of the declared SDK are named in every format, and nothing else changes.
func TestKnownFaultsAreNamed(t *testing.T) {
	here(t)
	server := likeAnSDK(t, "")
	code, out, errs := runOn(t, server)
	if code != 1 || strings.Contains(out, "known fault") {
		t.Fatalf("without a declaration: exit %d\n%s%s", code, out, errs)
	}
	plain := read(t, "a2a-report/report.json")
	code, out, errs = runOn(t, server, "--sdk", "@a2a-js/sdk@1.3.0")
	if code != 1 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	const line = "1 cause; 1 is a known fault of @a2a-js/sdk 1.3.0; nothing points beyond the SDK"
	for _, want := range []string{line, "    known     a known fault of @a2a-js/sdk 1.3.0: A call that is no request object is refused with -32602", "src/server/transports/jsonrpc/jsonrpc_transport_handler.ts, handle, seen "} {
		if !strings.Contains(out, want) {
			t.Errorf("the terminal has no %q\n%s", want, out)
		}
	}
	r := read(t, "a2a-report/report.json")
	if r.Verdict != plain.Verdict || r.Causes != plain.Causes || r.Reason != strings.ReplaceAll(plain.Reason, plain.Target.URL, r.Target.URL) {
		t.Errorf("the declaration changes the verdict: %s, %s", r.Verdict, r.Reason)
	}
	for i, res := range r.Results {
		if res.Verdict != plain.Results[i].Verdict {
			t.Errorf("the declaration changes %s", res.ID)
		}
		if (res.Known != nil) != (res.Verdict == report.Fail) {
			t.Errorf("%s is %s, and %+v is known", res.ID, res.Verdict, res.Known)
		}
	}
	if r.SDK == nil || *r.SDK != (report.SDKFaults{Name: "@a2a-js/sdk", Version: "1.3.0", Declared: true, Waive: "sdk:js@1.3.0", Failures: 3, Causes: 1}) {
		t.Errorf("got %+v", r.SDK)
	}
	for file, want := range map[string]string{"summary.md": "1 cause; 1 is a known fault of", "report.html": line, "junit.xml": "known: a known fault of"} {
		if text, err := os.ReadFile("a2a-report/" + file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q (%v)", file, want, err)
		}
	}
	if code, out, errs := command(t, "replay", "a2a-report/transcript.har"); code != 1 || !strings.Contains(out, line) {
		t.Errorf("the replay: exit %d\n%s%s", code, out, errs)
	}
	if err := os.WriteFile("c.yaml", []byte("sdk: js@1.3.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := runOn(t, server, "--config", "c.yaml"); code != 1 || !strings.Contains(out, line) {
		t.Errorf("named in a file: exit %d\n%s%s", code, out, errs)
	}
}

// The known faults of an SDK are waived by its name; the same requirement with other bytes is not.
func TestKnownFaultsAreWaived(t *testing.T) {
	here(t)
	server, own := likeAnSDK(t, ""), likeAnSDK(t, "no method was named")
	waive := []string{"--waivers", "sdk:js@1.3.0", "--gate", "no-failures"}
	code, out, errs := runOn(t, server, waive...)
	if code != 0 || !strings.Contains(out, "3 waived failures are known faults of @a2a-js/sdk 1.3.0; nothing points beyond the SDK") || !strings.Contains(out, "PARTIAL") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	for _, w := range read(t, "a2a-report/report.json").Waivers {
		if w.State != report.InForce || w.SDK != "js@1.3.0" || w.Line != 0 {
			t.Errorf("got %+v", w)
		}
	}
	if code, out, errs := command(t, "replay", "a2a-report/transcript.har", "--quiet"); code != 0 {
		t.Errorf("the replay: exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = runOn(t, own, waive...)
	r := read(t, "a2a-report/report.json")
	if code != 1 || find(r, "A2A10-ENV-015").Verdict != report.Fail || find(r, "A2A10-ENV-015").Known != nil || find(r, "A2A10-ENV-016").Verdict != report.Waived ||
		!strings.Contains(out, "A2A10-ENV-015 fails, but not as @a2a-js/sdk 1.3.0 is known to fail it") {
		t.Errorf("with a fault of its own: exit %d\n%s%s", code, out, errs)
	}
	if err := os.WriteFile("w.yaml", []byte("waivers:\n  - {id: A2A10-ENV-015, why: ticket 4711, until: 2999-12-31, at: envelope}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := runOn(t, own, append(waive, "--waivers", "w.yaml")...); code != 0 || !strings.Contains(out, "1 other failure is waived") {
		t.Errorf("with a file as well: exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := runOn(t, served10(t), waive...); code != 1 || !strings.Contains(out, "if the agent is built on another version by now, correct --waivers sdk:js@1.3.0") {
		t.Errorf("a server without any of the faults: exit %d\n%s%s", code, out, errs)
	}
}

func served10(t *testing.T) string {
	t.Helper()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.URL()
}

func TestMistakesInNamesOfSDKs(t *testing.T) {
	here(t)
	if err := os.WriteFile("c.yaml", []byte("target: http://127.0.0.1:1\nsdk: js@9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--sdk", "js"}, `--sdk: "js" names no version; write js@1.3.0 or js@0.3.14`},
		{[]string{"--sdk", "python@1"}, `--sdk: "python@1" is no SDK whose faults are known; there are go@`},
		{[]string{"--waivers", "sdk:js@2"}, "--waivers: no faults are known of @a2a-js/sdk 2, but of js@1.3.0, js@0.3.14"},
		{[]string{"--waivers", "sdk:js@1.3.0", "--sdk", "go@v2.4.0"}, "the agent is built on one SDK, but both go@v2.4.0 and js@1.3.0 are named"},
		{[]string{"--config", "c.yaml"}, "c.yaml:2: sdk: no faults are known of @a2a-js/sdk 9"},
	} {
		code, out, errs := command(t, append([]string{"run", "http://127.0.0.1:1"}, c.flags...)...)
		if code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, want %q\n%s%s", c.flags, code, c.want, out, errs)
		}
	}
}

// The commands that the guide shows are run as they are shown, against a server that has some of the faults; docs/ is
// tested further in internal/repotest.
func TestCommandsOfKnownFaults(t *testing.T) {
	guide, err := os.ReadFile("../../docs/known-faults.md")
	if err != nil {
		t.Fatal(err)
	}
	here(t)
	if err := os.WriteFile("waivers.yaml", []byte("waivers:\n  - {id: A2A10-ENV-015, why: ticket 4711, until: 2999-12-31, at: envelope}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, n := likeAnSDK(t, ""), 0
	for line := range strings.Lines(string(guide)) {
		args, is := strings.CutPrefix(strings.TrimSpace(line), "a2a-conform run http://localhost:9999 ")
		if !is {
			continue
		}
		n++
		want := 0
		if !strings.Contains(args, "--waivers") {
			want = 1
		}
		if code, out, errs := runOn(t, server, strings.Fields(args)...); code != want || !strings.Contains(out, "of @a2a-js/sdk 1.3.0; nothing points beyond the SDK") {
			t.Errorf("%s: exit %d, want %d\n%s%s", args, code, want, out, errs)
		}
	}
	if n < 3 {
		t.Errorf("%d commands were found", n)
	}
}
