package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// seenFaults are the known faults that the agents showed, by SDK: the requirements, and the sentences of the entries. Each
// agent is booked by its name as well.
type seenFaults struct {
	lock sync.Mutex
	of   map[string]map[string]bool
}

// add books what an agent shows.
func (s *seenFaults) add(sdk, agent string, r *report.Report) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.of == nil {
		s.of = map[string]map[string]bool{}
	}
	if s.of[sdk] == nil {
		s.of[sdk] = map[string]bool{}
	}
	s.of[sdk][agent] = true
	for _, res := range r.Results {
		if res.Known != nil {
			s.of[sdk][res.ID], s.of[sdk][res.Known.Fault] = true, true
		}
	}
}

// demandAll demands that each entry, with each of its requirements, was seen on one of the agents of its SDK, those
// apart that do not show in every run. It is silent on an SDK if -run left out one of its agents.
func (s *seenFaults) demandAll(t *testing.T) {
	t.Helper()
	for _, sdk := range schema.KnownSDKs() {
		for _, f := range sdk.Faults {
			for _, v := range f.Versions {
				named := schema.NamedSDK{SDK: sdk, Version: v}.String()
				if slices.ContainsFunc(peers, func(p peer) bool { return p.sdk == named && !s.of[named][p.name] }) {
					continue
				}
				if !s.of[named][f.Fault] && !f.Sometimes {
					t.Errorf("%s: %v: no agent shows it any more: %s", named, f.IDs, f.Fault)
				}
				for _, id := range f.IDs {
					if !s.of[named][id] && !f.Sometimes {
						t.Errorf("%s: no agent fails %s any more", named, id)
					}
				}
			}
		}
	}
}

// judgedFor judges a recording as if the operator had named an SDK, or none if it is "", and had waived nothing.
func judgedFor(t *testing.T, transcript, sdk string) *report.Report {
	t.Helper()
	talk := recorded(t, transcript)
	talk.Facts.SDK, talk.Facts.Waivers = sdk, nil
	d, err := schema.Load(talk.Facts.Dialect)
	if err != nil {
		t.Fatal(err)
	}
	judged, err := summary.Judge(d, talk, suites.Checks(), summary.CallDirectly)
	if err != nil {
		t.Fatal(err)
	}
	return judged.Report
}

// attributed demands that every cause is a known fault of the SDK if it is named, and at least two thirds of them if
// it is not; that no other SDK is seen; and that the verdicts are the same.
func attributed(t *testing.T, sdk, transcript string) {
	t.Helper()
	named, err := schema.FindSDK(sdk)
	if err != nil {
		t.Fatal(err)
	}
	declared, alone := judgedFor(t, transcript, sdk), judgedFor(t, transcript, "")
	if s := declared.SDK; s == nil || s.Causes != declared.Causes || !s.Declared {
		t.Errorf("named: %+v of %d causes", s, declared.Causes)
	}
	if s := alone.SDK; s == nil || s.Name != named.Name || 3*s.Causes < 2*alone.Causes || s.Declared {
		t.Errorf("not named: %+v of %d causes", s, alone.Causes)
	} else {
		t.Logf("%d causes; %d known if the SDK is named, %d if it is not", alone.Causes, declared.SDK.Causes, s.Causes)
	}
	if declared.Verdict != alone.Verdict || declared.Causes != alone.Causes {
		t.Errorf("to name the SDK changes the verdict from %s to %s", alone.Verdict, declared.Verdict)
	}
	for _, of := range schema.KnownSDKs() {
		for _, v := range of.Versions {
			other := schema.NamedSDK{SDK: of, Version: v.Version}
			if of.Name == named.Name || !slices.Contains(v.Dialects, declared.Target.Dialect) {
				continue
			}
			for _, res := range judgedFor(t, transcript, other.String()).Results {
				if res.Known != nil && isDistinctive(of, res.Known.Fault) {
					t.Errorf("%s has the marks of a distinctive fault of %s: %s", res.ID, other, res.Known.Fault)
				}
			}
		}
	}
}

func isDistinctive(of *schema.SDK, fault string) bool {
	return slices.ContainsFunc(of.Faults, func(f schema.Fault) bool { return f.Distinctive && f.Fault == fault })
}

// isUnsteady reports whether a fault of an SDK does not show in every run.
func isUnsteady(fault string) bool {
	return slices.ContainsFunc(schema.KnownSDKs(), func(sdk *schema.SDK) bool {
		return slices.ContainsFunc(sdk.Faults, func(f schema.Fault) bool { return f.Sometimes && f.Fault == fault })
	})
}

// Defects of one's own are told from those of the SDK: at another place, and at the place of a known fault with other
// bytes. A proxy before the agent adds one of each.
func TestOwnDefectsOnAnSDK(t *testing.T) {
	bin := peerPrograms(t)
	for _, c := range []struct {
		name, sdk string
		start     []string
		config    string
		same      string         // the requirement that a known fault breaks and the proxy breaks in another way
		breaks    func(any) bool // whether a call gets the answer of that
	}{
		{"js10", "js@1.3.0", []string{"node", "js10/agent.js", "--both"}, "open10.yaml", "A2A10-ENV-015", func(method any) bool { return method == nil }},
		{"go10", "go@v2.4.0", []string{filepath.Join(bin, "clerk10")}, "config10.yaml", "A2A10-ENV-017", func(method any) bool { _, is := method.(float64); return is }},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := started(t, c.start)
			run := func(url string) *report.Report {
				out := t.TempDir()
				said, err := exec.Command(filepath.Join(bin, "a2a-conform"), slices.Concat([]string{"run", url, "--quiet", "--out", out, "--sdk", c.sdk, "--binding", "JSONRPC"},
					configured(c.config, "--dialect", "a2a-1.0"))...).CombinedOutput()
				r, readErr := conform.ReadReport(filepath.Join(out, "report.json"))
				if readErr != nil {
					t.Fatalf("%v: %v\n%s", readErr, err, said)
				}
				return r
			}
			plain, defective := run(agent), run(behindProxy(t, agent, c.breaks))
			var own []string
			for i, res := range defective.Results {
				was := plain.Results[i]
				if res.Verdict != report.Fail {
					continue
				}
				if res.Known != nil && isUnsteady(res.Known.Fault) { // another run of the same agent may not show it
					continue
				}
				isOwn := was.Verdict != report.Fail || res.ID == c.same
				if isOwn {
					own = append(own, res.ID)
				}
				if isOwn == (res.Known != nil) {
					t.Errorf("%s, which was %s and is %s: %+v is known", res.ID, was.Verdict, res.Verdict, res.Known)
				}
				if was.Verdict == report.Fail && was.Known == nil {
					t.Errorf("%s is not known without the proxy: %s", was.ID, was.Reason)
				}
			}
			t.Logf("of its own: %v; %d are the SDK's", own, defective.SDK.Failures)
			if !slices.Contains(own, c.same) || len(own) < 2 {
				t.Errorf("got the defects %v, want %s and another one", own, c.same)
			}
			if plain.SDK.Causes != plain.Causes || defective.SDK.Causes == defective.Causes {
				t.Errorf("got %d of %d causes, and %d of %d with defects", plain.SDK.Causes, plain.Causes, defective.SDK.Causes, defective.Causes)
			}
		})
	}
}

// methodOf is the key of a call's method in the context of its request.
type methodOf struct{}

// behindProxy starts a proxy that answers some calls in words of its own, and GetTask of an unknown task with an
// internal error.
func behindProxy(t *testing.T, agent string, breaks func(method any) bool) string {
	t.Helper()
	to, err := url.Parse(agent)
	if err != nil {
		t.Fatal(err)
	}
	var front *httptest.Server
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	proxy.ModifyResponse = func(r *http.Response) error {
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		body = bytes.ReplaceAll(body, []byte(to.Host), []byte(strings.TrimPrefix(front.URL, "http://")))
		if method, _ := r.Request.Context().Value(methodOf{}).(string); method == "GetTask" && bytes.Contains(body, []byte("-32001")) {
			body = bytes.Replace(body, []byte("-32001"), []byte("-32603"), 1)
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Length", strconv.Itoa(len(body)))
		return nil
	}
	front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var call map[string]any
		if r.Method == http.MethodPost && json.Unmarshal(body, &call) == nil && call["id"] != nil {
			if breaks(call["method"]) {
				id, _ := json.Marshal(call["id"])
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(id)+`,"error":{"code":-32602,"message":"my gateway wants a method"}}`)
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), methodOf{}, call["method"]))
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// The place of each fault in the source of the Go SDK exists. That of the JavaScript SDK is not part of its package.
func TestPlacesInSources(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	roots := map[string]string{"v2.4.0": "a2a-go/v2@v2.4.0", "v0.3.15": "a2a-go@v0.3.15"}
	for _, sdk := range schema.KnownSDKs() {
		if sdk.Short != "go" {
			continue
		}
		for _, f := range sdk.Faults {
			for _, v := range f.Versions {
				text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(cache)), "github.com/a2aproject", roots[v], f.File))
				if err != nil {
					t.Errorf("%v: %v", f.IDs, err)
					continue
				}
				name := f.Function[strings.LastIndex(f.Function, ".")+1:]
				if !bytes.Contains(text, []byte(name)) {
					t.Errorf("%v: %s has no %s", f.IDs, f.File, f.Function)
				}
			}
		}
	}
}
