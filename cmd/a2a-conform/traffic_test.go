package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// secretOf is a secret of its own for each place of a recording.
func secretOf(place string) string { return "S3cr3t." + place + ".0123456789abcdef" }

// writeForeignHAR writes a HAR file of a conversation whose texts begin with PRIVATE, with a secret in every place in which
// HTTP or the protocol puts one, and returns the places.
func writeForeignHAR(t *testing.T, file string) (places []string) {
	t.Helper()
	s := func(place string) string {
		places = append(places, place)
		return secretOf(place)
	}
	type field map[string]string
	fields := func(pairs ...string) (out []field) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, field{"name": pairs[i], "value": pairs[i+1]})
		}
		return out
	}
	entry := func(second int, method, url, body string, sent []field, status int, kind, answer string, received []field) map[string]any {
		q := map[string]any{"method": method, "url": url, "httpVersion": "HTTP/1.1", "headers": sent, "bodySize": len(body)}
		if body != "" {
			q["postData"] = map[string]any{"mimeType": "application/json", "text": body}
		}
		return map[string]any{"startedDateTime": fmt.Sprintf("2026-03-01T10:00:%02d.000Z", second), "time": 12, "request": q, "response": map[string]any{"status": status, "statusText": "OK", "httpVersion": "HTTP/1.1",
			"headers": append(fields("Content-Type", kind), received...), "content": map[string]any{"size": len(answer), "mimeType": kind, "text": answer}}}
	}
	const origin = "http://agent.example:9999"
	json10 := fields("Content-Type", "application/json", "A2A-Version", "1.0")
	card := `{"name":"PRIVATE name","description":"PRIVATE text","version":"1.0.0","supportedInterfaces":[{"url":"` + origin + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true,"pushNotifications":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"w","name":"PRIVATE skill","description":"PRIVATE","tags":["PRIVATE"]}]}`
	task := `{"id":"PRIVATE-task","contextId":"PRIVATE-context","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"PRIVATE-m2","role":"ROLE_AGENT","parts":[{"text":"PRIVATE answer"}]}}}`
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"PRIVATE-id","method":"` + method + `","params":` + params + `}`
	}
	result := func(v string) string { return `{"jsonrpc":"2.0","id":"PRIVATE-id","result":` + v + `}` }
	entries := []map[string]any{
		entry(0, "GET", origin+"/.well-known/agent-card.json", "", fields("Referer", "http://app.example/"+s("referer-path")+"?session="+s("referer"), "User-Agent", "PRIVATE browser"), 200, "application/json", card, fields("Set-Cookie", "sid="+s("set-cookie")+"; HttpOnly", "Cache-Control", "max-age=60", "ETag", `"1"`)),
		entry(1, "POST", origin+"/rpc", rpc("SendMessage", `{"message":{"messageId":"PRIVATE-m1","role":"ROLE_USER","parts":[{"text":"PRIVATE question"},{"url":"https://files.example/`+s("file-path")+`/a.pdf?X-Amz-Signature=`+s("file-signature")+`"}]}}`),
			append(fields("Authorization", "Bearer "+s("bearer"), "X-Api-Key", s("api-key"), "X-Vendor-Thing", s("vendor-field"), "Cookie", "sid="+s("cookie"), "Proxy-Authorization", "Basic "+s("proxy")), json10...), 200, "application/json", result(`{"task":`+task+`}`), nil),
		entry(2, "POST", origin+"/rpc", rpc("CreateTaskPushNotificationConfig", `{"taskId":"PRIVATE-task","url":"https://hooks.example/`+s("webhook-path")+`?k=`+s("webhook-query")+`","token":"`+s("webhook-token")+`","authentication":{"scheme":"Bearer","credentials":"`+s("webhook-credentials")+`"}}`), json10, 200, "application/json",
			result(`{"id":"c","taskId":"PRIVATE-task","url":"https://hooks.example/`+secretOf("webhook-path")+`?k=`+secretOf("webhook-query")+`","token":"`+secretOf("webhook-token")+`"}`), nil),
		entry(3, "POST", origin+"/rpc", rpc("SendStreamingMessage", `{"message":{"messageId":"PRIVATE-m3","role":"ROLE_USER","parts":[{"text":"PRIVATE again"}]}}`), json10, 200, "text/event-stream", "data: "+result(`{"task":`+task+`}`)+"\n\n: PRIVATE comment\n\n", nil),
		entry(4, "POST", "https://login.example/token", "", fields("Content-Type", "application/x-www-form-urlencoded"), 200, "application/json", `{"access_token":"`+s("access-token")+`","refresh_token":"`+s("refresh-token")+`","id_token":"`+s("id-token")+`"}`, nil),
		entry(5, "GET", "https://app.example/callback?code="+s("code")+"&state="+s("state"), "", nil, 302, "text/html", "PRIVATE page", fields("Location", "https://app.example/?ticket="+s("location"))),
		// A server that is wrong repeats in another thread what it was told in the first one.
		entry(6, "POST", origin+"/rpc", rpc("SendMessage", `{"message":{"messageId":"PRIVATE-m4","role":"ROLE_USER","parts":[{"text":"PRIVATE question of another"}]}}`), json10, 200, "application/json",
			result(`{"task":{"id":"PRIVATE-other","contextId":"PRIVATE-context-2","status":{"state":"PRIVATE","message":{"messageId":"PRIVATE-m5","role":"ROLE_AGENT","parts":[{"text":"PRIVATE: `+secretOf("bearer")+` `+secretOf("access-token")+` `+secretOf("webhook-path")+`"}]}}}}`), nil),
	}
	entries[4]["request"].(map[string]any)["postData"] = map[string]any{"mimeType": "application/x-www-form-urlencoded", "text": "grant_type=password&password=" + s("password") + "&client_secret=" + s("client-secret") + "&code_verifier=" + s("verifier")}
	text, err := json.Marshal(map[string]any{"log": map[string]any{"version": "1.2", "creator": map[string]string{"name": "mitmproxy", "version": "11"}, "entries": entries}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return places
}

// A secret of others is in no file and in nothing that is printed, and without --bodies no text of either side is.
func TestTrafficKeepsSecrets(t *testing.T) {
	dir := t.TempDir()
	har := filepath.Join(dir, "foreign.har")
	places := writeForeignHAR(t, har)
	for _, bodies := range []bool{false, true} {
		out := filepath.Join(dir, fmt.Sprint("out-", bodies))
		_, stdout, stderr := command(t, "traffic", har, "--out", out, fmt.Sprintf("--bodies=%v", bodies))
		checkNothingIsTold(t, out, map[string]string{"what is printed": stdout + stderr}, places, bodies)
	}
}

// checkNothingIsTold looks for secrets, and without bodies for texts of either side, in all files that were written, and in other
// texts.
func checkNothingIsTold(t *testing.T, dir string, texts map[string]string, places []string, bodies bool) {
	t.Helper()
	others := len(texts)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(texts) - others; n < 7 {
		t.Errorf("only %d files were written", n)
	}
	private := false
	for name, text := range texts {
		if strings.Contains(name, "reproduce") {
			t.Errorf("%s would send a request of others again", name)
		}
		for _, place := range places {
			if at := strings.Index(text, secretOf(place)); at >= 0 {
				t.Errorf("bodies %v: the secret of %s is in %s: %q", bodies, place, name, text[max(0, at-60):at+40])
			}
		}
		if at := strings.Index(text, "PRIVATE"); at >= 0 && !bodies {
			t.Errorf("a text of one side is in %s: %q", name, text[max(0, at-60):at+40])
		}
		private = private || strings.Contains(text, "PRIVATE question")
	}
	if private != bodies {
		t.Errorf("bodies %v: the texts of both sides are kept: %v", bodies, private)
	}
}

// harOfTest is what a test reads of a HAR file to make its calls again.
type harOfTest struct {
	Log struct {
		Entries []struct {
			Request struct {
				Method, URL string
				Headers     []struct{ Name, Value string }
				PostData    struct{ MimeType, Text string }
			}
			Response struct {
				Status  int
				Headers []struct{ Name, Value string }
				Content struct{ Text string }
			}
		}
	}
}

// pageAt finds the address of the proxy's page in what it prints.
var pageAt = regexp.MustCompile(`Counts and verdicts: (\S+), and`)

// A secret that passes through the proxy, in any place in which HTTP or the protocol puts one, is in no file, on no page, in no
// metric and in nothing that is printed, and without --bodies no text of either side is.
func TestProxyKeepsSecrets(t *testing.T) {
	t.Parallel()
	har := filepath.Join(t.TempDir(), "foreign.har")
	places := writeForeignHAR(t, har)
	text, err := os.ReadFile(har)
	if err != nil {
		t.Fatal(err)
	}
	var of harOfTest
	if err := json.Unmarshal(text, &of); err != nil {
		t.Fatal(err)
	}
	places = append(places, "sent-trailer", "answered-trailer", "answered-field", "challenge")
	for _, c := range []struct {
		bodies bool
		hold   string
	}{{false, "0"}, {true, "0"}, {false, "1h"}, {true, "1h"}} {
		t.Run(fmt.Sprintf("bodies %v, hold %s", c.bodies, c.hold), func(t *testing.T) {
			t.Parallel()
			p, texts := passSecrets(t, of, c.bodies, c.hold)
			checkNothingIsTold(t, filepath.Join(p.Dir, "reports"), texts, places, c.bodies)
			partial := strings.Contains(p.Errors.String(), "on the threads alone in which something failed")
			if partial != (c.hold != "0") {
				t.Errorf("hold %s: the reports are on some threads alone: %v", c.hold, partial)
			}
		})
	}
}

// passSecrets makes the calls of a recording through a proxy that judges them, and returns the proxy, and what was shown and
// printed.
func passSecrets(t *testing.T, of harOfTest, bodies bool, hold string) (p *proxyProcess, texts map[string]string) {
	t.Helper()
	entries := of.Log.Entries
	var at atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := entries[at.Load()].Response
		io.Copy(io.Discard, r.Body)
		for _, h := range answer.Headers {
			w.Header().Set(h.Name, h.Value)
		}
		w.Header().Set("X-Session", secretOf("answered-field"))
		w.Header().Set("WWW-Authenticate", `Bearer nonce="`+secretOf("challenge")+`"`)
		w.Header().Set("Trailer", "X-Token")
		w.WriteHeader(answer.Status)
		io.WriteString(w, strings.ReplaceAll(answer.Content.Text, "http://agent.example:9999", "http://"+r.Host))
		w.Header().Set("X-Token", secretOf("answered-trailer"))
	}))
	t.Cleanup(server.Close)
	p, url := startProxyProcess(t, "--upstream", server.URL, "--out", "reports", "--page", "127.0.0.1:0", fmt.Sprintf("--bodies=%v", bodies), "--hold", hold)
	page := p.lines.await(t, pageAt)
	client := &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for n := range entries {
		at.Store(int32(n))
		sent := entries[n].Request
		_, rest, _ := strings.Cut(sent.URL, "//")
		_, path, _ := strings.Cut(rest, "/")
		r, err := http.NewRequest(sent.Method, url+"/"+path, io.MultiReader(strings.NewReader(sent.PostData.Text))) // in chunks
		if err != nil {
			t.Fatal(err)
		}
		if sent.PostData.Text == "" {
			r.Body = nil
		} else {
			r.Trailer = http.Header{"X-Sent-Token": {secretOf("sent-trailer")}}
		}
		for _, h := range sent.Headers {
			r.Header.Add(h.Name, h.Value)
		}
		if sent.PostData.MimeType != "" {
			r.Header.Set("Content-Type", sent.PostData.MimeType)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != entries[n].Response.Status || len(got) == 0 || answer.Trailer.Get("X-Token") == "" {
			t.Fatalf("call %d: got %d, %v", n, answer.StatusCode, err)
		}
	}
	texts = map[string]string{}
	for _, path := range []string{"", "metrics"} {
		answer, err := client.Get(strings.TrimSuffix(page, "/") + "/" + path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("/%s: got %d, %v", path, answer.StatusCode, err)
		}
		texts["page/"+path] = string(got)
	}
	client.CloseIdleConnections()
	p.end(t)
	texts["what is printed"] = p.Printed.String() + p.Errors.String()
	return p, texts
}

// Without --out nothing is written, and a mistake of the operator is named.
func TestTrafficCommand(t *testing.T) {
	dir := t.TempDir()
	har := filepath.Join(dir, "foreign.har")
	writeForeignHAR(t, har)
	before, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	code, stdout, stderr := command(t, "traffic", har)
	if !strings.Contains(stdout, "The server") || !strings.Contains(stdout, "The client") || strings.Contains(stdout, "\nCONFORMANT") || strings.Contains(stdout, "report.html") {
		t.Errorf("got %d\n%s%s", code, stdout, stderr)
	}
	after, err := os.ReadDir(dir)
	if err != nil || len(after) != len(before) {
		t.Errorf("%d files are there, %d were: %v", len(after), len(before), err)
	}
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"name a recording": {"traffic"},
		`--side "left" is not one of server, client, both`: {"traffic", har, "--side", "left"},
		"choose --side server or --side client":            {"traffic", har, "--json"},
		"it is neither a HAR file nor what curl writes":    {"traffic", text},
		"unknown dialect": {"traffic", har, "--dialect", "a2a-9"},
		"no such file":    {"traffic", filepath.Join(dir, "none.har")},
	} {
		if code, _, stderr := command(t, args...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%v: got %d and %q, want 2 and %q", args, code, stderr, want)
		}
	}
}

// Correct servers and clients do what a single client in a run never shows: they serve several users, forget tasks, finish
// them between two calls, and are called by browsers, monitors and clients that repeat themselves. None of it is a failure.
func TestCorrectTrafficIsNotAccused(t *testing.T) {
	files, err := filepath.Glob("testdata/traffic/*.har")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for _, file := range files {
		for _, side := range []string{"server", "client"} {
			code, stdout, stderr := command(t, "traffic", "--json", "--side", side, file)
			if filepath.Base(file) == "other-protocol.har" {
				if code != 2 || !strings.Contains(stderr, "no call of any dialect") {
					t.Errorf("%s: got %d and %q", file, code, stderr)
				}
				continue
			}
			var report struct {
				Results []struct{ ID, Verdict string }
			}
			if err := json.Unmarshal([]byte(stdout), &report); err != nil {
				t.Fatalf("%s: %v\n%s", file, err, stderr)
			}
			for _, r := range report.Results {
				if r.Verdict == "fail" {
					t.Errorf("%s: the %s fails %s", file, side, r.ID)
				}
			}
		}
	}
}
