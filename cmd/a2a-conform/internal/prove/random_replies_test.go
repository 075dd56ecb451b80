package prove

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// runs is how many runs behind a changing proxy are made for each dialect.
const runs = 20

// together is how many of them go on at the same time: they wait more than they
// work.
const together = 6

// A run against a server whose answers are changed at random is judged without
// an error of ours, and the transcript that it leaves gives the same results
// when it is judged again.
func TestRandomReplies(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := schema.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			f := newFaults(t)
			var group sync.WaitGroup
			room := make(chan struct{}, together)
			for _, seed := range seedsOf(runs) {
				room <- struct{}{}
				group.Go(func() {
					defer func() { <-room }()
					f.run(d, seed)
				})
			}
			group.Wait()
			f.report()
		})
	}
}

// run makes the run of a seed and judges it twice.
func (f *faults) run(d *schema.Dialect, seed int) {
	var o *conform.Outcome
	temper := newTemper(d, seed)
	f.guard(seed, temper.what, nil, func() {
		var err error
		var slip *conform.UsageError
		if o, err = talked(f.t.Context(), d, temper); temper.target.Agent != "" && errors.As(err, &slip) {
			return // whoever asks for every agent is told where there is no list of them
		} else if err != nil {
			f.note(seed, "error", fmt.Sprintf("%s\n\t%v", temper.what, err), nil)
		}
	})
	if o == nil {
		return
	}
	f.errors(seed, temper.what, d, o.Report.Results, o.Transcript)
	f.guard(seed, temper.what, o.Transcript, func() {
		if diff := f.replayed(o); diff != "" {
			f.note(seed, "replay", temper.what+"\n\tjudged again: "+diff, o.Transcript)
		}
	})
}

// talked is the outcome of a run against the bundled server, whose answers are
// changed.
func talked(ctx context.Context, d *schema.Dialect, temper *temper) (*conform.Outcome, error) {
	server, err := reference.Start(ctx, reference.Options{Dialect: d.Name, Variant: temper.variant})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	proxy, err := startProxy(d, server.URL(), temper.edit)
	if err != nil {
		return nil, err
	}
	defer proxy.close()
	target := temper.target
	target.URL, target.Dialect, target.Version = proxy.baseURL(), d.Name, "random"
	target.Timeout, target.Deadline = 2*time.Second, 15*time.Second
	return conform.Run(ctx, target)
}

// replayed writes what a run leaves, judges the transcript again, and says what
// is different.
func (f *faults) replayed(o *conform.Outcome) string {
	dir, err := os.MkdirTemp("", "a2a-conform-random-")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	if err := o.Write(dir); err != nil {
		return err.Error()
	}
	har, err := os.Open(filepath.Join(dir, "transcript.har"))
	if err != nil {
		return err.Error()
	}
	defer har.Close()
	again, err := conform.Replay(har)
	if err != nil {
		return err.Error()
	}
	for i := range min(len(o.Report.Results), len(again.Report.Results)) {
		was, is := o.Report.Results[i], again.Report.Results[i]
		was.Reproduce = "" // a file beside the report
		if diff := difference(reflect.ValueOf(was), reflect.ValueOf(is)); diff != "" {
			return was.ID + diff
		}
	}
	was, is := *o.Report, *again.Report
	if is.Target.Kind != report.ReplayedTarget {
		return "a file is called a " + is.Target.Kind
	}
	is.Target.Kind = was.Target.Kind
	was.Results, is.Results = nil, nil
	return difference(reflect.ValueOf(was), reflect.ValueOf(is))
}

// newTemper chooses what is done to the answers of a run.
func newTemper(d *schema.Dialect, seed int) *temper {
	own := uint64(lot(uint64(seed), d.Name))
	r := rand.New(rand.NewPCG(own, 3))
	t := &temper{seed: own, words: vocabulary(d), variant: "full", rate: []float64{0.02, 0.05, 0.15, 0.4}[r.IntN(4)],
		last: map[string][]byte{}, owed: map[string][]byte{}}
	if variants := quick(d.Name); r.IntN(4) == 0 {
		t.variant = variants[r.IntN(len(variants))]
	}
	t.what = fmt.Sprintf("variant %s, %.0f%% of the answers changed", t.variant, t.rate*100)
	t.target = conform.Target{IDs: operator.Naming{Call: func(step string) string { return step }}, Behaviour: conform.Behaviour{DefaultStimuli: true, Allow: []schema.Risk{schema.Residue}}}
	for _, given := range []struct {
		without string
		give    func()
	}{
		{"credentials", func() {
			t.target.Bearer, t.target.OtherIdentity, t.target.RestrictedIdentity = reference.Token, operator.Identity{Bearer: reference.SecondToken}, operator.Identity{Bearer: reference.LowToken}
		}},
		{"webhook", func() {
			t.target.Webhook.Listen, t.target.Allow = "127.0.0.1:0", append(t.target.Allow, schema.Outbound)
		}},
		{"words", func() { t.target.Declarations = []string{"cancel"} }},
	} {
		if r.IntN(4) == 0 {
			t.what += ", without " + given.without
			continue
		}
		given.give()
	}
	if r.IntN(6) == 0 && !d.Actions {
		t.what, t.target.DefaultStimuli = t.what+", with the harmless message alone", false
	}
	if r.IntN(4) == 0 && d.Agents.List != "" {
		t.what, t.target.Agent = t.what+", of every agent", "all"
	}
	for range r.IntN(3) {
		t.habit(r, members(d))
	}
	return t
}

// quick are the variants that a run does not have to wait for, by http.
func quick(dialect string) (out []string) {
	for _, v := range reference.Variants(dialect) {
		if v != "tls" && v != "limited" && v != "hasty" {
			out = append(out, v)
		}
	}
	return out
}
