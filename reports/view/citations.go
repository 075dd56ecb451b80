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

// publishedList says where the protocols can be read.
//
//go:embed published.txt
var publishedList string

// Reference is a place in the text of a protocol: as people write it, and where it can be
// read; "" for a text that is not published.
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

// References are the places at which a requirement stands, each with its address. No address
// holds anything but what stands in our own list.
func References(dialect, section string) (out []Reference) {
	known := PublishedSections()[dialect]
	for place := range strings.SplitSeq(safetext.Line(section, safetext.MaxName), "; ") {
		if place == "" {
			continue
		}
		ref := Reference{Text: schema.Sections(place)}
		// A section without a heading of its own stands in the one that holds it.
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
