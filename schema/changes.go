package schema

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed changes.yaml
var changesText []byte

// History reports which requirements are judged differently since which version of
// the catalogues, so that two runs can be compared that were judged by two.
type History struct {
	Versions []Version `yaml:"versions"` // in order, from 2
}

// Version is a version of the catalogues.
type Version struct {
	Version int      `yaml:"version"`
	Changes []Change `yaml:"changes"`
}

// Change is a requirement whose level or meaning became another.
type Change struct {
	ID   string `yaml:"id"`
	Why  string `yaml:"why"`
	Gone bool   `yaml:"gone"` // it is in no catalogue any more

	Since int `yaml:"-"` // the version
}

// Changes returns the history of the catalogues that ship with the program.
func Changes() *History { return changes() }

var changes = sync.OnceValue(func() *History {
	h, err := ParseHistory("schema/changes.yaml", changesText)
	if err != nil {
		panic(err) // the program was built from a broken file
	}
	return h
})

var requirementID = regexp.MustCompile(`^[A-Z0-9]+(-[A-Z0-9]+)+$`)

// ParseHistory reads a history from a text; file is what errors call it.
func ParseHistory(file string, text []byte) (*History, error) {
	h := &History{}
	if err := Strict(file, text, h); err != nil {
		return nil, err
	}
	var slips []error
	slip := func(format string, args []any, path ...any) {
		slips = append(slips, fmt.Errorf("%s:%d: %s", file, LineOf(text, append([]any{"versions"}, path...)...), fmt.Sprintf(format, args...)))
	}
	if len(h.Versions) == 0 {
		slip("there is no version; the first is 2", nil)
	}
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Version != i+2 {
			slip("version is %d; expected %d: versions go up by one, from 2", []any{v.Version, i + 2}, i, "version")
		}
		for j := range v.Changes {
			c := &v.Changes[j]
			c.Since = v.Version
			first := slices.IndexFunc(v.Changes, func(o Change) bool { return o.ID == c.ID })
			switch {
			case !requirementID.MatchString(c.ID):
				slip("id is %q, which is no id of a requirement", []any{c.ID}, i, "changes", j, "id")
			case first < j:
				slip("%s stands twice in version %d", []any{c.ID, v.Version}, i, "changes", j, "id")
			}
			if strings.TrimSpace(c.Why) == "" || strings.ContainsAny(c.Why, "\r\n") {
				slip("%s needs a why, in one line", []any{c.ID}, i, "changes", j, "why")
			}
		}
	}
	return h, errors.Join(slips...)
}

// Latest returns the latest version, as a report has it.
func (h *History) Latest() string {
	return strconv.Itoa(h.Versions[len(h.Versions)-1].Version)
}

// Has reports whether a requirement was ever judged differently from before.
func (h *History) Has(id string) bool {
	return slices.ContainsFunc(h.Versions, func(v Version) bool {
		return slices.ContainsFunc(v.Changes, func(c Change) bool { return c.ID == id })
	})
}

// Between returns the requirements that are judged differently by the later of two
// versions than by the earlier, by id, each with its latest change. Reports of
// version 1 do not say which they are.
func (h *History) Between(earlier, later string) map[string]Change {
	out := map[string]Change{}
	from, to := number(earlier), number(later)
	for _, v := range h.Versions {
		if v.Version <= from || v.Version > to {
			continue
		}
		for _, c := range v.Changes {
			out[c.ID] = c
		}
	}
	return out
}

func number(version string) int {
	n, err := strconv.Atoi(version)
	if err != nil || n < 1 {
		return 1
	}
	return n
}
