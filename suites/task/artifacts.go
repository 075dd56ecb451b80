package task

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var artifactChecks = []judge.Check{
	judge.Define("artifact/stored", "a look-up returns the artifacts of the call", artifactsStored),
	judge.Define("artifact/delivers", "a completed task delivers results", delivers),
	judge.Define("artifact/first-chunk", "the first chunk of an artifact in a stream is no append", firstChunk),
	judge.Define("artifact/after-last", "nothing is appended after the last chunk", afterLast),
	judge.Define("artifact/closed", "an artifact in several chunks is closed by the last", closedByLast),
	judge.Define("artifact/assembled", "the artifact assembled from the stream is the one that is stored", assembled),
}

// artifactKey is what tells an artifact from the others of its task: a name or
// a number, which is 0 where it is left out.
func artifactKey(t *judge.T, a judge.Value) string {
	keys := observe.Inside(t, a, "artifact", "key")
	if len(keys) == 0 {
		return "0"
	}
	if n, ok := keys[0].Int(); ok {
		return strconv.Itoa(n)
	}
	return keys[0].Text()
}

// ofKey is an artifact in words, by the name that its key has.
func ofKey(t *judge.T, key string) string {
	at, _ := t.Case.Dialect.Pointer("artifact", "key")
	return fmt.Sprintf("the artifact with %s %s", strings.TrimPrefix(at, "/"), judge.Shorten(key, 60))
}

// contents are the artifacts of a task by key: the name and the parts of
// each, without the members that may differ from look to look.
func contents(t *judge.T, task judge.Value, ignore []string) map[string][]string {
	return contentsOf(t, task.Read("task.artifacts"), ignore)
}

// contentsOf is contents of the artifacts themselves.
func contentsOf(t *judge.T, artifacts judge.Value, ignore []string) map[string][]string {
	out := map[string][]string{}
	for _, a := range artifacts.Elems() {
		text := ""
		for _, what := range []string{"name", "parts"} {
			for _, v := range observe.Inside(t, a, "artifact", what) {
				b, _ := json.Marshal(observe.Without(v.Node().Interface(), ignore))
				text += string(b) + "\n"
			}
		}
		out[artifactKey(t, a)] = append(out[artifactKey(t, a)], text)
	}
	return out
}

func equalContents(a, b map[string][]string) bool {
	return maps.EqualFunc(a, b, slices.Equal[[]string])
}

type storedParams struct {
	observe.PairParams
	Ignore []string `json:"ignore"` // members that may differ from look to look
}

func artifactsStored(t *judge.T, p storedParams) {
	sent := t.Step(p.Step).Result()
	if state := t.Case.Dialect.State(sent.Read("task.state").Text()); state == nil || !state.Terminal {
		t.Stopped("the task had not ended when the reply came, so it may have changed since")
	}
	stored := t.Step(p.Then).Result()
	has, had := contents(t, stored, p.Ignore), contents(t, sent, p.Ignore)
	judge.Each(t, slices.Sorted(maps.Keys(had)), func(key string) {
		t.Expect(stored.Read("task.artifacts")).Against(sent.Read("task.artifacts")).To(match.Should(ofKey(t, key)+" as it was returned when the task ended",
			func(judge.Value) bool { return slices.Equal(had[key], has[key]) }, func(v judge.Value) string {
				if _, kept := has[key]; !kept {
					return "shows the task without " + ofKey(t, key)
				}
				return "shows " + ofKey(t, key) + " with another content"
			}))
	})
}

type deliversParams struct {
	observe.OnStep
	Artifact bool `json:"artifact"` // what the status message says does not count
}

func delivers(t *judge.T, p deliversParams) {
	result := t.Step(p.Step).Result()
	if state := result.Read("task.state"); !observe.Done(t, state) {
		t.Stopped("the task was in state %s, not completed", state.Shown())
	}
	made := len(result.Read("task.artifacts").Elems()) > 0
	if p.Artifact {
		t.Expect(result.Read("task.artifacts")).To(match.Should("at least one artifact", func(judge.Value) bool { return made }, nil))
		return
	}
	t.Expect(result).To(match.Should("results in artifacts or in the status message", func(v judge.Value) bool {
		return made || match.Present(v.Read("task.message"))
	}, func(judge.Value) string {
		return "sent a completed task without an artifact and without a message in its status"
	}))
}

// chunk is an update that brings an artifact or a piece of one.
type chunk struct {
	judge.Value             // the artifact
	update      judge.Value // that brings it
	key         string
}

func (c chunk) append() bool { return c.update.Read("chunk.append").True() }

func (c chunk) last() bool { return c.update.Read("chunk.last").True() }

func chunksOf(t *judge.T, s judge.Step) []chunk {
	var out []chunk
	for _, u := range observe.ArtifactUpdates(t, s) {
		a := u.Read("event.artifact")
		out = append(out, chunk{a, u, artifactKey(t, a)})
	}
	return out
}

func firstChunk(t *judge.T, p observe.OnSteps) {
	var of []chunk
	for _, s := range t.Steps(p.Steps) {
		seen := map[string]bool{}
		for _, u := range observe.Updates(t, s) { // what a task brings along is there already
			for _, a := range u.Read("task.artifacts").Elems() {
				seen[artifactKey(t, a)] = true
			}
		}
		for _, c := range chunksOf(t, s) {
			if !seen[c.key] {
				of = append(of, c)
			}
			seen[c.key] = true
		}
	}
	judge.Each(t, of, func(c chunk) {
		t.Expect(c.Value).To(match.Should("a first chunk for "+ofKey(t, c.key)+" without append",
			func(judge.Value) bool { return !c.append() }, func(judge.Value) string {
				return "sent the first chunk of " + ofKey(t, c.key) + " with append true"
			}))
	})
}

// afterLast: what replaces an artifact begins a new one.
func afterLast(t *judge.T, p observe.OnSteps) {
	type place struct {
		stream *wire.Exchange
		key    string
	}
	var of []chunk
	for _, s := range t.Steps(p.Steps) {
		of = append(of, chunksOf(t, s)...)
	}
	over := map[place]bool{}
	judge.Each(t, of, func(c chunk) {
		at := place{c.Exchange(), c.key}
		was := over[at] && c.append()
		over[at] = c.last()
		if was {
			t.Fail(c.Value, "appended to "+ofKey(t, c.key)+" after its last chunk", "nothing to follow the last chunk")
		}
		t.OK(c.Value)
	})
}

func closedByLast(t *judge.T, p observe.OnSteps) {
	var of []chunk
	for _, s := range t.Steps(p.Steps) {
		last, times := map[string]chunk{}, map[string]int{}
		for _, c := range chunksOf(t, s) {
			last[c.key] = c
			times[c.key]++
		}
		for _, i := range slices.Sorted(maps.Keys(last)) {
			if times[i] > 1 {
				of = append(of, last[i])
			}
		}
	}
	judge.Each(t, of, func(c chunk) {
		t.Expect(c.Value).To(match.Should("the last of its chunks to say so", func(judge.Value) bool { return c.last() }, func(judge.Value) string {
			return "ended " + ofKey(t, c.key) + " with a chunk that does not say that it is the last"
		}))
	})
}

// assembled compares texts: a server may store in one part what it streamed in
// several.
func assembled(t *judge.T, p observe.PairParams) {
	streamed := map[string]string{}
	for _, c := range chunksOf(t, t.Step(p.Step)) {
		if !c.append() {
			streamed[c.key] = ""
		}
		streamed[c.key] += observe.TextOf(t, c.Value, "artifact")
	}
	result := t.Step(p.Then).Result()
	stored := map[string]string{}
	for _, a := range result.Read("task.artifacts").Elems() {
		stored[artifactKey(t, a)] += observe.TextOf(t, a, "artifact")
	}
	judge.Each(t, slices.Sorted(maps.Keys(streamed)), func(key string) {
		t.Expect(result.Read("task.artifacts")).To(match.Should(
			fmt.Sprintf("the text %q in %s, as it was streamed", judge.Clip(streamed[key], 60), ofKey(t, key)),
			func(judge.Value) bool { return stored[key] == streamed[key] },
			func(v judge.Value) string {
				return fmt.Sprintf("stored the text %q", judge.Clip(stored[key], 60))
			}))
	})
}
