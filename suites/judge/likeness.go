package judge

import (
	"strconv"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Half of what a server sends it sends more than once: its card, and tasks that are looked
// up again. What JSON Schema makes of a value is told by what it says, and is found out once.
type likenesses struct {
	mu     sync.Mutex
	faults map[likeness][]schema.Violation
	visits map[likeness][]visit
}

func newLikenesses() *likenesses {
	return &likenesses{faults: map[likeness][]schema.Violation{}, visits: map[likeness][]visit{}}
}

// likeness is the same for values that say the same and are judged by the same definition.
type likeness struct {
	shapes            *schema.Shapes
	definition, value string
}

// A visit is a place in a value that a definition judges.
type visit struct{ definition, pointer string }

// mostAlike bounds the values that are kept, in bytes: larger ones are judged each time.
const mostAlike = 16 << 10

// validated are the faults of a value.
func (l *likenesses) validated(shapes *schema.Shapes, definition string, n *wire.Node) ([]schema.Violation, error) {
	return foundOnce(l, l.faults, shapes, definition, n, func() ([]schema.Violation, error) {
		return shapes.Validate(definition, n.Interface())
	})
}

// visited are the places in a value that definitions judge.
func (l *likenesses) visited(shapes *schema.Shapes, definition string, n *wire.Node) []visit {
	all, _ := foundOnce(l, l.visits, shapes, definition, n, func() (all []visit, _ error) {
		shapes.Walk(definition, n.Interface(), func(definition, pointer string, _ any) {
			all = append(all, visit{definition, pointer})
		})
		return all, nil
	})
	return all
}

// foundOnce finds something out about a value, unless it is known of one that says the same.
func foundOnce[F any](l *likenesses, known map[likeness][]F, shapes *schema.Shapes, definition string, n *wire.Node, find func() ([]F, error)) ([]F, error) {
	says, all := says(nil, n)
	if !all {
		return find()
	}
	of := likeness{shapes, definition, string(says)}
	l.mu.Lock()
	found, ok := known[of]
	l.mu.Unlock()
	if ok {
		return found, nil
	}
	found, err := find()
	if err == nil {
		l.mu.Lock()
		known[of] = found
		l.mu.Unlock()
	}
	return found, err
}

// says appends what a value says, so that no two values that differ say the same, and
// reports whether that is all of it.
func says(b []byte, n *wire.Node) ([]byte, bool) {
	text := func(s string) {
		b = strconv.AppendInt(b, int64(len(s)), 10)
		b = append(append(b, ':'), s...)
	}
	all := true
	switch {
	case n == nil || len(b) > mostAlike:
		return b, false
	case n.Kind == wire.Null:
		b = append(b, 'n')
	case n.Kind == wire.Bool:
		b = strconv.AppendBool(b, n.Bool)
	case n.Kind == wire.Number:
		b = append(b, '#')
		text(n.Number)
	case n.Kind == wire.String && len(n.String) > mostAlike:
		return b, false
	case n.Kind == wire.String:
		text(n.String)
	case n.Kind == wire.Array:
		b = append(b, '[')
		for _, e := range n.Elems {
			if b, all = says(b, e); !all {
				return b, false
			}
		}
		b = append(b, ']')
	case n.Kind == wire.Object:
		b = append(b, '{')
		for _, m := range n.Members {
			text(m.Name)
			if b, all = says(b, m.Value); !all {
				return b, false
			}
		}
		b = append(b, '}')
	}
	return b, true
}
