package serve

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
)

// chooseScripts returns the scenarios that are asked for, and what they are compared with; more of them for a client that
// reports what it saw.
func (s *session) chooseScripts(reports bool) (out []Script, err error) {
	if s.Own != nil {
		return slices.DeleteFunc(slices.Clone(s.Own), func(Script) bool { return !reports }), nil
	}
	names := s.Scenarios
	if reports && len(names) > 0 {
		names = slices.Concat(names, s.Reported)
	}
	out, err = findScripts(s.Dialect.Name, names)
	out = keepGranted(out, s.With)
	if reports || len(names) > 0 {
		return out, err
	}
	return slices.DeleteFunc(out, func(s Script) bool { return s.Aided }), err
}

// IsSpared reports whether a run that judges all requirements does without the scenario of a name if the client reports nothing.
func IsSpared(dialect, name string) bool {
	s := Find(dialect, name)
	return s != nil && slices.Contains(s.Spared, dialect)
}

// findScripts returns the scenarios of some names, and what they are compared with; all without a name.
func findScripts(dialect string, names []string) (out []Script, err error) {
	all := Scripts(dialect)
	wanted := map[string]bool{}
	want := func(name string) bool {
		found := false
		for _, s := range all {
			if s.IsNamedBy(dialect, name) {
				wanted[s.Name], found = true, true
				if s.Twin != "" {
					wanted[s.Twin] = true
				}
				for _, also := range s.Also {
					wanted[also] = true
				}
			}
		}
		return found
	}
	for _, name := range names {
		if !want(name) {
			known := make([]string, len(all))
			for i, s := range all {
				known[i] = s.Name
			}
			return nil, fmt.Errorf("%s for clients of %s (a2a-conform client --list shows them all)", schema.Unknown("scenario", name, known), dialect)
		}
	}
	for _, name := range calibration {
		want(name)
	}
	for _, s := range all {
		if len(names) == 0 && !s.OnlyByName || wanted[s.Name] {
			out = append(out, s)
		}
	}
	return out, nil
}
