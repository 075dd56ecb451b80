package reports

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func encode(t *testing.T, r *report.Report) []byte {
	t.Helper()
	b := reportstest.Render(t, func(w io.Writer) error { return JSON(w, r) })
	return []byte(b)
}

func TestJSONRoundTrip(t *testing.T) {
	unreachable := reportstest.SampleReport()
	unreachable.Results, unreachable.Verdict = nil, report.Void
	for name, r := range map[string]*report.Report{"every verdict": reportstest.EveryVerdict(), "conformant": reportstest.Conforming(), "no results": unreachable} {
		t.Run(name, func(t *testing.T) {
			text := encode(t, r)
			back, err := ReadJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if again := encode(t, back); !bytes.Equal(text, again) {
				t.Errorf("written again it differs:\n%s\n%s", text, again)
			}
			if bytes.Contains(text, []byte("null")) && !bytes.Contains(text, []byte(`"null`)) {
				t.Errorf("a list is null:\n%s", text)
			}
		})
	}
}

func TestJSONLeavesTheReportAlone(t *testing.T) {
	r := reportstest.SampleReport(report.Result{ID: "ZZ99-X-001", Level: schema.Must, Verdict: report.Fail, Reason: strings.Repeat("x", 1<<20)})
	encode(t, r)
	if len(r.Results[0].Reason) != 1<<20 || r.Results[0].Evidence != nil {
		t.Error("rendering changed the report")
	}
}

func TestReadJSONRefuses(t *testing.T) {
	good := string(encode(t, reportstest.EveryVerdict()))
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the sample does not hold %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "not JSON"},
		{"no JSON", "<html>", "not JSON"},
		{"a list", "[]", "no JSON object"},
		{"two values", good + "{}", "something follows"},
		{"another version", replace(`"schemaVersion": "1"`, `"schemaVersion": "2"`), `schemaVersion is "2"`},
		{"an unknown member", replace(`"advice":`, `"advise":`), "advise"},
		{"a member in another case", replace(`"advice":`, `"Advice":`), "Advice"},
		{"a null list", replace(`"findings": []`, `"findings": null`), "/results/1/findings"},
		{"a verdict that does not exist", replace(`"verdict": "waived"`, `"verdict": "forgiven"`), "/results/12/verdict"},
		{"a number that is none", replace(`"durationMs": 812`, `"durationMs": 1e10000000`), "/run/durationMs"},
		{"a zero of a thousand digits", replace(`"durationMs": 812`, `"durationMs": 0e99999999`), "/run/durationMs"},
		{"a date that is none", replace("2025-06-01T23:58:00Z", "yesterday"), "/run/startedAt"},
		{"a failure that is not counted", replace(`"verdict": "fail"`, `"verdict": "pass"`), "summary."},
		{"two results of one requirement", replace(`"ZZ99-CARD-002"`, `"ZZ99-CARD-001"`), "both about ZZ99-CARD-001"},
		{"a verdict too good", replace(`"verdict": "void"`, `"verdict": "conformant"`), "allow no better than \"void\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadJSON(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error about %s", err, c.want)
			}
		})
	}
}

// TestSchemaDescribesReport holds the schema to the Go types, member by member.
func TestSchemaDescribesReport(t *testing.T) {
	compareSchema(t, Schema, map[string]reflect.Type{
		"": reflect.TypeFor[report.Report](), "tool": reflect.TypeFor[report.Tool](), "target": reflect.TypeFor[report.Target](),
		"run": reflect.TypeFor[report.Run](), "count": reflect.TypeFor[report.Count](), "result": reflect.TypeFor[report.Result](),
		"evidence": reflect.TypeFor[report.Evidence](), "finding": reflect.TypeFor[report.Finding](),
		"waiver": reflect.TypeFor[report.Waiver](), "baseline": reflect.TypeFor[report.Baseline](), "change": reflect.TypeFor[report.Change](),
	})
}

// compareSchema compares the definitions of a schema with Go types; "" is the whole.
func compareSchema(t *testing.T, schema []byte, types map[string]reflect.Type) {
	t.Helper()
	var doc struct {
		object
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(schema, &doc); err != nil {
		t.Fatal(err)
	}
	for name, typ := range types {
		def := doc.Defs[name]
		if name == "" {
			def = doc.object
		}
		var members, required []string
		for _, field := range reflect.VisibleFields(typ) {
			tag, ok := field.Tag.Lookup("json")
			if !ok || tag == "-" {
				continue
			}
			member, option, _ := strings.Cut(tag, ",")
			members = append(members, member)
			if option != "omitempty" {
				required = append(required, member)
			}
		}
		slices.Sort(members)
		slices.Sort(required)
		if got := slices.Sorted(maps.Keys(def.Properties)); !slices.Equal(got, members) {
			t.Errorf("$defs/%s describes the members %v, %v has %v", name, got, typ, members)
		}
		if got := slices.Sorted(slices.Values(def.Required)); !slices.Equal(got, required) {
			t.Errorf("$defs/%s requires %v, %v always writes %v", name, got, typ, required)
		}
	}
}

type object struct {
	Properties map[string]any `json:"properties"`
	Required   []string       `json:"required"`
}

func FuzzReadJSON(f *testing.F) {
	var b bytes.Buffer
	JSON(&b, reportstest.EveryVerdict())
	f.Add(b.Bytes())
	f.Add([]byte(`{"schemaVersion":"1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		once := encode(t, r)
		back, err := ReadJSON(bytes.NewReader(once))
		if err != nil {
			t.Fatalf("what was read and written cannot be read again: %v", err)
		}
		if !bytes.Equal(once, encode(t, back)) {
			t.Error("the canonical form is not stable")
		}
	})
}
