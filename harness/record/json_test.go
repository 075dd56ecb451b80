package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// showFaults writes faults as the tables below have them: kind, offset, pointer.
func showFaults(faults []JSONFault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, fmt.Sprintf("%s %d %s", f.Kind, f.Offset, f.Pointer))
	}
	return out
}

func TestObserveJSON(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // the value as encoding/json writes it, "" where there is no root
		faults     []string
	}{
		{"object", ` {"a": [1, {"b": null}], "c": "é"} `, `{"a":[1,{"b":null}],"c":"é"}`, nil},
		{"scalars", `[true,false,null,-0.5e+3,"\u0061\n\ud83d\ude00"]`, `[true,false,null,-0.5e+3,"a\n😀"]`, nil},
		{"root string", `"x"`, `"x"`, nil},
		{"empty containers", `[{},[],""]`, `[{},[],""]`, nil},
		{"empty name", `{"":1}`, `{"":1}`, nil},

		{"empty", "", "", []string{"empty 0 "}},
		{"white space", " \r\n\t", "", []string{"empty 0 "}},
		{"mark alone", "\uFEFF", "", []string{"byte-order-mark 0 ", "empty 3 "}},
		{"mark", "\uFEFF{}", "{}", []string{"byte-order-mark 0 "}},
		{"mark twice", "\uFEFF\uFEFF{}", "", []string{"byte-order-mark 0 ", "not-json 3 "}},

		{"html", "<html>", "", []string{"not-json 0 "}},
		{"cut in a string", `{"a":"b`, "", []string{"not-json 7 /a"}},
		{"cut in an array", `{"a":[1,2`, "", []string{"not-json 9 /a/1"}},
		{"cut after a name", `{"a"`, "", []string{"not-json 4 /a"}},
		{"trailing comma", `[1,]`, "", []string{"not-json 2 /0"}},
		{"two commas", `[1,,2]`, "", []string{"not-json 3 /0"}},
		{"missing colon", `{"a" 1}`, "", []string{"not-json 5 /a"}},
		{"single quotes", `{'a':1}`, "", []string{"not-json 1 "}},
		{"NaN", `[NaN]`, "", []string{"not-json 1 "}},
		{"control character", "[\"a\nb\"]", "", []string{"not-json 3 "}},
		{"bad escape", `["\x"]`, "", []string{"not-json 2 "}},
		{"leading zero inside", `[01]`, "", []string{"not-json 2 /0"}},
		{"leading zero", `01`, "", []string{"not-json 1 "}},
		{"longer literal", `nullify`, "", []string{"not-json 4 "}},
		{"half a number", `1.`, "", []string{"not-json 2 "}},
		{"UTF-16", "{\x00}\x00", "", []string{"not-json 1 "}},

		{"trailing value", `{"a":1} {"b":2}`, `{"a":1}`, []string{"trailing-bytes 8 "}},
		{"trailing NUL", "{}\x00", `{}`, []string{"trailing-bytes 2 "}},
		{"trailing brace", `1}`, `1`, []string{"trailing-bytes 1 "}},
		{"trailing word", `1 x`, `1`, []string{"trailing-bytes 2 "}},
		{"trailing comma at the root", "[] ,", `[]`, []string{"trailing-bytes 3 "}},

		{"duplicate", `{"a":1,"b":{"x":1,"x":2},"a":3}`, `{"a":3,"b":{"x":2}}`,
			[]string{"duplicate-member 18 /b/x", "duplicate-member 25 /a"}},
		{"duplicate by escape", `{"a/~":1,"\u0061/~":2}`, `{"a/~":2}`, []string{"duplicate-member 9 /a~1~0"}},
		{"same name in two objects", `[{"a":1},{"a":1}]`, `[{"a":1},{"a":1}]`, nil},

		{"invalid UTF-8", "[0,\"a\xff\"]", `[0,"a�"]`, []string{"invalid-utf8 5 /1"}},
		{"invalid UTF-8 in a name", "{\"x\":{\"\xc3\":1}}", `{"x":{"�":1}}`, []string{"invalid-utf8 7 /x"}},
		{"lone surrogate", `["\ud800x"]`, `["�x"]`, []string{"lone-surrogate 1 /0"}},
		{"replacement character", `["\ufffd�"]`, `["��"]`, nil},

		{"huge exponent", `{"a":[1e10000000,-2]}`, `{"a":[0,-2]}`, []string{"huge-number 6 /a/0"}},
		{"exponent beyond any int", `1e-99999999999999999999`, `0`, []string{"huge-number 0 "}},
		{"at the bounds", `[1e400,1E-400,1e+0400]`, `[1e400,1E-400,1e+0400]`, nil},
		{"forty digits", "-" + strings.Repeat("1", 20) + "." + strings.Repeat("1", 20), "-" + strings.Repeat("1", 20) + "." + strings.Repeat("1", 20), nil},
		{"forty-one digits", strings.Repeat("1", 41), "0", []string{"huge-number 0 "}},
		{"fault after a nested value", `{"a":{"b":[]},"c":1e401}`, `{"a":{"b":[]},"c":0}`, []string{"huge-number 18 /c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, faults := ObserveJSON([]byte(c.text))
			if got := showFaults(faults); !slices.Equal(got, c.faults) {
				t.Errorf("faults %+v, want %q", faults, c.faults)
			}
			if (root == nil) != (c.want == "") {
				t.Fatalf("root %+v, want %q", root, c.want)
			}
			if root != nil {
				if got := marshalJSON(t, root.Interface()); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}
		})
	}
}

func marshalJSON(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestObserveJSONRanges(t *testing.T) {
	text := "\uFEFF { \"a\" : [ 1.50 , true,{} ] ,\r\n\"b\":\"x\\ty\",\"a\":null }\n"
	root, _ := ObserveJSON([]byte(text))
	var got []string
	walkNodes(root, func(n *Node) { got = append(got, text[n.Start:n.End]) })
	want := []string{strings.TrimSpace(text[3:]), "[ 1.50 , true,{} ]", "1.50", "true", "{}", `"x\ty"`, "null"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, m := range root.Members {
		if !strings.HasPrefix(text[m.NameStart:], `"`+m.Name+`"`) {
			t.Errorf("name of %s begins at %q", m.Name, text[m.NameStart:])
		}
	}
	if n := root.Member("a"); n == nil || n.Kind != Null {
		t.Errorf("of duplicates the last counts, got %+v", n)
	}
	if n := root.Member("b"); n.String != "x\ty" {
		t.Errorf("got %+v", n)
	}
}

func walkNodes(n *Node, visit func(*Node)) {
	visit(n)
	for _, e := range n.Elems {
		walkNodes(e, visit)
	}
	for _, m := range n.Members {
		walkNodes(m.Value, visit)
	}
}

func TestObserveJSONBounds(t *testing.T) {
	t.Parallel()
	nested := func(open, shut string, n int) string { return strings.Repeat(open, n) + "1" + strings.Repeat(shut, n) }
	object := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return "{" + b.String()[1:] + "}"
	}
	long := strings.Repeat("n", 5000)
	for _, c := range []struct {
		name, text string
		root       bool
		faults     int
		first      FaultKind
	}{
		{"deepest array", nested("[", "]", maxJSONDepth), true, 0, ""},
		{"too deep array", nested("[", "]", maxJSONDepth+1), false, 1, FaultTooDeep},
		{"deepest object", nested(`{"a":`, "}", maxJSONDepth), true, 0, ""},
		{"too deep object", nested(`{"a":`, "}", maxJSONDepth+1), false, 1, FaultTooDeep},
		{"endless depth", strings.Repeat("[", 1<<20), false, 1, FaultTooDeep},
		{"most values", "[" + strings.Repeat("1,", MaxJSONValues-2) + "1]", true, 0, ""},
		{"too many values", "[" + strings.Repeat("1,", MaxJSONValues-1) + "1]", false, 1, FaultTooLarge},
		{"many members", object(`,"m%d":0`, 50_000), true, 0, ""},
		{"many duplicates", object(`,"m%[1]d":0,"m%[1]d":0`, 50_000) + "x", true, maxJSONFaults + 1, FaultDuplicateMember},
		{"long names", nested(`{"a":1,"a":{"`+long+`":`, "}}", 300), true, maxJSONFaults, FaultDuplicateMember},
		{"long number", "[" + strings.Repeat("9", 1<<20) + "]", true, 1, FaultHugeNumber},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, faults := ObserveJSON([]byte(c.text))
			if (root != nil) != c.root || len(faults) != c.faults || c.faults > 0 && faults[0].Kind != c.first {
				t.Fatalf("root %v, %d faults, first %+v", root != nil, len(faults), faults[:min(1, len(faults))])
			}
			for _, f := range faults {
				if len(f.Pointer) > 2*maxJSONPointer || len(f.Detail) > 200 || root.At(f.Pointer) == nil && root != nil {
					t.Fatalf("%s at %d: the pointer of %d bytes leads to nothing, or is too long", f.Kind, f.Offset, len(f.Pointer))
				}
			}
		})
	}
}

func TestNodeAt(t *testing.T) {
	root, faults := ObserveJSON([]byte(`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8,"~1":9,"0":{"x":[[5]]}}`))
	if faults != nil {
		t.Fatal(faults)
	}
	for _, c := range []struct {
		pointer, want string // "" where it leads to nothing
	}{
		{"/foo", `["bar","baz"]`}, {"/foo/0", `"bar"`}, {"/", "0"}, {"/a~1b", "1"}, {"/c%d", "2"}, {"/m~0n", "8"},
		{"/~01", "9"}, {"/0/x/0/0", "5"},
		{"/foo/2", ""}, {"/foo/-", ""}, {"/foo/-1", ""}, {"/foo/00", ""}, {"/foo/+1", ""}, {"/foo/0/0", ""}, {"/foo/", ""},
		{"/none/0", ""}, {"foo", ""}, {"/m~n", ""}, {"/m~", ""}, {"/foo/99999999999999999999", ""},
	} {
		n := root.At(c.pointer)
		if (n == nil) != (c.want == "") || n != nil && marshalJSON(t, n.Interface()) != c.want {
			t.Errorf("%s leads to %+v, want %s", c.pointer, n, c.want)
		}
	}
	if root.At("") != root {
		t.Error("the empty pointer leads away from the root")
	}
	var none *Node
	if none.At("/a") != nil || none.At("") != nil || none.Member("a") != nil || none.Interface() != nil || none.Equal(root) || !none.Equal(nil) {
		t.Error("an absent node has something")
	}
}

func TestPointer(t *testing.T) {
	for _, c := range []struct {
		tokens []string
		want   string
	}{
		{nil, ""}, {[]string{""}, "/"}, {[]string{"a", "0"}, "/a/0"}, {[]string{"a/b", "m~n", "~1"}, "/a~1b/m~0n/~01"},
	} {
		if got := Pointer(c.tokens...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.tokens, got, c.want)
		}
	}
}

func TestNodeEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, `{"b":[true,null],"a":1}`, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`"\u0061"`, `"a"`, true},
		{`"1"`, `1`, false},
		{`true`, `false`, false},
		{`null`, `null`, true},
		{`null`, `false`, false},
		{`1`, `1.0`, true},
		{`100`, `1e2`, true},
		{`0`, `-0.0e5`, true},
		{`0.1`, `0.10000000000000000001`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e500`, `1e500`, true},
		{`1e500`, `10e499`, false},
		{`1e500`, `0`, false},
	} {
		a, _ := ObserveJSON([]byte(c.a))
		b, _ := ObserveJSON([]byte(c.b))
		if a.Equal(b) != c.want || b.Equal(a) != c.want {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.want)
		}
		if !a.Equal(a) || !b.Equal(b) {
			t.Errorf("%s or %s does not equal itself", c.a, c.b)
		}
	}
}

func FuzzObserveJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"x\u00e9",true,false,null],"a":{}}`, "\uFEFF[]", `["\ud800"]`, "\"\xff\"", `1e999`, `[[[[`, `{"a":1}x`, "01", ` "a" `, "{\"a\":[\"\xaa\"],\"a\":1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		root, faults := ObserveJSON(text)
		if !bytes.Equal(text, before) {
			t.Fatal("the observer wrote to the text")
		}
		ours := false // a limit of ours, not a judgement on the text
		// A pointer cannot tell two members of one name apart: it leads to the last.
		twice := slices.ContainsFunc(faults, func(f JSONFault) bool { return f.Kind == FaultDuplicateMember })
		for _, fault := range faults {
			ours = ours || fault.Kind == FaultTooDeep || fault.Kind == FaultTooLarge
			if fault.Offset < 0 || fault.Offset > len(text) {
				t.Fatalf("offset in %d bytes: %+v", len(text), fault)
			}
			if root != nil && !twice && root.At(fault.Pointer) == nil {
				t.Fatalf("pointer leads to nothing: %+v", fault)
			}
		}
		if root == nil {
			if len(faults) == 0 || json.Valid(text) && !ours {
				t.Fatalf("no root, faults %+v", faults)
			}
			return
		}
		walkNodes(root, func(n *Node) {
			if len(text) > 200 {
				return
			}
			if again, _ := ObserveJSON(text[n.Start:n.End]); !n.Equal(again) {
				t.Fatalf("%q is not %+v", text[n.Start:n.End], n)
			}
		})
		if len(faults) > 0 {
			return
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&want); err != nil || !json.Valid(text) {
			t.Fatalf("encoding/json finds: %v", err)
		}
		if got := root.Interface(); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, encoding/json %#v", got, want)
		}
	})
}

func BenchmarkObserveJSON(b *testing.B) {
	task := `{"id":"t-1","status":{"state":"working","timestamp":"2025-01-01T00:00:00Z"},"history":[{"role":"user","parts":[{"type":"text","text":"lorem \"ipsum\" é"}]}],"n":[1,2.5,true,null]}`
	for _, c := range []struct{ name, text string }{
		{"task", `{"jsonrpc":"2.0","id":1,"result":` + task + `}`},
		{"large", "[" + strings.Repeat(task+",", 1000) + "0]"},
		{"text", `{"text":"` + strings.Repeat("lorem ipsum ", 100_000) + `"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := []byte(c.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				ObserveJSON(text)
			}
		})
	}
}
