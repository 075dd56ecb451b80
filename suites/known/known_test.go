package known

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Every place that a shipped mark names is one, as in a file of waivers.
func TestPlacesOfMarks(t *testing.T) {
	for _, s := range schema.KnownSDKs() {
		for _, f := range s.Faults {
			for _, m := range f.Marks {
				for _, at := range m.At {
					if err := report.CheckPlace(at); err != nil {
						t.Errorf("%s, %v: at %q: %v", s.Short, f.IDs, at, err)
					}
				}
			}
		}
	}
}

func TestMarks(t *testing.T) {
	refused := Violation{Steps: []string{"envelope/no-method"}, Got: `{"error":{"code":-32602}}`, Answer: schema.ErrorAnswer, Bytes: []byte(`{"error":{"code":-32602,"message":"Invalid JSON-RPC Request."}}`)}
	null := Violation{Steps: []string{"list/none"}, Pointer: "/result/tasks", Got: "null", Answer: schema.ResultAnswer, Bytes: []byte(`{"result":{"tasks":null}}`)}
	missing := Violation{Steps: []string{"push-configs/delete-a"}, Pointer: "/result", Bytes: []byte(`{"jsonrpc":"2.0"}`)}
	header := Violation{Steps: []string{"card/well-known"}, Header: "ETag", Bytes: []byte("HTTP/1.1 200 OK\r\nVary: Origin\r\n")}
	for _, c := range []struct {
		name string
		v    Violation
		m    schema.FaultMark
		want bool
	}{
		{"its bytes", refused, schema.FaultMark{At: []string{"envelope"}, Answer: "error", Has: []string{"Invalid JSON-RPC"}}, true},
		{"other bytes", refused, schema.FaultMark{At: []string{"envelope"}, Has: []string{"cannot unmarshal"}}, false},
		{"one piece of two", refused, schema.FaultMark{At: []string{"envelope"}, Has: []string{"-32602", "cannot unmarshal"}}, false},
		{"what it must not have", refused, schema.FaultMark{At: []string{"envelope"}, Has: []string{"-32602"}, Lacks: []string{"Invalid"}}, false},
		{"another place", refused, schema.FaultMark{At: []string{"malformed"}, Has: []string{"-32602"}}, false},
		{"one of two places", refused, schema.FaultMark{At: []string{"malformed", "envelope/no-method"}, Has: []string{"-32602"}}, true},
		{"a result", refused, schema.FaultMark{At: []string{"envelope"}, Answer: "result", Has: []string{"-32602"}}, false},
		{"an object", refused, schema.FaultMark{At: []string{"envelope"}, Got: "object"}, true},
		{"null", null, schema.FaultMark{At: []string{"list /result/tasks"}, Got: "null"}, true},
		{"an array", null, schema.FaultMark{At: []string{"list"}, Got: "array"}, false},
		{"a string", Violation{Got: `"x"`}, schema.FaultMark{Got: "string"}, true},
		{"a number", Violation{Got: `-1`}, schema.FaultMark{Got: "number"}, true},
		{"another pointer", null, schema.FaultMark{At: []string{"list /result/task"}, Got: "null"}, false},
		{"nothing", missing, schema.FaultMark{At: []string{"push-configs /result"}, Got: "nothing"}, true},
		{"something", null, schema.FaultMark{At: []string{"list"}, Got: "nothing"}, false},
		{"a field that is missing", header, schema.FaultMark{Header: "etag", Got: "nothing", Has: []string{"Vary: Origin"}}, true},
		{"another field", header, schema.FaultMark{Header: "Cache-Control", Got: "nothing"}, false},
		{"a field, and no field", header, schema.FaultMark{At: []string{"card"}, Got: "nothing"}, false},
		{"no field, and a field", missing, schema.FaultMark{Header: "ETag", Got: "nothing"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.v.hasMark(&c.m); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A failure is a known fault only if all of its violations are.
func TestFits(t *testing.T) {
	one := &schema.Fault{Marks: []schema.FaultMark{{At: []string{"a"}, Has: []string{"one"}}}}
	two := &schema.Fault{Marks: []schema.FaultMark{{At: []string{"b"}, Has: []string{"two"}}}}
	is, other, own := Violation{Steps: []string{"a/x"}, Bytes: []byte("one")}, Violation{Steps: []string{"b/x"}, Bytes: []byte("two")}, Violation{Steps: []string{"a/x"}, Bytes: []byte("mine")}
	for _, c := range []struct {
		name   string
		f      Failure
		faults []*schema.Fault
		want   bool
	}{
		{"all", Failure{Violations: []Violation{is, is}}, []*schema.Fault{one}, true},
		{"by two faults together", Failure{Violations: []Violation{is, other}}, []*schema.Fault{one, two}, true},
		{"by one of the two", Failure{Violations: []Violation{is, other}}, []*schema.Fault{one}, false},
		{"all but one", Failure{Violations: []Violation{is, own}}, []*schema.Fault{one, two}, false},
		{"others that nobody saw", Failure{Violations: []Violation{is}, Unseen: true}, []*schema.Fault{one}, false},
		{"nothing to compare", Failure{}, []*schema.Fault{one}, false},
		{"no fault of it", Failure{Violations: []Violation{is}}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Fits(&c.f, c.faults); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// sdkOf is an SDK with a fault for each of the requirements, which all send the same word.
func sdkOf(short, word string, distinctive bool, ids ...string) *schema.SDK {
	s := &schema.SDK{Name: short, Short: short}
	for _, id := range ids {
		s.Faults = append(s.Faults, schema.Fault{IDs: []string{id}, Versions: []string{"1"}, Side: schema.ServerSide, Distinctive: distinctive, Marks: []schema.FaultMark{{At: []string{"a"}, Has: []string{word}}}})
	}
	return s
}

func failing(word string, ids ...string) (out []Failure) {
	for _, id := range ids {
		out = append(out, Failure{ID: id, Violations: []Violation{{Steps: []string{"a/x"}, Bytes: []byte(word)}}})
	}
	return out
}

func TestAttribute(t *testing.T) {
	js, general := sdkOf("js", "jay", true, "X-1", "X-2", "X-3"), sdkOf("general", "jay", false, "X-1", "X-2", "X-3")
	same := sdkOf("same", "jay", true, "X-1")
	one := &schema.SDK{Short: "one", Faults: []schema.Fault{{IDs: []string{"X-1", "X-2", "X-3"}, Versions: []string{"1"}, Side: schema.ServerSide, Distinctive: true, Marks: js.Faults[0].Marks}}}
	for _, c := range []struct {
		name     string
		failures []Failure
		declared *schema.NamedSDK
		sdks     []*schema.SDK
		want     string
		n        int
	}{
		{"three faults", failing("jay", "X-1", "X-2", "X-3", "X-4"), nil, []*schema.SDK{js}, "js", 3},
		{"two faults", failing("jay", "X-1", "X-2"), nil, []*schema.SDK{js}, "", 0},
		{"three failures of one fault", failing("jay", "X-1", "X-2", "X-3"), nil, []*schema.SDK{one}, "", 0},
		{"three faults, none of them distinctive", failing("jay", "X-1", "X-2", "X-3"), nil, []*schema.SDK{general}, "", 0},
		{"three faults, of which another SDK has one", failing("jay", "X-1", "X-2", "X-3"), nil, []*schema.SDK{js, same}, "", 0},
		{"two SDKs", append(failing("jay", "X-1", "X-2", "X-3"), failing("gee", "Y-1", "Y-2", "Y-3")...), nil, []*schema.SDK{js, sdkOf("go", "gee", true, "Y-1", "Y-2", "Y-3")}, "", 0},
		{"other bytes", failing("mine", "X-1", "X-2", "X-3"), nil, []*schema.SDK{js}, "", 0},
		{"declared, with one fault", failing("jay", "X-1"), &schema.NamedSDK{SDK: js, Version: "1"}, []*schema.SDK{js}, "js", 1},
		{"declared, with other bytes", failing("mine", "X-1"), &schema.NamedSDK{SDK: js, Version: "1"}, []*schema.SDK{js}, "js", 0},
		{"another version declared", failing("jay", "X-1"), &schema.NamedSDK{SDK: js, Version: "2"}, []*schema.SDK{js}, "js", 0},
		{"declared, though it looks like another", failing("jay", "X-1", "X-2", "X-3"), &schema.NamedSDK{SDK: same, Version: "1"}, []*schema.SDK{js, same}, "same", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, n := "", 0
			if a := Attribute(c.failures, c.declared, c.sdks); a != nil {
				got, n = a.SDK.Short, len(a.Faults)
				if a.Declared != (c.declared != nil) {
					t.Errorf("declared is %v", a.Declared)
				}
			}
			if got != c.want || n != c.n {
				t.Errorf("got %d faults of %q, want %d of %q", n, got, c.n, c.want)
			}
		})
	}
}
