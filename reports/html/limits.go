package html

import (
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// pageLimits is how much a page shows of a run.
type pageLimits struct {
	brief     bool // without the conversations, and without all that is in report.json only to look it up
	cards     int  // of what is not kept; the others have a line
	panes     int  // calls with what was sent and what came
	paneBytes int  // of all cards, about
	reason    int  // bytes of a reason on a card
	rowReason int  // and in the list of all requirements
	listed    int  // of each list that may be long
}

// fullPage has the limits of a page that need not be small.
var fullPage = pageLimits{cards: maxCards, panes: maxPanes, paneBytes: paneBytes, reason: safetext.MaxReason, rowReason: safetext.MaxReason, listed: 1 << 20}

// briefPages are the brief forms of a page: the first of them that is small enough is taken. The
// later ones are for servers that break nearly everything, or that send long texts.
var briefPages = []pageLimits{
	{brief: true, cards: 40, panes: 12, paneBytes: 40_000, reason: safetext.MaxReason, rowReason: 400, listed: 100},
	{brief: true, cards: 12, panes: 6, paneBytes: 16_000, reason: 600, rowReason: 160, listed: 30},
	{brief: true, cards: 6, panes: 3, paneBytes: 8_000, reason: 300, rowReason: 70, listed: 12},
	{brief: true, cards: 3, panes: 3, paneBytes: 6_000, reason: 200, rowReason: 0, listed: 8},
}

// MaxBriefBytes is how large a brief page may be.
const MaxBriefBytes = 400_000

// What a brief page leaves out, and what it leaves out in addition if the reasons are too long.
const (
	leftOutOfBrief = "This is the brief form of the page. It leaves out the conversations, the exchanges that prove no failure, and what a requirement came to by each binding; long texts and lists are cut short."
	noReasons      = " There are so many reasons to tell that the list of all requirements has none."
)

// atMost are the first of a list.
func atMost[T any](of []T, n int) []T { return of[:min(len(of), n)] }

const (
	maxCards  = 60     // on the page; the others have a line
	maxPanes  = 40     // calls with what was sent and what came
	maxGroups = 4      // different violations of a card that are shown with their bytes
	maxSame   = 12     // calls named that show the same
	paneBytes = 80_000 // of all cards, about
)
