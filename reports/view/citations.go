package view

import (
	"cmp"
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
)

// publishedList lists the addresses of the published protocols.
//
//go:embed published.txt
var publishedList string

// Reference is a section of a published protocol: its name, and its address; "" if the text is not published.
type Reference struct{ Text, URL string }

// PublishedSections are the addresses of sections, by dialect and number.
var PublishedSections = sync.OnceValue(func() map[string]map[string]string {
	out := map[string]map[string]string{}
	var dialect, base string
	for l := range strings.Lines(publishedList) {
		switch f := strings.Fields(l); {
		case len(f) < 2 || f[0] == "#":
		case f[0] == "dialect":
			dialect, base = f[1], f[2]
			out[dialect] = map[string]string{}
		case strings.HasPrefix(f[1], "https://"):
			out[dialect][f[0]] = f[1]
		default:
			out[dialect][f[0]] = base + "#" + f[1]
		}
	}
	return out
})

// References returns the sections of a requirement, each with its address. Addresses come only from the
// embedded list.
func References(dialect, section string) (out []Reference) {
	known := PublishedSections()[dialect]
	for place := range strings.SplitSeq(safetext.Line(section, safetext.MaxName), "; ") {
		if place == "" {
			continue
		}
		ref := Reference{Text: schema.Sections(place)}
		// A section without a heading of its own has the address of the section that contains it.
		if m := sectionNumber.FindStringSubmatch(place); m != nil {
			for name := m[1]; name != "" && ref.URL == ""; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
				ref.URL = known[name]
			}
		}
		if first, _, _ := strings.Cut(place, " "); ref.URL == "" {
			ref.URL = cmp.Or(known[first], known[strings.ReplaceAll(place, " ", "_")])
		}
		out = append(out, ref)
	}
	return out
}

var sectionNumber = regexp.MustCompile(`^((?:[0-9]+|[A-Z])(?:\.[0-9]+)*)(?:[^A-Za-z0-9/-]|$)`)
