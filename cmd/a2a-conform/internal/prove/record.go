package prove

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// Recording is the transcript of one server, healthy or with a defect.
type Recording struct {
	Variant    string
	Mutant     string   // "" if it is healthy
	Named      []string // the requirements that fail on the mutant
	Noted      []string // the requirements that pass on it, with a finding
	Used       []string // the permissions that it makes use of
	Transcript *record.Transcript
	Scenarios  []string // played; nil for all

	waits      bool          // the server keeps us waiting until a window is over
	done       chan struct{} // closed when the transcript is there
	brokenRule *shape.Rule   // broken by a proxy before the server, if it is a derived mutant
	covered    map[string]bool
	both       [2]*Recording // if it has two defects, those with one of them
	cache      *judge.Cache  // of the transcript, for all judgings of it
}

// requirementIDs returns the requirements that name the mutant.
func (r *Recording) requirementIDs() []string { return slices.Concat(r.Named, r.Noted, r.Used) }

// newDecider prepares the judging of the recording.
func (r *Recording) newDecider(d *schema.Dialect, checks judge.Checks) *verdict.Decider {
	if r.cache == nil {
		r.cache = judge.NewCache()
	}
	c := verdict.NewDecider(d, r.Transcript, checks, r.cache)
	c.Track = true
	return c
}

// isCovered reports whether the requirement was judged on what was played.
func (r *Recording) isCovered(id string) bool { return r.covered == nil || r.covered[id] }

// Part is a part of the servers that a proof takes; the pairs of two mutants are left out.
type Part struct {
	Live    []string // names of live mutants
	Few     bool     // of the healthy variants only the full one, and those of the mutants
	Samples int      // how many derived mutants run live at most
	Ways    int      // in how many ways a rule is broken by derived mutants; 0 for as many as otherwise
}

// Record talks to every healthy variant of the bundled server and to every
// mutant that the catalogue names, many at a time. It returns when the healthy
// ones were talked to; Wait waits for the others. A share takes some mutants; nil
// takes all.
func Record(ctx context.Context, dialect string, share *Part) (*Inputs, error) {
	d, err := schema.Load(dialect)
	if err != nil {
		return nil, err
	}
	m := &Inputs{Dialect: d}
	live, err := planMutantRecordings(d)
	if err != nil {
		return nil, err
	}
	for _, rec := range live {
		if share == nil || slices.Contains(share.Live, rec.Mutant) {
			m.Live = append(m.Live, rec)
		}
	}
	for _, v := range append(reference.Variants(dialect), controlVariant) {
		of := func(r *Recording) bool { return r.Variant == v }
		if share == nil || !share.Few || v == "full" || v == controlVariant || slices.ContainsFunc(m.Live, of) {
			m.Variants = append(m.Variants, &Recording{Variant: v, done: make(chan struct{})})
		}
	}
	m.talks = newTalks(ctx, d)
	// Those that keep a client waiting are begun first: the rest is done meanwhile.
	order := slices.Clone(m.Live)
	slices.SortStableFunc(order, func(a, b *Recording) int {
		switch {
		case a.waits == b.waits:
			return 0
		case a.waits:
			return -1
		}
		return 1
	})
	go m.talks.startRecordings(slices.Concat(m.Variants, order))
	for _, v := range m.Variants {
		if <-v.done; v.Transcript == nil {
			return nil, m.talks.awaitAllJoiningErrors()
		}
	}
	most := maxSampledRules
	if share != nil {
		most, m.ways = share.Samples, share.Ways
	}
	if m.Samples, err = m.sampleRuleRecordings(most); err != nil {
		return nil, err
	}
	if share == nil {
		m.Pairs = m.drawDefectPairs()
	}
	m.talks.startRecordings(slices.Concat(m.Samples, m.Pairs))
	return m, nil
}

// Wait returns when all servers have been talked to.
func (m *Inputs) Wait() error {
	if m.talks == nil {
		return nil
	}
	return m.talks.awaitAllJoiningErrors()
}

// planMutantRecordings joins the catalogue's names with the bundled server's.
func planMutantRecordings(d *schema.Dialect) ([]*Recording, error) {
	known := map[string]reference.MutantInfo{}
	for _, m := range reference.Mutants(d.Name) {
		known[m.Name] = m
	}
	byName := map[string]*Recording{}
	var order []string
	of := func(r *schema.Requirement, name string) (*Recording, error) {
		info, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("%s: %s names the mutant %q, which the bundled server does not have", r.File, r.ID, name)
		}
		rec := byName[name]
		if rec == nil {
			rec = &Recording{Variant: cmp.Or(info.Variant, "full"), Mutant: name, waits: info.Waits, done: make(chan struct{})}
			byName[name] = rec
			order = append(order, name)
		}
		return rec, nil
	}
	for i := range d.Requirements {
		r := &d.Requirements[i]
		for _, name := range r.Mutants {
			rec, err := of(r, name)
			if err != nil {
				return nil, err
			}
			rec.Named = append(rec.Named, r.ID)
		}
		for _, name := range r.Finding {
			rec, err := of(r, name)
			if err != nil {
				return nil, err
			}
			rec.Noted = append(rec.Noted, r.ID)
		}
		for _, name := range r.Used {
			rec, err := of(r, name)
			if err != nil {
				return nil, err
			}
			rec.Used = append(rec.Used, r.ID)
		}
	}
	slices.Sort(order)
	type scenarios struct {
		own     []string
		passive bool
	}
	each := map[string]scenarios{} // what judging each requirement takes
	checks := suites.Checks()
	for _, r := range d.Requirements {
		if r.Check == "" {
			continue
		}
		own, passive, err := suites.Scenarios(d, checks, []string{r.ID})
		if err != nil {
			return nil, err
		}
		each[r.ID] = scenarios{own, passive}
	}
	var out []*Recording
	for _, name := range order {
		rec := byName[name]
		names, base, err := neededScenarios(d, rec.requirementIDs())
		if err != nil {
			return nil, err
		}
		rec.Scenarios = names
		rec.covered = map[string]bool{}
		for id, takes := range each {
			if takes.passive && !base {
				continue // judged on all that is stated, which was not played
			}
			rec.covered[id] = !slices.ContainsFunc(takes.own, func(s string) bool { return s != "card" && !slices.Contains(names, s) })
		}
		out = append(out, rec)
	}
	return out, nil
}

// neededScenarios returns the scenarios of the requirements that a mutant is about, and the
// base plays if one of them is judged on all that was sent.
func neededScenarios(d *schema.Dialect, ids []string) (names []string, base bool, err error) {
	names, base, err = suites.Scenarios(d, suites.Checks(), ids)
	if err != nil {
		return nil, false, err
	}
	for _, s := range scenario.All(d) {
		if base && s.Base && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names, base, nil
}

// controlVariant is the variant full behind the control proxy.
const controlVariant = "full-behind-proxy"

// limitedRate is the rate limit of the variant limited. It is wider than the
// variant's own, so that a whole run below it does not take long.
var limitedRate = operator.RateLimit{Requests: 50, Seconds: 1}

func (r *Recording) recordTranscript(ctx context.Context, d *schema.Dialect) error {
	variant := r.Variant
	if variant == controlVariant {
		variant = "full"
	}
	mutant := r.Mutant
	if r.brokenRule != nil {
		mutant = "" // the server is healthy, the proxy before it is not
	}
	o := reference.Options{Dialect: d.Name, Variant: variant, Mutant: mutant, Rate: r.serverRate(d)}
	if d.Speaks(schema.KindGRPC) {
		o.GRPCAddr = "127.0.0.1:0"
	}
	server, err := reference.Start(ctx, o)
	if err != nil {
		return err
	}
	defer server.Close()
	address := server.URL()
	if r.Variant == controlVariant || r.brokenRule != nil {
		edit := addPermittedVariations
		if r.brokenRule != nil {
			edit = newRuleBreakingEdit(d, *r.brokenRule)
		}
		proxy, err := startProxy(d, address, edit)
		if err != nil {
			return err
		}
		defer proxy.close()
		address = proxy.baseURL()
	}
	// The timeout is longer than any window, so that a server that is silent is
	// left alone once and not tried again.
	target := operator.Target{URL: address, Dialect: d.Name, Version: "prove", Behaviour: operator.Behaviour{DefaultStimuli: true,
		Allow: []schema.Risk{schema.Heavy, schema.Outbound, schema.Residue}, Bundled: true}, Credentials: operator.Credentials{Bearer: reference.Token}, Limits: operator.Limits{Timeout: 20 * time.Second}, Judging: operator.Judging{Gate: "conformant"}}
	if r.waits { // what keeps us waiting does so each time
		target.Retries, target.Timeout = 1, 12*time.Second
	}
	target.IDs = operator.Naming{Seed: r.Variant + " " + r.Mutant}
	target.APIKey = reference.Token // which some take in its place
	target.OtherIdentity, target.RestrictedIdentity = operator.Identity{Bearer: reference.SecondToken}, operator.Identity{Bearer: reference.LowToken}
	if d.Card.Signed.At != "" {
		target.CardKey = string(reference.CardKeys())
	}
	if d.Card.Schemes != "" && d.Card.Required != "" { // clients show who they are in several ways
		target.APIKey, target.OtherIdentity = reference.Key, operator.Identity{Basic: reference.SecondBasic}
	}
	if variant == "decisive" {
		target.Never = []string{"ask", "needauth"}
	}
	if variant == "limited" {
		target.RateLimit = &limitedRate
	}
	if r.triesRateLimit(d) {
		target.Allow = append(target.Allow, schema.Disruptive)
	}
	if variant == "hasty" {
		target.Timeouts = &operator.Timeouts{Call: reference.Hasty.Call.Seconds(), Stream: reference.Hasty.Stream.Seconds()}
		target.Stimuli = map[string]operator.Stimulus{"long": {Text: "slow 5", Seconds: 5}}
	}
	if variant == "typed" {
		target.Schema = &operator.Schema{File: "complete.json", Text: reference.CoreSchema}
	}
	if pem := server.CA(); pem != nil {
		file, err := certificateFile(pem)
		if err != nil {
			return err
		}
		defer os.Remove(file)
		target.CA = file
	}
	target.Declarations = r.operatorClaims(d)
	if r.Transcript, err = recordSession(ctx, target, r.Scenarios); err != nil {
		return fmt.Errorf("variant %s, mutant %q: %w", r.Variant, r.Mutant, err)
	}
	return nil
}

// recordSession plays scenarios with a server, all if none are named.
func recordSession(ctx context.Context, target operator.Target, names []string) (*record.Transcript, error) {
	session, err := harness.Discover(ctx, target)
	if session != nil {
		defer session.Close()
	}
	if err != nil {
		return nil, err
	}
	if d := session.Dialect(); d != nil {
		if names == nil {
			for _, s := range scenario.All(d) {
				names = append(names, s.Name)
			}
		}
		if err := session.Play(names); err != nil {
			return nil, err
		}
	}
	return session.Seal(target.Judging).Transcript, nil
}

// triesRateLimit reports whether the limit of the server is tried: of the variant for
// it, of every complete server if all are limited, and of the mutants that it
// takes.
func (r *Recording) triesRateLimit(d *schema.Dialect) bool {
	complete := r.Variant == "full" || r.Variant == controlVariant
	return r.Variant == "limited" || r.Scenarios == nil && complete && d.Card.Rate.Requests != "" || slices.Contains(r.Scenarios, "flood")
}

// serverRate is that of the server. Mutants that are limited have one of their own.
func (r *Recording) serverRate(d *schema.Dialect) reference.Rate {
	switch {
	case r.Variant == "limited":
		return reference.Rate{Requests: limitedRate.Requests, Window: limitedRate.Window()}
	case r.Mutant == "" && r.triesRateLimit(d):
		return completeRate
	}
	return reference.Rate{}
}

// completeRate lets a whole run through without a wait, and is exceeded for
// certain on a busy machine.
var completeRate = reference.Rate{Requests: 300, Window: 4 * time.Second}

// operatorClaims returns what the operator states about the server: that it is in production
// if that is what a mutant breaks, or if it may well be.
func (r *Recording) operatorClaims(d *schema.Dialect) []string {
	words := map[string]bool{"cancel": true}
	for _, id := range r.requirementIDs() {
		for _, w := range d.Requirement(id).Operator {
			words[w] = true
		}
	}
	switch r.Variant {
	case "tls":
		words["production"] = true
	case "guarded":
		words["authenticated"] = true
	}
	delete(words, "rate-limit") // which is stated with its numbers
	return slices.Sorted(maps.Keys(words))
}

// certificateFile writes a certificate to a file that the suite can read.
func certificateFile(pem []byte) (string, error) {
	f, err := os.CreateTemp("", "a2a-conform-*.pem")
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = f.Write(pem)
	return f.Name(), err
}

// Users lists the requirements of a dialect that use a check.
func Users(dialect, check string) []string {
	d, err := schema.Load(dialect)
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range d.Requirements {
		if r.Check == check {
			out = append(out, r.ID)
		}
	}
	return out
}
