package interfaces

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

func checkTaskSeenAtOtherInterface(t *judge.T, p observe.Crossing) {
	p.Each(t, func(one, other judge.Step) {
		id := one.Result().Read("task.id")
		t.Expect(other.Reply()).ComparedWith(one.Reply()).To(match.BeAResult())
		t.Expect(other.Result().Read("task.id")).ComparedWith(id).To(match.BeTheText("the id that the task has at the other interface, ", id.Text()))
	})
}

type sameTaskParams struct {
	observe.Crossing
	Again  string   `json:"again" step:"{}"` // a second look-up at the first interface
	Ignore []string `json:"ignore"`          // members that may differ from look to look
}

// checkSameTask compares what is left when all is written alike: the order of members, empty
// ones, times and numbers. What the protocol does not know may be of one interface alone.
func checkSameTask(t *judge.T, p sameTaskParams) {
	read := func(s judge.Step) any {
		return normalizeValuesAndDropEmpty(observe.DropMembers(readResultKnownMembers(t, s), p.Ignore))
	}
	p.Each(t, func(one, other judge.Step) {
		for _, s := range []judge.Step{one, other} {
			if !observe.IsTerminal(t, s.Result().Read("task.state")) {
				t.StopUndecided("the task had not ended when it was looked up over %s", observe.BindingName(t, s))
			}
		}
		if again, ok := t.Find(p.Again); ok && again.Task == one.Task && again.Accepted() && !reflect.DeepEqual(read(one), read(again)) {
			t.StopUndecided("the task changed between two look-ups over %s", observe.BindingName(t, one))
		}
		a, b := one.Result(), other.Result()
		if at, differ := findFirstDifference(read(one), read(other)); differ {
			t.Fail(b.At(at), fmt.Sprintf("shows by %s %s, and by %s %s", observe.BindingName(t, other), describeValueAt(b, at), observe.BindingName(t, one), describeValueAt(a, at)),
				"a task to look the same at each interface", a.At(at))
		}
		t.OK(a)
		t.OK(b)
	})
}

// describeValueAt returns the value at a place or, if there is none, the value around it.
func describeValueAt(v judge.Value, at string) string {
	if v.At(at).Exists() {
		return shorten.Visible(v.At(at).Shown(), 60)
	}
	cut := strings.LastIndex(at, "/")
	if cut < 0 {
		return v.At(at).Shown()
	}
	return fmt.Sprintf("no %q in %s", at[cut+1:], shorten.Clip(v.At(at[:cut]).Shown(), 50))
}

// readResultKnownMembers returns the result of a step without members that the protocol does not
// define. If it defines none, the result stays whole.
func readResultKnownMembers(t *judge.T, s judge.Step) any {
	v, shapes := s.Result().Node().Interface(), t.Case.Dialect.Shapes()
	definition := t.Case.Dialect.Operation(s.Op).Result
	if !shapes.Has(definition) {
		return v
	}
	unknown := func() {}
	shapes.Walk(definition, v, func(definition, _ string, value any) {
		members := shapes.Members(definition)
		object, ok := value.(map[string]any)
		if !ok || len(members) == 0 {
			return
		}
		before := unknown // objects must not change while they are walked
		unknown = func() {
			before()
			maps.DeleteFunc(object, func(name string, _ any) bool { return !slices.Contains(members, name) })
		}
	})
	unknown()
	return v
}

// normalizeValuesAndDropEmpty returns a JSON value without empty members, and with times and numbers in one
// form. It keeps the positions in arrays.
func normalizeValuesAndDropEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, e := range v {
			if e = normalizeValuesAndDropEmpty(e); e != nil {
				out[name] = e
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = normalizeValuesAndDropEmpty(e)
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case string:
		if v == "" {
			return nil
		}
		return observe.NormalizeTime(v)
	case bool:
		if !v {
			return nil
		}
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return normalizeValuesAndDropEmpty(f)
		}
	case float64:
		if v == 0 {
			return nil
		}
	}
	return v
}

// findFirstDifference finds the first place, in the order of names, at which two values differ.
func findFirstDifference(a, b any) (at string, differ bool) {
	if reflect.DeepEqual(a, b) {
		return "", false
	}
	if m, ok := a.(map[string]any); ok {
		if n, ok := b.(map[string]any); ok {
			both := maps.Clone(m)
			maps.Copy(both, n)
			for _, name := range slices.Sorted(maps.Keys(both)) {
				if at, differ := findFirstDifference(m[name], n[name]); differ {
					return record.Pointer(name) + at, true
				}
			}
		}
	}
	if l, ok := a.([]any); ok {
		if m, ok := b.([]any); ok {
			for i := range min(len(l), len(m)) {
				if at, differ := findFirstDifference(l[i], m[i]); differ {
					return "/" + strconv.Itoa(i) + at, true
				}
			}
		}
	}
	return "", true
}

type configurationsParams struct {
	Sets  string `json:"sets" step:"{}"`  // at the first interface
	Lists string `json:"lists" step:"{}"` // likewise
}

// checkWebhooksListedAcross looks in each list for the webhooks that were set at the other interfaces.
// It is undecided about a list with more pages.
func checkWebhooksListedAcross(t *judge.T, p configurationsParams) {
	type given struct {
		step judge.Step
		id   judge.Value
	}
	observe.Crossing{Steps: []string{p.Lists}}.Each(t, func(first, other judge.Step) {
		for _, pair := range [][2]judge.Step{{first, other}, {other, first}} {
			list, elsewhere := pair[0], pair[1]
			var all []given
			for _, name := range append([]string{p.Sets}, observe.StepNamesAtOtherInterfaces(t, p.Sets)...) {
				if s, ok := t.Find(name); ok && s.Play.By(s.Step) == elsewhere.Play.By(elsewhere.Step) && s.Accepted() {
					all = append(all, given{s, observe.ReturnedWebhookMember(t, s.Result(), "id")})
				}
			}
			if len(all) == 0 {
				t.StopUndecided("the server accepted no webhook over %s", observe.BindingName(t, elsewhere))
			}
			result := list.Result()
			if next, ok := t.Case.Dialect.Pointer("push-list", "next"); ok && result.At(next).Text() != "" {
				t.StopUndecided("the list has more pages")
			}
			for _, set := range all {
				if !set.id.IsString() {
					t.StopUndecided("the webhook that the server accepted over %s has no id", observe.BindingName(t, elsewhere))
				}
				if !observe.Mentions(result.Node(), set.id.Text()) {
					t.Fail(result, fmt.Sprintf("does not list the webhook %s that it took at the other interface", shorten.Visible(set.id.Shown(), 60)),
						expectedAtEachInterface(t, elsewhere, list, "the webhooks of a task to be listed"), set.id)
				}
			}
			t.OK(result)
		}
	})
}
