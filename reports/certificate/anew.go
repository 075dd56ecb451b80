package certificate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/script"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// compareAnew refuses files that are not, byte for byte, what this program makes of the
// transcript that was judged: the transcript itself (har), the report, and the page.
func compareAnew(report, page []byte, har io.Reader, was, now *report.Report, t *record.Transcript) error {
	if changed := compareVerdicts(was, now); len(changed.all) > 0 {
		return fmt.Errorf("%s does not follow from its transcript, which gives another verdict: %s", ReportFile, changed)
	}
	if err := takeScripts(was, now); err != nil {
		return err
	}
	var due, is bytes.Buffer
	if err := errors.Join(reports.JSON(&due, now), reports.JSON(&is, was)); err != nil {
		return err
	}
	for _, read := range [][]byte{is.Bytes(), report} { // by what it means, then by how it is written
		if place := firstDifference(read, due.Bytes()); place != "" {
			return fmt.Errorf("%s does not follow from its transcript: %s", ReportFile, place)
		}
	}
	var shown bytes.Buffer
	if err := html.WriteReport(&shown, now, t); err != nil {
		return err
	}
	if place := firstDifference(page, shown.Bytes()); place != "" {
		return fmt.Errorf("%s does not show its report: %s", PageFile, place)
	}
	place, err := compareWritten(har, func(w io.Writer) error { return record.WriteHAR(w, t) })
	if err == nil && place != "" {
		err = fmt.Errorf("%s is not as this program writes what it holds: %s", files.TranscriptFile, place)
	}
	return err
}

// takeScripts notes in a report which failures have a script. That depends on the
// folder of the run, so it is taken from the report that was signed, if a run may write it.
func takeScripts(was, now *report.Report) error {
	for i := range now.Results {
		res, path := &now.Results[i], was.Results[i].Reproduce
		due := script.Folder + "/" + res.ID + ".sh"
		if path != "" && (path != due || res.Verdict != report.Fail && res.Verdict != report.Waived) {
			return fmt.Errorf("%s does not follow from its transcript: it names %q as the script of %s, which no run writes", ReportFile, shortenText(path), res.ID)
		}
		res.Reproduce = path
	}
	return nil
}

// compareCompressed refuses a transcript that is compressed otherwise than attest compresses it.
func compareCompressed(packed []byte) error {
	har, err := openTranscriptExpander(packed)
	if err != nil {
		return err
	}
	place, err := compareWritten(bytes.NewReader(packed), func(w io.Writer) error { return compressTo(w, har) })
	if err == nil && place != "" {
		err = fmt.Errorf("%s is not compressed as attest does it", TranscriptFile)
	}
	return err
}

// comparison compares what is written to it with a text that is read meanwhile, so that
// neither is in memory as a whole.
type comparison struct {
	is    io.Reader
	line  int
	place string // of the first difference; "" if there is none
}

var errDiffers = errors.New("the texts differ")

func (c *comparison) Write(due []byte) (int, error) {
	is := make([]byte, len(due))
	n, err := io.ReadFull(c.is, is)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	if !bytes.Equal(is[:n], due) {
		i := 0
		for i < n && is[i] == due[i] {
			i++
		}
		from := bytes.LastIndexByte(due[:i], '\n') + 1
		c.place = fmt.Sprintf("its line %d is %q; expected %q", c.line+bytes.Count(due[:i], []byte("\n")), firstLine(is[from:n]), firstLine(due[from:]))
		return 0, errDiffers
	}
	c.line += bytes.Count(due, []byte("\n"))
	return len(due), nil
}

func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return shortenText(strings.TrimSpace(string(line)))
}

// compareWritten finds the place at which a text differs from the one that is written; "" if none.
func compareWritten(is io.Reader, write func(io.Writer) error) (place string, err error) {
	c := &comparison{is: is, line: 1}
	if err := write(c); c.place != "" {
		return c.place, nil
	} else if err != nil {
		return "", err
	}
	more, err := io.ReadAll(io.LimitReader(is, 1))
	if len(more) > 0 {
		return fmt.Sprintf("something follows its line %d", c.line), nil
	}
	return "", err
}

// part is a member of a report that identifies its run.
type part struct{ what, was, now string }

// checkSameRun returns an error if two reports are certainly of different runs.
func checkSameRun(stored, rejudged *report.Report) error {
	return compareParts([]part{
		{"the target", stored.Target.URL, rejudged.Target.URL},
		{"the kind of target", stored.Target.Kind, rejudged.Target.Kind},
		{"the endpoint", stored.Target.RPC, rejudged.Target.RPC},
		{"the dialect", stored.Target.Dialect, rejudged.Target.Dialect},
		{"the agent card", stored.Target.Card, rejudged.Target.Card},
		{"the bindings", strings.Join(stored.Target.Bindings, ", "), strings.Join(rejudged.Target.Bindings, ", ")},
		{"the start of the run", stored.Run.StartedAt.UTC().Format(time.RFC3339Nano), rejudged.Run.StartedAt.UTC().Format(time.RFC3339Nano)},
		{"the selection", stored.Run.Selection, rejudged.Run.Selection},
		{"the version of the program", stored.Tool.Version, rejudged.Tool.Version},
		{"the number of exchanges", fmt.Sprint(stored.Run.Exchanges), fmt.Sprint(rejudged.Run.Exchanges)},
	})
}

// checkSameTargetDetails does the same with members that are compared only if two versions made the reports.
func checkSameTargetDetails(stored, rejudged *report.Report) error {
	return compareParts([]part{
		{"the agent's name", stored.Target.Agent, rejudged.Target.Agent},
		{"whether TLS was verified", fmt.Sprint(!stored.Target.Insecure), fmt.Sprint(!rejudged.Target.Insecure)},
		{"the declarations", fmt.Sprint(stored.Target.Declares), fmt.Sprint(rejudged.Target.Declares)},
	})
}

func compareParts(parts []part) error {
	for _, c := range parts {
		if c.was != c.now {
			return fmt.Errorf("the report and the transcript are of different runs: for %s, the report has %q and the transcript %q", c.what, shortenText(c.was), shortenText(c.now))
		}
	}
	return nil
}

func shortenText(s string) string { return shorten.Visible(s, 120) }

// firstDifference finds the line in which two texts differ; "" if they do not.
func firstDifference(is, due []byte) string {
	if bytes.Equal(is, due) {
		return ""
	}
	a, b := bytes.Split(is, []byte("\n")), bytes.Split(due, []byte("\n"))
	i := 0
	for ; i < len(a) && i < len(b) && bytes.Equal(a[i], b[i]); i++ {
	}
	line := func(of [][]byte) string {
		if i < len(of) {
			return shortenText(strings.TrimSpace(string(of[i])))
		}
		return ""
	}
	return fmt.Sprintf("its line %d is %q; expected %q", i+1, line(a), line(b))
}
