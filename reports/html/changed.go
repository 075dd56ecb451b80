package html

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/excerpt"
)

// changedPointer returns the place that makes a deliberately invalid request invalid: the only one in which it differs
// from the valid call that was made with it. It is "" if there is none, or several.
func (b *builder) changedPointer(x *record.Exchange) string {
	m := b.summarizer.steps[x]
	if m.step == nil || !m.step.Invalid || m.step.Twin == "" {
		return ""
	}
	valid := m.play.Step(m.step.Twin)
	if valid == nil || valid.Exchange == nil || valid.Op != m.step.Op || valid.Invalid || valid.Exchange == x {
		return ""
	}
	sent, usual := readRequestJSON(x), readRequestJSON(valid.Exchange)
	if sent == nil || usual == nil {
		return ""
	}
	var differ differences
	differ.compare("", sent, usual)
	if len(differ.at) != 1 {
		return ""
	}
	return differ.at[0]
}

// readRequestJSON reads a request as the page shows it; nil if it is not JSON.
func readRequestJSON(x *record.Exchange) *record.Node {
	text, _, _ := excerpt.ReadMessage(x, false, 0)
	if len(text) > maxCompared {
		return nil
	}
	root, _ := record.ObserveJSON([]byte(text))
	return root
}

// The bounds of the requests that are compared.
const (
	maxCompared    = 64 << 10
	maxDifferences = 2 // more than one are not shown
)

// differences are the places in which two JSON texts differ.
type differences struct{ at []string }

// compare finds the members in which two values differ. Names that each call gets anew are no difference.
func (d *differences) compare(pointer string, got, usual *record.Node) {
	if len(d.at) >= maxDifferences {
		return
	}
	switch {
	case got.Equal(usual) || isFreshName(pointer, got, usual):
	case got.Kind == record.Object && usual.Kind == record.Object && !hasTwins(got) && !hasTwins(usual):
		for _, m := range got.Members {
			if other := usual.Member(m.Name); other != nil {
				d.compare(pointer+record.Pointer(m.Name), m.Value, other)
			} else {
				d.at = append(d.at, pointer+record.Pointer(m.Name))
			}
		}
		for _, m := range usual.Members {
			if got.Member(m.Name) == nil {
				d.at = append(d.at, pointer+record.Pointer(m.Name))
			}
		}
	case got.Kind == record.Array && usual.Kind == record.Array && len(got.Elems) == len(usual.Elems):
		for i := range got.Elems {
			d.compare(fmt.Sprintf("%s/%d", pointer, i), got.Elems[i], usual.Elems[i])
		}
	case pointer != "": // the whole body needs no mark
		d.at = append(d.at, pointer)
	}
}

// freshNames are the members whose values each call gets anew.
var freshNames = map[string]bool{"id": true, "messageId": true, "taskId": true, "contextId": true}

// isFreshName reports whether two values are names that were made for one call each, so that they have the same form.
func isFreshName(pointer string, got, usual *record.Node) bool {
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	return freshNames[name] && got.Kind == record.String && usual.Kind == record.String && len(got.String) == len(usual.String)
}

// hasTwins reports whether an object has a member twice.
func hasTwins(n *record.Node) bool {
	seen := map[string]bool{}
	for _, m := range n.Members {
		if seen[m.Name] {
			return true
		}
		seen[m.Name] = true
	}
	return false
}
