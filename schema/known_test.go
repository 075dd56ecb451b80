package schema

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Each shipped entry is whole, about requirements that exist, in a dialect of one of its versions.
func TestKnownFaults(t *testing.T) {
	shorts := map[string]bool{}
	for _, s := range KnownSDKs() {
		if shorts[s.Short] {
			t.Errorf("two SDKs are called %s", s.Short)
		}
		shorts[s.Short] = true
		distinctive := map[string]int{} // by version and dialect
		for i := range s.Faults {
			f := &s.Faults[i]
			if _, err := time.Parse(time.DateOnly, f.LastDay()); err != nil {
				t.Errorf("%s: %v", f.IDs, err)
			}
			for _, id := range f.IDs {
				d, r, err := Find(id)
				if err != nil {
					t.Fatal(err)
				}
				if r == nil {
					t.Errorf("%s: no requirement is called %s", s.Short, id)
					continue
				}
				judged := slices.ContainsFunc(s.Versions, func(v SDKVersion) bool {
					return slices.Contains(f.Versions, v.Version) && slices.Contains(v.Dialects, d.Name)
				})
				if !judged {
					t.Errorf("%s: none of %v was judged as %s", id, f.Versions, d.Name)
				}
				for _, v := range f.Versions {
					if f.Distinctive {
						distinctive[v+" "+d.Name]++
					}
				}
			}
		}
		for _, v := range s.Versions {
			for _, d := range v.Dialects {
				if distinctive[v.Version+" "+d] == 0 {
					t.Errorf("nothing tells %s %s as %s from another SDK", s.Short, v.Version, d)
				}
			}
		}
	}
	for _, want := range []string{"js", "go"} {
		if !shorts[want] {
			t.Errorf("nothing is known of %s", want)
		}
	}
}

func TestFindSDK(t *testing.T) {
	for word, want := range map[string]string{
		"js@1.3.0": "js@1.3.0", "@a2a-js/sdk@1.3.0": "js@1.3.0", "go@v2.4.0": "go@v2.4.0", "go@2.4.0": "go@v2.4.0", "a2a-go@v0.3.15": "go@v0.3.15",
		"js": `"js" names no version; write js@1.3.0 or js@0.3.14`, "@a2a-js/sdk": `"@a2a-js/sdk" names no version`,
		"js@1.3.1": "no faults are known of @a2a-js/sdk 1.3.1, but of js@1.3.0, js@0.3.14", "go@": `"go@" names no version`,
		"python@1.0": `"python@1.0" is no SDK whose faults are known; there are go@v2.4.0, go@v0.3.15, js@1.3.0, js@0.3.14`, "": `"" is no SDK`,
		strings.Repeat("x", 100): `"` + strings.Repeat("x", 60) + `…" is no SDK`,
	} {
		n, err := FindSDK(word)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = n.String()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

const wholeSDK = `sdk: x
short: x
source: https://example.com
versions:
  - {version: 1.0.0, dialects: [a2a-1.0]}
faults:
  - ids: [A2A10-ENV-015]
    versions: [1.0.0]
    fault: It refuses nothing.
    file: a.ts
    function: handle
    upstream: not reported
    seen: 2026-11-27
    distinctive: true
    marks:
      - {at: [envelope], answer: error, has: ['"Invalid JSON-RPC Request."']}
`

// Mistakes in an entry name the file, the line and the remedy.
func TestMistakesInKnownFaults(t *testing.T) {
	if _, err := ParseSDK("x.yaml", []byte(wholeSDK)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ was, is, want string }{
		{"sdk: x", "sdk: ''", "x.yaml:1: sdk is missing"},
		{"short: x", "short: X Y", `x.yaml:2: short is "X Y"; write a word of small letters`},
		{"source: https://example.com", "source: example.com", `x.yaml:3: source is "example.com"`},
		{"versions:\n  - {version: 1.0.0, dialects: [a2a-1.0]}", "versions: []", "x.yaml:4: there is no version"},
		{"dialects: [a2a-1.0]", "dialects: []", "x.yaml:5: a version has version and dialects"},
		{"dialects: [a2a-1.0]", "dialects: [a2a-9]", `x.yaml:5: "a2a-9" is no dialect`},
		{"[A2A10-ENV-015]", "[]", "x.yaml:7: the fault is of no requirement"},
		{"[A2A10-ENV-015]", "[env]", `x.yaml:7: "env" is no id of a requirement`},
		{"[A2A10-ENV-015]", "[A2A10-ENV-015, A2A10-ENV-015]", "x.yaml:7: A2A10-ENV-015 is listed twice"},
		{"    versions: [1.0.0]", "    versions: [1.0.1]", `x.yaml:8: "1.0.1" is none of the versions of this SDK: 1.0.0`},
		{"    versions: [1.0.0]", "    versions: []", "x.yaml:8: the fault is of no version"},
		{"fault: It refuses nothing.", "fault: ' '", "x.yaml:9: the fault has no fault"},
		{"file: a.ts", "file: ''", "x.yaml:10: the fault has no file"},
		{"function: handle", "function: ''", "x.yaml:11: the fault has no function"},
		{"upstream: not reported", "upstream: soon", `x.yaml:12: upstream is "soon"`},
		{"seen: 2026-11-27", "seen: today", `x.yaml:13: seen is "today", which is not a date`},
		{"    distinctive: true", "    side: both", `x.yaml:14: side is "both"; write server or client`},
		{"at: [envelope], ", "", "the mark names no place"},
		{"at: [envelope]", "at: ['']", "the mark names no place"},
		{", has: ['\"Invalid JSON-RPC Request.\"']", "", "the mark names no bytes"},
		{`['"Invalid JSON-RPC Request."']`, "['error']", "a mark of a distinctive fault has a piece of at least 12 bytes"},
		{`['"Invalid JSON-RPC Request."']`, `['"Invalid JSON-RPC Request."', '']`, "a piece of the answer is empty"},
		{"answer: error", "answer: maybe", `answer is "maybe"; write result or error`},
		{"answer: error", "got: anything", `got is "anything", which is neither JSON nor one of nothing, object`},
		{"    marks:\n      - {at: [envelope], answer: error, has: ['\"Invalid JSON-RPC Request.\"']}\n", "    marks: []\n", "x.yaml:15: the fault has no marks"},
		{"fault: It", "flaw: It", `x.yaml:9: unknown key "flaw"`},
	} {
		text := strings.Replace(wholeSDK, c.was, c.is, 1)
		if text == wholeSDK {
			t.Errorf("nothing is changed by %q", c.is)
			continue
		}
		_, err := ParseSDK("x.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "x.yaml:") {
			t.Errorf("%q: got %v, want %q", c.is, err, c.want)
		}
	}
}

// A fault of the client's side is read, and is none of a server's.
func TestFaultsOfClients(t *testing.T) {
	s, err := ParseSDK("x.yaml", []byte(strings.Replace(wholeSDK, "    distinctive: true", "    side: client", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.FaultsOf("A2A10-ENV-015", ""); len(got) > 0 {
		t.Errorf("got %v of a server", got)
	}
}

func FuzzParseSDK(f *testing.F) {
	f.Add([]byte(wholeSDK))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSDK("x.yaml", text)
		if s == nil && err == nil {
			t.Fatal("nothing was read, and nothing is wrong")
		}
		if err != nil && !strings.HasPrefix(err.Error(), "x.yaml:") {
			t.Errorf("%v names no file", err)
		}
	})
}
