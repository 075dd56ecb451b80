package crosspage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// describeCounts returns how many pairs have which outcome.
func (t *Table) describeCounts() string {
	var parts []string
	for _, o := range outcomes {
		n := t.Count(o)
		if n == 0 {
			continue
		}
		words := map[Outcome]string{Works: "work", Fails: "fail", Unclear: "unclear", Refused: "without credentials", Apart: "without a protocol in common", Void: "not run"}[o]
		if o == Works && n == 1 {
			words = "works"
		} else if o == Fails && n == 1 {
			words = "fails"
		}
		parts = append(parts, fmt.Sprintf("%d %s", n, words))
	}
	if t.Missing > 0 {
		parts = append(parts, fmt.Sprintf("%d not finished", t.Missing))
	}
	return strings.Join(parts, ", ")
}

// formatTitle is the heading of the table.
func (t *Table) formatTitle() string {
	return fmt.Sprintf("%s × %s: %s", safetext.CountWithNoun(len(t.Clients), "client"), safetext.CountWithNoun(len(t.Servers), "server"), t.describeCounts())
}

// explainSameSDK returns what it means that pairs work on one SDK; "" if none does. The same mistake on both sides cancels
// out, so that such a pair shows nothing of how either side gets on with others.
func (t *Table) explainSameSDK() string {
	if !slices.ContainsFunc(t.Cells, func(c Cell) bool { return c.Outcome == Works && c.SameSDK }) {
		return ""
	}
	return "“On one SDK” is no evidence of interoperability: client and server are built on the same one."
}

// Word returns a cell in few words.
func (c *Cell) Word() string {
	switch c.Outcome {
	case Works:
		if c.SameSDK {
			return "works, on one SDK"
		}
		return "works"
	case Fails:
		return "fails: " + c.describeSide()
	case Unclear:
		return "unclear"
	case Refused:
		return "needs credentials"
	case Apart:
		return "no protocol in common"
	}
	return "not run"
}

// describeSide returns whose fault it is.
func (c *Cell) describeSide() string {
	switch c.Side {
	case ClientSide:
		return "client's fault"
	case ServerSide:
		return "server's fault"
	case BothSides:
		return "both at fault"
	}
	return "neither at fault"
}

// chooseSymbol returns the sign of a cell in Markdown.
func (c *Cell) chooseSymbol() string {
	switch c.Outcome {
	case Works:
		return "✓"
	case Fails:
		return "✗"
	case Apart:
		return "–"
	}
	return "?"
}

// chooseClass returns the class of a cell in the page.
func (c *Cell) chooseClass() string {
	switch c.Outcome {
	case Works:
		if c.SameSDK {
			return "works same"
		}
		return "works"
	case Fails:
		return "fails " + string(c.Side)
	}
	return string(c.Outcome)
}

// Sentence returns what came of a pair, as a sentence about the client.
func (c *Cell) Sentence() string {
	switch c.Outcome {
	case Apart, Void:
		return safetext.OneLine(c.Why)
	}
	return "the client " + safetext.OneLine(c.Why)
}

// describeFault returns a fault in a line.
func (f *Fault) describeFault() string {
	text := fmt.Sprintf("%s (%s, the %s): %s", f.ID, f.Level, f.Side, f.Reason)
	if f.Known != "" {
		text += "; a known fault of its SDK: " + f.Known
	}
	return safetext.OneLine(text)
}

// Line returns a cell in a line, for a log.
func (c *Cell) Line() string {
	text := fmt.Sprintf("%s × %s: %s", safetext.Line(c.Client, safetext.MaxName), safetext.Line(c.Server, safetext.MaxName), c.Word())
	switch {
	case c.Outcome == Works:
	case len(c.Faults) > 0 && c.Outcome == Fails:
		text += ": " + c.Faults[0].describeFault()
	default:
		text += ": " + c.Sentence()
	}
	return text
}
