package relay

import (
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

// TalkPlay is the play of all that the client did.
const TalkPlay = "cross"

// Halve returns the two records of what passed, sealed. run is how the program of the client fared. Close the relay
// first.
func (r *Relay) Halve(run record.ClientRun) (traffic.Halves, error) {
	kept, surplus := r.listener.ListExchanges()
	run.Surplus = surplus
	if run.Patience {
		serve.ExcuseEnded(kept, run.Started+r.cfg.Patience)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	recording := traffic.Recording{Source: "relay", Target: r.cfg.Upstream, Dialects: r.cfg.Dialects[:1], Started: r.cfg.Started, Notes: r.notes.ListNotes()}
	if r.given != nil {
		recording.Cards = append(recording.Cards, r.given)
	}
	for _, x := range kept {
		recording.Passed = append(recording.Passed, traffic.Passed{In: x, Out: r.findOutgoing(x), Connection: x.Conn})
	}
	h, err := traffic.Recognise(recording)
	if err != nil {
		return h, err
	}
	facts := record.Facts{Kind: record.TrafficKind, Dialect: r.cfg.Dialects[0].Name, Target: r.cfg.Upstream}
	if h.Server == nil { // nothing came
		h.Server = &record.Transcript{Started: r.cfg.Started, Facts: facts}
	}
	if h.Client == nil {
		facts.Role = record.ClientRole
		h.Client = &record.Transcript{Started: r.cfg.Started, Facts: facts, Plays: []record.Play{{Attempt: 1}}}
	}
	h.Client.Facts.Command = run.Command
	own := &h.Client.Plays[0]
	own.Scenario, own.Client = TalkPlay, &run
	own.Reached = serve.ListMilestones(own)
	for _, t := range []*record.Transcript{h.Client, h.Server} {
		t.Duration = max(time.Since(r.cfg.Started), run.Ended)
		if r.cfg.Redact != nil {
			r.cfg.Redact.Transcript(t)
		}
	}
	return h, nil
}

// findOutgoing returns the exchange by which a request of the client was passed on. The caller holds r.mu.
func (r *Relay) findOutgoing(x *record.Exchange) *record.Exchange {
	i := slices.IndexFunc(r.calls, func(p passed) bool { return p.at == x.Start && p.url == x.URL })
	if i < 0 {
		return nil
	}
	return r.calls[i].out
}
