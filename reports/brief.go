package reports

import (
	"bytes"
	"io"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// amount is how much a page shows of a run.
type amount struct {
	brief     bool // without the conversations, and without all that is in report.json only to look it up
	cards     int  // of what is not kept; the others have a line
	panes     int  // calls with what was sent and what came
	paneBytes int  // of all cards, about
	reason    int  // bytes of a reason, where it has room
	rowReason int  // and in the list of all requirements
	listed    int  // of each list that may be long
}

// whole is the page of a run that nobody has to keep small.
var whole = amount{cards: maxCards, panes: maxPanes, paneBytes: paneBytes, reason: maxReason, rowReason: maxReason, listed: 1 << 20}

// briefs are the brief forms of a page: the first of them that is small enough is taken. The
// later ones are for servers that break nearly everything, or that send long texts.
var briefs = []amount{
	{brief: true, cards: 40, panes: 12, paneBytes: 40_000, reason: maxReason, rowReason: 400, listed: 100},
	{brief: true, cards: 12, panes: 6, paneBytes: 16_000, reason: 600, rowReason: 160, listed: 30},
	{brief: true, cards: 6, panes: 3, paneBytes: 8_000, reason: 300, rowReason: 70, listed: 12},
	{brief: true, cards: 3, panes: 3, paneBytes: 6_000, reason: 200, rowReason: 0, listed: 8},
}

// mostBrief is how large a brief page may be.
const mostBrief = 400_000

// What a brief page lacks, and what it lacks where there is too much to say.
const (
	leftOutOfBrief = "This is the brief form of the page. It leaves out the conversations, the exchanges that prove no failure, and what a requirement came to by each binding; long texts and lists are cut short."
	noReasons      = " There are so many reasons to tell that the list of all requirements has none."
)

// HTMLBrief writes a report as the same page as HTML, but a small one, for a site that carries
// hundreds of them: with the verdict, the causes, the failures with the bytes that prove them,
// and the verdict on every requirement.
func HTMLBrief(w io.Writer, r *report.Report, t *record.Transcript) error {
	if t == nil {
		t = &record.Transcript{}
	}
	var page bytes.Buffer
	for _, most := range briefs {
		page.Reset()
		p, _ := newPage(canonical(r), t, most)
		if err := htmlTemplate().ExecuteTemplate(&page, wholePage, p); err != nil {
			return err
		}
		if page.Len() <= mostBrief {
			break
		}
	}
	_, err := page.WriteTo(w)
	return err
}

// atMost are the first of a list.
func atMost[T any](of []T, n int) []T { return of[:min(len(of), n)] }
