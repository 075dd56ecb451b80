package judge

import (
	"maps"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Cache keeps what was read and validated of exchanges, so that judging a
// transcript that differs in one exchange costs little.
type Cache struct {
	mu     sync.Mutex
	texts  map[reading][]*Said // of whichever case read them first
	shapes map[text]shaped
	ours   map[*record.Exchange]error
	parts  map[record.Subject]*Cache // of the cases into which one is divided
}

// NewCache returns an empty cache. It may be shared by cases of one dialect.
func NewCache() *Cache {
	return &Cache{texts: map[reading][]*Said{}, shapes: map[text]shaped{}, ours: map[*record.Exchange]error{}, parts: map[record.Subject]*Cache{}}
}

// Fork is a cache that begins with what this one holds. What it learns besides
// goes with it.
func (c *Cache) Fork() *Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &Cache{texts: maps.Clone(c.texts), shapes: maps.Clone(c.shapes), ours: maps.Clone(c.ours), parts: map[record.Subject]*Cache{}}
	for of, part := range c.parts {
		out.parts[of] = part.Fork()
	}
	return out
}

// of is the cache of a part of a case: one exchange may be of another step there.
func (c *Cache) of(part record.Subject) *Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[part] == nil {
		c.parts[part] = NewCache()
	}
	return c.parts[part]
}

// reading is how an exchange was read: as a stream of events, or as one body.
type reading struct {
	exchange *record.Exchange
	stream   bool
}

// text names a body, or one event of a stream.
type text struct {
	in    *record.Exchange
	event int
}

func (s *Said) text() text { return text{s.Exchange, s.Event} }

// once reads the texts of an exchange that belongs to a step. What another case with the
// same cache has read is not read again; only the step is that of this one's transcript.
func (c *Case) once(of reading, p *record.Play, s *record.Step, read func() []*Said) []*Said {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	if known, ok := c.read[of]; ok {
		return known
	}
	all, ok := c.cache.texts[of]
	if !ok {
		all = read()
		c.cache.texts[of] = all
	}
	if len(all) > 0 && (all[0].Play != p || all[0].Step != s) {
		here := make([]*Said, len(all))
		for i, said := range all {
			here[i] = said.belongingTo(p, s)
		}
		all = here
	}
	c.read[of] = all
	return all
}

// belongingTo is the same text, of a step of another transcript.
func (s *Said) belongingTo(p *record.Play, step *record.Step) *Said {
	return &Said{Kind: s.Kind, Op: s.Op, Exchange: s.Exchange, Event: s.Event, Root: s.Root, Written: s.Written, Answer: s.Answer, Faults: s.Faults,
		Step: step, Play: p}
}

// foundIn are the violations of a text that was validated once, in the text of this case.
func foundIn(s *Said, all []Violation) []Violation {
	if len(all) == 0 || all[0].Said == s {
		return all
	}
	out := slices.Clone(all)
	for i := range out {
		out[i].Said = s
	}
	return out
}
