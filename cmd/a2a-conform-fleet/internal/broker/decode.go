package broker

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// Value is what is kept at the broker. Anybody who can write there may have written it, so a
// Value checks itself.
type Value interface {
	// Validate returns what is wrong with a value that is kept under a key.
	Validate(key string, now time.Time) error
}

// The bounds of one value: its bytes are as many as the embedded broker takes, and few values of
// JSON are in it, because each takes far more memory than it has bytes.
const (
	MaxValueBytes = 1 << 20
	MaxJSONValues = 20_000
)

// Decode reads a value of the broker. No other function decodes one. Members that are not
// known are left out: another version of this program may keep more than this one does.
func Decode[T Value](key string, text []byte, now time.Time) (v T, err error) {
	return DecodeBounded[T](key, text, MaxValueBytes, MaxJSONValues, now)
}

func DecodeBounded[T Value](key string, text []byte, most, values int, now time.Time) (v T, err error) {
	var none T
	switch {
	case len(text) > most:
		return none, fmt.Errorf("it has %d bytes; at most %d are read", len(text), most)
	case !utf8.Valid(text):
		return none, errors.New("it is not UTF-8")
	case record.CountValues(text) > values:
		return none, fmt.Errorf("it has more than %d values", values)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return none, fmt.Errorf("it cannot be read: %w", err)
	}
	if err := v.Validate(key, now); err != nil {
		return none, err
	}
	return v, nil
}

// Unreadable is a value of the broker that is not what this program keeps there. What it is about
// is reported without it.
type Unreadable struct {
	Place string `json:"place"` // the bucket or stream
	Key   string `json:"key"`
	Why   string `json:"why"`
}

// String names an unreadable value in a line.
func (u Unreadable) String() string {
	return safetext.OneLine(fmt.Sprintf("unreadable in the broker: %.200s of %s: %.300s; it is left out", u.Key, u.Place, u.Why))
}

// maxUnreadable is how many unreadable values of a place are named, and firstPerPlace how many of
// each place come first: whoever spoils thousands of results does not hide a spoilt round.
const (
	maxUnreadable = 100
	firstPerPlace = 3
)

// unreadableValues are the values that could not be read, each once.
type unreadableValues struct {
	mu   sync.Mutex
	why  map[[2]string]string
	of   map[string]int // how many are named, by place
	more bool           // than are named
}

// addValue books a value that cannot be read, and reports whether it is new.
func (u *unreadableValues) addValue(place, key string, why error) (fresh bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := [2]string{place, CutWithoutEllipsis(key, 200)}
	_, known := u.why[at]
	if !known && u.of[place] >= maxUnreadable {
		u.more = true
		return false
	}
	if u.why == nil {
		u.why, u.of = map[[2]string]string{}, map[string]int{}
	}
	if !known {
		u.of[place]++
	}
	u.why[at] = CutWithoutEllipsis(why.Error(), 300)
	return !known
}

// removeValue removes a value from the list, because it can be read by now.
func (u *unreadableValues) removeValue(place, key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	at := [2]string{place, CutWithoutEllipsis(key, 200)}
	if _, known := u.why[at]; known {
		u.of[place]--
		delete(u.why, at)
	}
}

// listValues lists the values in the order of their places and keys, some of each place first; more reports
// that there are others.
func (u *unreadableValues) listValues() (out []Unreadable, more bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for at, why := range u.why {
		out = append(out, Unreadable{at[0], at[1], why})
	}
	slices.SortFunc(out, func(a, b Unreadable) int { return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Key, b.Key)) })
	var first, later []Unreadable
	of := map[string]int{}
	for _, one := range out {
		if of[one.Place]++; of[one.Place] <= firstPerPlace {
			first = append(first, one)
		} else {
			later = append(later, one)
		}
	}
	return append(first, later...), u.more
}

// Unreadable lists the values of the broker that could not be read since this connection was made.
func (c *Conn) Unreadable() []Unreadable {
	out, more := c.unreadable.listValues()
	if more {
		out = append(out, Unreadable{"the broker", "others", fmt.Sprintf("more than %d values of a place cannot be read", maxUnreadable)})
	}
	return out
}

// RecordUnreadable books a value that cannot be read. A worker reports it at once, because it prints no
// summary.
func (c *Conn) RecordUnreadable(place, key string, why error) {
	if c.unreadable.addValue(place, key, why) && c.isWorker.Load() {
		c.log(Unreadable{place, CutWithoutEllipsis(key, 200), CutWithoutEllipsis(why.Error(), 300)}.String())
	}
}

// CutWithoutEllipsis returns a text of at most so many bytes, without a broken character at its end.
func CutWithoutEllipsis(s string, mostBytes int) string {
	if len(s) <= mostBytes {
		return s
	}
	s = s[:mostBytes]
	for len(s) > 0 {
		if r, n := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || n > 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}
