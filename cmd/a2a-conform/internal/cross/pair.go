package cross

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/relay"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/schema"
)

// chooseDialect returns the first dialect of the client that the server's card offers; the client's first one if no card
// of the server offers any.
func chooseDialect(c *ClientEntry, live *liveServer) string {
	if len(live.dialects) == 0 {
		return c.Dialects[0]
	}
	for _, d := range c.Dialects {
		if slices.Contains(live.dialects, d) {
			return d
		}
	}
	return ""
}

// runPair runs a client against a server, twice if it does not work, and describes what came of it. It returns what is to
// be known of the server.
func (r *Run) runPair(ctx context.Context, cell *crosspage.Cell, c *ClientEntry, s *ServerEntry, live *liveServer) (notes []string) {
	if cell.Dialect = chooseDialect(c, live); cell.Dialect == "" {
		cell.Outcome = crosspage.Apart
		cell.Why = fmt.Sprintf("the client has %s, and the server's card offers %s; nothing was started", strings.Join(c.Dialects, " and "), strings.Join(live.dialects, " and "))
		return nil
	}
	d, err := schema.Load(cell.Dialect)
	if err != nil {
		cell.Outcome, cell.Why = crosspage.Void, err.Error()
		return nil
	}
	shows, err := r.calibrateClient(ctx, c, d)
	if err != nil {
		cell.Outcome, cell.Why = crosspage.Void, r.redact.String("the client could not be tried alone: "+err.Error())
		return nil
	}
	if !shows.Works {
		cell.Notes = append(cell.Notes, "alone, at the scripted server of this program, the client does not manage the plain scenario either")
	}
	if live.trouble != "" {
		cell.Notes = append(cell.Notes, r.redact.String(live.trouble))
	}
	var h *traffic.Halves
	for cell.Tries = 1; ; cell.Tries++ {
		if h, err = r.tryPair(ctx, cell, c, live, d, shows); err != nil {
			cell.Outcome, cell.Why = crosspage.Void, r.redact.String("the pair could not be run: "+err.Error())
			return nil
		}
		if cell.Outcome != crosspage.Fails || cell.Tries == mostTries || ctx.Err() != nil {
			break
		}
	}
	if cell.Tries > 1 && cell.Outcome == crosspage.Works {
		cell.Notes = append(cell.Notes, "unsteady: it did not work when the client was started first, and worked when it was started again")
	}
	if cell.Outcome != crosspage.Works || cell.Calls == 0 {
		cell.Notes = append(cell.Notes, h.Notes...)
	}
	if h.Server.Facts.SDK = ""; s.SDK != "" {
		if _, err := schema.FindSDK(s.SDK); err == nil {
			h.Server.Facts.SDK = s.SDK
		}
	}
	h.Client.Facts.Calibration, h.Client.Facts.Tool, h.Server.Facts.Tool = shows, r.Version, r.Version
	j, err := judgeHalves(h, d.Name)
	if err != nil {
		cell.Outcome, cell.Why = crosspage.Void, "what was recorded could not be judged: "+err.Error()
		return nil
	}
	addFaults(cell, j, h)
	addReadings(cell, j, h)
	if cell.Outcome == crosspage.Fails && cell.Side != crosspage.NoSide {
		cell.Why += describeOutput(h.Client) // which shows whether the fault is what stopped it; without one, the readings have it
	}
	r.keepRecords(cell, h)
	return h.Notes
}

// mostTries is how often a client is started if it does not work at first.
const mostTries = 2

// addReportsAlone states what the reports of both sides alone mean for a pair: that it shows a hole, or what may be why
// it fails. That is not kept, since reports can be made later.
func addReportsAlone(cell *crosspage.Cell, c *ClientEntry, s *ServerEntry) {
	cell.Hole = cell.Outcome == crosspage.Fails && c.passesAlone() && s.passesAlone()
	if cell.Side != crosspage.NoSide {
		return
	}
	for _, e := range []struct {
		side string
		of   *Entry
	}{{"client", &c.Entry}, {"server", &s.Entry}} {
		if n := len(e.of.fails); n > 0 {
			shown := strings.Join(e.of.fails[:min(mostReadings, n)], ", ")
			if n > mostReadings {
				shown += fmt.Sprintf(" and %d more", n-mostReadings)
			}
			cell.Notes = append(cell.Notes, fmt.Sprintf("alone, the %s breaks %s: this may be why", e.side, shown))
		}
	}
}

// afterEnd is how long connections may stay open after the client ended.
const afterEnd = 500 * time.Millisecond

// tryPair starts the client once, and states in the cell whether it worked.
func (r *Run) tryPair(ctx context.Context, cell *crosspage.Cell, c *ClientEntry, live *liveServer, d *schema.Dialect, shows *record.Calibration) (*traffic.Halves, error) {
	cfg := relay.Config{Upstream: live.url, Card: live.cards[d.Name], Started: time.Now(), Redact: r.redact, Timeout: r.Patience, Patience: r.Patience, Dialects: []*schema.Dialect{d}}
	for _, name := range live.dialects {
		if other, err := schema.Load(name); err == nil && name != d.Name {
			cfg.Dialects = append(cfg.Dialects, other)
		}
	}
	between, err := relay.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer between.Close()
	launch := serve.Launch{Command: c.Command, Patience: r.Patience, Dir: c.Dir, Redact: r.redact, Started: cfg.Started, Dialect: d}
	if r.call != nil {
		launch.Func = r.call(c)
	}
	url := between.URL()
	run := serve.LaunchClient(ctx, launch, &serve.Task{Scenario: relay.TalkPlay, URL: url, Card: url + d.FirstPath(), RPC: between.FirstInterface(), Text: r.Text, Second: r.Second})
	between.AwaitQuiet(afterEnd)
	between.Close()
	h, err := between.Halve(run)
	if err != nil {
		return nil, err
	}
	cell.Calls = len(h.Server.Exchanges)
	cell.Outcome, cell.Why = describeOutcome(&run, h.Server, shows)
	if cell.Outcome == crosspage.Fails && wasRefused(&h) {
		cell.Outcome, cell.Why = crosspage.Refused, cell.Why+"; it sent no credentials, and the server refused its calls by HTTP 401"
	}
	return &h, nil
}

// wasRefused reports whether the server refused the calls of a client because it sent no credentials. Neither side is
// at fault: the operator has to give the client some.
func wasRefused(h *traffic.Halves) bool {
	refused := false
	for _, s := range h.Client.Steps() {
		if s.Op == traffic.CardOp && s.Exchange.Status() == http.StatusOK {
			continue
		}
		if s.Exchange.Status() != http.StatusUnauthorized {
			return false
		}
		for _, f := range s.Exchange.Request.Fields() {
			if redact.CredentialHeader(f.Name) {
				return false
			}
		}
		refused = true
	}
	return refused
}

// describeOutcome states whether a client succeeded, in words that follow "the client": by its exit code, and by what it
// printed if it prints texts.
func describeOutcome(run *record.ClientRun, server *record.Transcript, shows *record.Calibration) (crosspage.Outcome, string) {
	switch {
	case run.Trouble != "":
		return crosspage.Void, "could not be started: " + run.Trouble
	case run.Patience:
		return crosspage.Fails, fmt.Sprintf("did not end within %.0f s", (run.Ended - run.Started).Seconds())
	case run.Signal != "":
		return crosspage.Fails, "was ended by the signal " + run.Signal
	case run.Exit != 0:
		return crosspage.Fails, fmt.Sprintf("ended with exit code %d", run.Exit)
	}
	called := len(server.Exchanges) > 0
	if shows.Prints {
		texts := listTexts(server)
		if text := findUnprinted(texts, run); text != "" {
			return crosspage.Fails, fmt.Sprintf("ended with exit code 0, but did not print what the server wrote: %q", shorten.Visible(shorten.Clip(text, 100), 100))
		}
		if len(texts) > 0 {
			return crosspage.Works, "ended with exit code 0, and printed what the server wrote"
		}
	}
	switch {
	case shows.Exits && called:
		return crosspage.Works, "ended with exit code 0"
	case shows.Exits:
		return crosspage.Works, "ended with exit code 0; none of its calls passed through the relay"
	}
	return crosspage.Unclear, "ended with exit code 0, but neither its exit code nor its output shows whether a call succeeded"
}
