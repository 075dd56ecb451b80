package crosspage

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// Write writes the page, the Markdown and the JSON of a table into a folder.
func Write(dir string, t *Table) error {
	return files.WriteEachJoiningErrors(dir,
		files.File{Name: PageFile, Render: func(w io.Writer) error { return WritePage(w, t) }},
		files.File{Name: MarkdownFile, Render: func(w io.Writer) error { return WriteMarkdown(w, t) }},
		files.File{Name: JSONFile, Render: func(w io.Writer) error { return WriteJSON(w, t) }},
	)
}

// WriteJSON writes a table as JSON.
func WriteJSON(w io.Writer, t *Table) error { return reports.WriteDocument(w, t) }

// maxListed bounds the cells that are described one by one, and maxColumns the servers that have a column.
const (
	maxListed  = 400
	maxColumns = 60
)

// WriteMarkdown writes a table for a job summary: the table, and below it each pair that does not work.
func WriteMarkdown(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "## a2a-conform cross: %s\n\n", t.formatTitle())
	shown := t.Servers[:min(maxColumns, len(t.Servers))]
	b.WriteString("| client |")
	for _, s := range shown {
		fmt.Fprintf(b, " %s |", safetext.EscapeMarkdown(safetext.Line(s.Name, safetext.MaxName)))
	}
	b.WriteString("\n|:--|" + strings.Repeat(":--|", len(shown)) + "\n")
	cells := t.indexCells()
	for _, c := range t.Clients {
		fmt.Fprintf(b, "| %s |", safetext.EscapeMarkdown(safetext.Line(c.Name, safetext.MaxName)))
		for _, s := range shown {
			if cell := cells[pair{c.Name, s.Name}]; cell != nil {
				fmt.Fprintf(b, " %s %s |", cell.chooseSymbol(), cell.Word())
			} else {
				b.WriteString(" not finished |")
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	if text := t.explainSameSDK(); text != "" {
		fmt.Fprintf(b, "%s\n\n", text)
	}
	heading := ""
	listed := 0
	for _, c := range t.ListByGravity() {
		if c.Outcome == Apart || c.Outcome == Works && len(c.Faults) == 0 && len(c.Notes) == 0 {
			continue
		}
		if listed++; listed > maxListed {
			fmt.Fprintf(b, "\nThe others are in %s.\n", JSONFile)
			break
		}
		if h := c.chooseHeading(); h != heading {
			if heading != "" {
				b.WriteString("\n")
			}
			heading = h
			fmt.Fprintf(b, "### %s\n\n", h)
		}
		fmt.Fprintf(b, "- **%s × %s**: %s; %s\n", safetext.EscapeMarkdown(safetext.Line(c.Client, safetext.MaxName)), safetext.EscapeMarkdown(safetext.Line(c.Server, safetext.MaxName)), c.Word(), safetext.EscapeMarkdown(c.Sentence()))
		for _, f := range c.Faults {
			fmt.Fprintf(b, "  - %s\n", safetext.EscapeMarkdown(f.describeFault()))
		}
		if c.More > 0 {
			fmt.Fprintf(b, "  - and %d more\n", c.More)
		}
		for _, r := range c.Readings {
			fmt.Fprintf(b, "  - %s\n", safetext.EscapeMarkdown(r.describeReading()))
		}
		for _, n := range c.Notes {
			fmt.Fprintf(b, "  - %s\n", safetext.EscapeMarkdown(safetext.OneLine(n)))
		}
	}
	return b.Flush()
}

// chooseHeading returns what a cell is listed below.
func (c *Cell) chooseHeading() string {
	switch {
	case c.Hole:
		return "They fail together, although both pass alone"
	case c.Outcome == Fails:
		return "What fails"
	case c.Outcome == Works:
		return "What works"
	case c.Outcome == Apart:
		return "No protocol in common"
	}
	return "What could not be decided"
}

// describeReading returns a reading in a line.
func (r *Reading) describeReading() string {
	who := "the " + string(r.Side)
	switch {
	case r.Side == NoSide:
		who = r.ID
	case r.ID != "":
		who += " (" + r.ID + ")"
	}
	return safetext.OneLine(who + ": " + r.Text)
}
