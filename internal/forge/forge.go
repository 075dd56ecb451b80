// Package forge changes transcripts as somebody would who wants a better verdict, or no
// witness. Tests show with it what is noticed: a forgery that contradicts the rest of its
// transcript is refused by whoever reads it; one that was made everywhere alike is noticed by
// no one without a signature.
package forge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Forgery is a change of a transcript, as transcript.har has it.
type Forgery struct {
	Name  string
	Apply func(har []byte) ([]byte, error)
}

// object is one of JSON.
type object = map[string]any

// Contradicting returns the forgeries that leave a contradiction in the transcript of a run of
// the bundled server over JSON-RPC.
func Contradicting() []Forgery {
	return slices.Concat(wholeFile(), readableHalf(), recordedHalf(), timeForgeries(), playForgeries())
}

// Consistent returns the forgeries that change every place alike: the transcript of a run that
// never was.
func Consistent() []Forgery {
	return []Forgery{
		{"another server, everywhere", func(har []byte) ([]byte, error) {
			return rewriteTexts(har, func(s string) string {
				return regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(s, "agent.acme.example")
			})
		}},
		{"another agent's name, everywhere", func(har []byte) ([]byte, error) {
			return rewriteTexts(har, func(s string) string { return strings.ReplaceAll(s, "Reference", "Acme Agent") })
		}},
	}
}

// wholeFile are changes that an editor of text makes.
func wholeFile() []Forgery {
	return []Forgery{
		{"another server, by sed", func(har []byte) ([]byte, error) {
			har = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAll(har, []byte("agent.acme.example"))
			return bytes.ReplaceAll(har, []byte(`"kind": "bundled"`), []byte(`"kind": "url"`)), nil
		}},
		{"another target in the facts", conformMember(func(c object) { factsOf(c)["target"] = "https://agent.acme.example" })},
		{"another endpoint in the facts", conformMember(func(c object) { factsOf(c)["rpc"] = "https://agent.acme.example/rpc" })},
		{"an entry left out", editEntries(func(all []any) []any { return slices.Delete(all, 2, 3) })},
		{"an entry left out and the rest numbered anew", editEntries(func(all []any) []any { return renumber(slices.Delete(all, 2, 3)) })},
		{"an entry twice", editEntries(func(all []any) []any { return renumber(append(all, deepCopy(all[2]))) })},
		{"two entries swapped", editEntries(func(all []any) []any {
			all[1], all[4] = all[4], all[1]
			return all
		})},
	}
}

// readableHalf are changes of what viewers show.
func readableHalf() []Forgery {
	out := []Forgery{}
	for _, c := range []struct {
		name string
		edit func(request, response object)
	}{
		{"the method shown", func(q, _ object) { q["method"] = "PUT" }},
		{"the version of HTTP shown", func(q, _ object) { q["httpVersion"] = "HTTP/1.0" }},
		{"a header that was sent, shown otherwise", func(q, _ object) { firstObject(q["headers"])["value"] = "other" }},
		{"a header shown that was not sent", func(q, _ object) {
			q["headers"] = append(q["headers"].([]any), object{"name": "X-Signed", "value": "yes"})
		}},
		{"a query shown that was not sent", func(q, _ object) { q["queryString"] = []any{object{"name": "a", "value": "b"}} }},
		{"a cookie shown that was not sent", func(q, _ object) { q["cookies"] = []any{object{"name": "a", "value": "b"}} }},
		{"the size of the request's head", func(q, _ object) { q["headersSize"] = 1 }},
		{"the size of the request's body", func(q, _ object) { q["bodySize"] = 1 << 20 }},
		{"a body shown that was not sent", func(q, _ object) {
			q["postData"] = object{"mimeType": "text/plain", "params": []any{}, "text": "hello"}
		}},
		{"the status shown", func(_, a object) { a["status"] = 418 }},
		{"the text of the status shown", func(_, a object) { a["statusText"] = "Fine" }},
		{"the version of HTTP of the response shown", func(_, a object) { a["httpVersion"] = "HTTP/1.0" }},
		{"a header that came, shown otherwise", func(_, a object) { firstObject(a["headers"])["value"] = "other" }},
		{"the body shown", func(_, a object) { contentOf(a)["text"] = `{"fine":true}` }},
		{"the media type shown", func(_, a object) { contentOf(a)["mimeType"] = "text/html" }},
		{"the size of the content shown", func(_, a object) { contentOf(a)["size"] = 1 << 20 }},
		{"a redirect shown", func(_, a object) { a["redirectURL"] = "https://agent.acme.example" }},
		{"the size of the response's body", func(_, a object) { a["bodySize"] = 1 << 20 }},
		{"a trailer shown that did not come", func(_, a object) { a["_trailers"] = []any{object{"name": "a", "value": "b"}} }},
	} {
		out = append(out, Forgery{c.name, editFirstSuccessfulCall(func(e object) { c.edit(e["request"].(object), e["response"].(object)) })})
	}
	return out
}

// recordedHalf are changes of the recorded bytes, and of what is stated of them.
func recordedHalf() []Forgery {
	return []Forgery{
		{"the recorded body, and not what is shown", editFirstSuccessfulCall(func(e object) { rawMessage(e, "response")["body"] = base64.StdEncoding.EncodeToString([]byte("{}")) })},
		{"the recorded status, and not what is shown", editFirstSuccessfulCall(func(e object) {
			editHead(e, "response", func(head string) string { return strings.Replace(head, " 200 ", " 201 ", 1) })
		})},
		{"the address in the bytes", editFirstSuccessfulCall(func(e object) {
			host := firstObject(e["request"].(object)["headers"])
			other := strings.Repeat("x", len(host["value"].(string)))
			editHead(e, "request", func(head string) string {
				return strings.Replace(head, "Host: "+host["value"].(string), "Host: "+other, 1)
			})
			host["value"] = other
		})},
		{"the address that is shown", editFirstSuccessfulCall(func(e object) { e["request"].(object)["url"] = "http://agent.acme.example/" })},
		{"the path that is shown", editFirstSuccessfulCall(func(e object) { e["request"].(object)["url"] = e["request"].(object)["url"].(string) + "other" })},
		{"a body that is longer than what was received", editFirstSuccessfulCall(func(e object) {
			r, a := rawMessage(e, "response"), e["response"].(object)
			body, _ := base64.StdEncoding.DecodeString(r["body"].(string))
			body = append(body, ' ')
			r["body"], a["bodySize"] = base64.StdEncoding.EncodeToString(body), len(body)
			contentOf(a)["size"], contentOf(a)["text"] = len(body), string(body)
			if chunks, _ := r["_chunks"].([]any); len(chunks) > 0 {
				last := chunks[len(chunks)-1].(object)
				last["n"] = last["n"].(float64) + 1
			}
		})},
		{"the length in the head", editFirstSuccessfulCall(func(e object) {
			for _, h := range e["response"].(object)["headers"].([]any) {
				if field := h.(object); strings.EqualFold(field["name"].(string), "Content-Length") {
					was := field["value"].(string)
					field["value"] = strings.Repeat("9", len(was))
					editHead(e, "response", func(head string) string {
						return strings.Replace(head, "Content-Length: "+was, "Content-Length: "+field["value"].(string), 1)
					})
				}
			}
		})},
		{"chunks that the body does not have", editFirstSuccessfulCall(func(e object) { rawMessage(e, "response")["_chunks"] = []any{object{"at": 1, "n": 1}} })},
		{"TLS where there was none", editFirstSuccessfulCall(func(e object) {
			e["_tls"] = object{"version": "TLS 1.3", "cipherSuite": "TLS_AES_128_GCM_SHA256", "serverName": "acme.example", "verified": true}
		})},
		{"who opened the exchange", editFirstSuccessfulCall(func(e object) { e["_direction"] = "sideways" })},
		{"how the exchange ended", editFirstSuccessfulCall(func(e object) { e["_ended"] = "well" })},
		{"the connection", editFirstSuccessfulCall(func(e object) { e["connection"] = "4711" })},
	}
}

// timeForgeries are changes of when something was.
func timeForgeries() []Forgery {
	later := func(text any, by time.Duration) string {
		at, _ := time.Parse(time.RFC3339Nano, text.(string))
		return at.Add(by).Format(time.RFC3339Nano)
	}
	return []Forgery{
		{"the time of one entry", editFirstSuccessfulCall(func(e object) { e["startedDateTime"] = later(e["startedDateTime"], time.Hour) })},
		{"the begin of the run", conformMember(func(c object) { c["started"] = later(c["started"], 24*time.Hour) })},
		{"how long one entry took", editFirstSuccessfulCall(func(e object) { e["time"] = 0.5 })},
		{"how long one entry waited", editFirstSuccessfulCall(func(e object) { e["timings"].(object)["wait"] = 0.5 })},
		{"an end before the begin", editFirstSuccessfulCall(func(e object) { e["_end"] = e["_start"].(float64) - 1 })},
		{"a run that was over before its exchanges", conformMember(func(c object) { c["durationNs"] = 1 })},
	}
}

// playForgeries are changes of which exchange was for what.
func playForgeries() []Forgery {
	return []Forgery{
		{"a play left out", conformMember(func(c object) { c["plays"] = slices.Delete(c["plays"].([]any), 1, 2) })},
		{"two plays swapped", conformMember(func(c object) {
			all := c["plays"].([]any)
			all[1], all[2] = all[2], all[1]
		})},
		{"a step with the exchange of another play", conformMember(func(c object) {
			firstSpokenStepOfNthPlay(c, 1)["exchange"] = firstSpokenStepOfNthPlay(c, 2)["exchange"]
		})},
		{"a step that names an exchange which is not there", conformMember(func(c object) { firstSpokenStepOfNthPlay(c, 1)["exchange"] = 1 << 20 })},
		{"a step without its exchange", conformMember(func(c object) { delete(firstSpokenStepOfNthPlay(c, 1), "exchange") })},
		{"a call that was made and was not", conformMember(func(c object) { firstSpokenStepOfNthPlay(c, 1)["notSent"] = "it was not claimed" })},
		{"a milestone of a step that is not there", conformMember(func(c object) {
			c["plays"].([]any)[1].(object)["reached"] = []any{object{"name": "final", "step": "nowhere", "at": 1}}
		})},
		{"a milestone after the end of the run", conformMember(func(c object) {
			p := c["plays"].([]any)[1].(object)
			p["reached"] = []any{object{"name": "final", "step": firstSpokenStepOfNthPlay(c, 1)["name"], "at": c["durationNs"].(float64) + 1}}
		})},
	}
}

// editLog decodes a transcript, has it changed, and encodes it again.
func editLog(har []byte, edit func(log object)) ([]byte, error) {
	var file object
	if err := json.Unmarshal(har, &file); err != nil {
		return nil, err
	}
	edit(file["log"].(object))
	return json.Marshal(file)
}

func editEntries(edit func([]any) []any) func([]byte) ([]byte, error) {
	return func(har []byte) ([]byte, error) {
		return editLog(har, func(log object) { log["entries"] = edit(log["entries"].([]any)) })
	}
}

// editFirstSuccessfulCall changes the first call that was answered well.
func editFirstSuccessfulCall(edit func(object)) func([]byte) ([]byte, error) {
	return editEntries(func(all []any) []any {
		at := slices.IndexFunc(all, func(e any) bool {
			of := e.(object)
			return of["request"].(object)["method"] == "POST" && of["response"].(object)["status"] == 200.0
		})
		edit(all[at].(object))
		return all
	})
}

func conformMember(edit func(object)) func([]byte) ([]byte, error) {
	return func(har []byte) ([]byte, error) {
		return editLog(har, func(log object) { edit(log["_a2aConform"].(object)) })
	}
}

func factsOf(c object) object     { return c["facts"].(object) }
func contentOf(a object) object   { return a["content"].(object) }
func firstObject(list any) object { return list.([]any)[0].(object) }

func rawMessage(e object, half string) object { return e[half].(object)["_raw"].(object) }

// editHead changes the recorded head of one half.
func editHead(e object, half string, edit func(string) string) {
	head, _ := base64.StdEncoding.DecodeString(rawMessage(e, half)["head"].(string))
	rawMessage(e, half)["head"] = base64.StdEncoding.EncodeToString([]byte(edit(string(head))))
}

// firstSpokenStepOfNthPlay returns the first step with an exchange of the nth play that has one.
func firstSpokenStepOfNthPlay(c object, n int) object {
	for _, p := range c["plays"].([]any) {
		for _, s := range p.(object)["steps"].([]any) {
			if _, is := s.(object)["exchange"]; is {
				if n--; n < 0 {
					return s.(object)
				}
				break
			}
		}
	}
	panic("too few plays with exchanges")
}

func renumber(all []any) []any {
	for i := range all {
		all[i].(object)["_id"] = i + 1
	}
	return all
}

func deepCopy(v any) any {
	panicOnError(json.Unmarshal(must(json.Marshal(v)), &v))
	return v
}

// rewriteTexts changes every text of a transcript, those in its recorded bytes too, and makes
// the rest agree with it.
func rewriteTexts(har []byte, change func(string) string) ([]byte, error) {
	t, err := record.ReadHAR(bytes.NewReader(har))
	if err != nil {
		return nil, err
	}
	plays := t.Plays
	t.Plays = nil
	for _, part := range []struct{ from, to any }{{t.Facts, &t.Facts}, {plays, &t.Plays}} {
		if err := json.Unmarshal([]byte(change(string(must(json.Marshal(part.from))))), part.to); err != nil {
			return nil, err
		}
	}
	for i := range plays {
		for j, s := range plays[i].Steps {
			t.Plays[i].Steps[j].Exchange = s.Exchange // which the JSON of a step does not have
		}
	}
	for _, x := range t.Exchanges {
		x.URL = change(x.URL)
		rewriteMessage(&x.Request, x.End, change)
		rewriteMessage(&x.Response, x.End, change)
	}
	var out bytes.Buffer
	err = record.WriteHAR(&out, t)
	return out.Bytes(), err
}

// rewriteMessage changes the texts of one half of an exchange, and with them its lengths.
func rewriteMessage(m *record.Message, end record.Instant, change func(string) string) {
	body := change(string(m.Body))
	head := change(string(m.Head))
	if grown := len(body) - len(m.Body); grown != 0 {
		m.Framing.Received += int64(grown)
		if m.Framing.Declared >= 0 {
			m.Framing.Declared += int64(grown)
			head = regexp.MustCompile(`Content-Length: \d+`).ReplaceAllString(head, fmt.Sprint("Content-Length: ", m.Framing.Declared))
		}
		if len(m.Chunks) > 0 {
			m.Chunks = []record.Chunk{{At: end, N: len(body)}}
		}
	}
	m.Head, m.Body = []byte(head), []byte(body)
}
