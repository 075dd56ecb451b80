package conform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
)

// loadSides loads the catalogues of the halves that a recording has. There is none of a client if clients of the dialect cannot
// be judged.
func loadSides(h *traffic.Halves) (map[TrafficSide]*schema.Dialect, error) {
	out := map[TrafficSide]*schema.Dialect{}
	if h.Client != nil {
		if d, err := schema.LoadClient(h.Client.Facts.Dialect); err == nil {
			out[ClientSide] = d
		}
	}
	if h.Server != nil {
		d, err := schema.Load(h.Server.Facts.Dialect)
		if err != nil {
			return nil, err
		}
		out[ServerSide] = d
	}
	return out, nil
}

// selectOfSides returns the part of a selection that is about each side that is asked for; none of a side of which nothing is
// selected. What fits no side is a mistake of the operator (*UsageError).
func selectOfSides(catalogues map[TrafficSide]*schema.Dialect, asked TrafficSide, s operator.Selection) (map[TrafficSide]*operator.Selection, error) {
	var all []*schema.Dialect
	for side, d := range catalogues {
		if asked == BothSides || asked == side {
			all = append(all, d)
		}
	}
	out := map[TrafficSide]*operator.Selection{}
	var errs []error
	for _, side := range []TrafficSide{ServerSide, ClientSide} {
		d := catalogues[side]
		if !slices.Contains(all, d) {
			continue
		}
		own, err := selectOfSide(side, d, all, s)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out[side] = &own
	}
	if len(errs) > 0 && len(out) == 0 {
		return nil, &UsageError{Text: errors.Join(errs...).Error()}
	}
	return out, nil
}

// selectOfSide returns the part of a selection that is about one of the sides. It is an error if nothing of that side is selected.
// Of a client, only requirements are selected for which each request is looked at.
func selectOfSide(side TrafficSide, d *schema.Dialect, all []*schema.Dialect, s operator.Selection) (operator.Selection, error) {
	own, err := suites.NarrowSelection(s, d, all)
	if err != nil {
		return own, err
	}
	ids, err := suites.Select(d, own)
	if err != nil || side == ServerSide {
		return own, err
	}
	passive := listPassive(d)
	own.Run = slices.DeleteFunc(slices.Clone(passive), func(id string) bool { return len(s.Run) > 0 && !slices.Contains(ids, id) })
	if !slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(passive, id) }) {
		return own, fmt.Errorf("nothing of what is selected shows in the traffic of a client; a2a-conform client judges %s", ids[0])
	}
	return own, nil
}

// listPassive returns the requirements on clients for which each request is looked at.
func listPassive(d *schema.Dialect) (ids []string) {
	for _, q := range d.Requirements {
		if q.Observe == schema.ObservePassive && q.Check != "" && !traffic.GoesByIntent(q.Check) {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// selectOwnPatterns returns the patterns of ids that fit a requirement of a catalogue: the others are about the other side.
func selectOwnPatterns(d *schema.Dialect, patterns []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool {
		return len(suites.UnknownSelectors(operator.Selection{Run: []string{p}}, d)) > 0
	})
}
