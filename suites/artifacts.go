package suites

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var artifactChecks = []judge.Check{
	judge.Define("artifact/stored", "a look-up returns the artifacts of the call", artifactsStored),
	judge.Define("artifact/delivers", "a completed task delivers results", delivers),
	judge.Define("artifact/first-chunk", "the first chunk of an artifact in a stream is no append", firstChunk),
	judge.Define("artifact/after-last", "nothing is appended after the last chunk", afterLast),
	judge.Define("artifact/closed", "an artifact in several chunks is closed by the last", closedByLast),
	judge.Define("artifact/assembled", "the artifact assembled from the stream is the one that is stored", assembled),
}

// artifactIndex is the index of an artifact, 0 where it has none.
func artifactIndex(t *judge.T, a judge.Value) int {
	for _, v := range inside(t, a, "artifact", "index") {
		n, _ := v.Int()
		return n
	}
	return 0
}

func artifactFlag(t *judge.T, a judge.Value, name string) bool {
	return slices.ContainsFunc(inside(t, a, "artifact", name), judge.Value.True)
}

// contents are the artifacts of a task by index: the name and the parts of
// each, without the members that may differ from look to look.
func contents(t *judge.T, task judge.Value, ignore []string) map[int][]string {
	out := map[int][]string{}
	for _, a := range task.Read("task.artifacts").Elems() {
		text := ""
		for _, what := range []string{"name", "parts"} {
			for _, v := range inside(t, a, "artifact", what) {
				b, _ := json.Marshal(without(v.Node().Interface(), ignore))
				text += string(b) + "\n"
			}
		}
		out[artifactIndex(t, a)] = append(out[artifactIndex(t, a)], text)
	}
	return out
}

func without(v any, names []string) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for k, e := range out {
			if slices.Contains(names, k) {
				delete(out, k)
			} else {
				out[k] = without(e, names)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = without(e, names)
		}
		return out
	}
	return v
}

func equalContents(a, b map[int][]string) bool {
	return maps.EqualFunc(a, b, slices.Equal[[]string])
}

type storedParams struct {
	pairParams
	Ignore []string `json:"ignore"` // members that may differ from look to look
}

func artifactsStored(t *judge.T, p storedParams) {
	sent := t.Step(p.Step).Result()
	if state := t.Case.Dialect.State(sent.Read("task.state").Text()); state == nil || !state.Terminal {
		t.Stopped("the task had not ended with the reply, so that it may have changed since")
	}
	stored := t.Step(p.Then).Result()
	has, had := contents(t, stored, p.Ignore), contents(t, sent, p.Ignore)
	judge.Each(t, slices.Sorted(maps.Keys(had)), func(index int) {
		t.Expect(stored.Read("task.artifacts")).To(matcher{"the artifact with index " + strconv.Itoa(index) + " as the call returned it",
			func(judge.Value) bool { return slices.Equal(had[index], has[index]) }, nil})
	})
}

func delivers(t *judge.T, p onStep) {
	result := t.Step(p.Step).Result()
	state := result.Read("task.state")
	if s := t.Case.Dialect.State(state.Text()); s == nil || s.Outcome != "done" {
		t.Stopped("the task was in state %s, not completed", state.Shown())
	}
	t.Expect(result).To(matcher{"results in artifacts or in the status message", func(v judge.Value) bool {
		return len(v.Read("task.artifacts").Elems()) > 0 || present(v.Read("task.message"))
	}, nil})
}

// chunk is an update that brings an artifact or a piece of one.
type chunk struct {
	judge.Value // the artifact
	index       int
}

func chunksOf(t *judge.T, s judge.Step) []chunk {
	var out []chunk
	for _, u := range artifactUpdates(t, s) {
		a := u.Read("event.artifact")
		out = append(out, chunk{a, artifactIndex(t, a)})
	}
	return out
}

func firstChunk(t *judge.T, p onSteps) {
	var of []chunk
	for _, s := range t.Steps(p.Steps) {
		seen := map[int]bool{}
		for _, c := range chunksOf(t, s) {
			if !seen[c.index] {
				of = append(of, c)
			}
			seen[c.index] = true
		}
	}
	judge.Each(t, of, func(c chunk) {
		t.Expect(c.Value).To(matcher{fmt.Sprintf("a first chunk for index %d that is no append", c.index),
			func(v judge.Value) bool { return !artifactFlag(t, v, "append") }, nil})
	})
}

// afterLast: what replaces an artifact begins a new one.
func afterLast(t *judge.T, p onSteps) {
	type place struct {
		stream *wire.Exchange
		index  int
	}
	var of []chunk
	for _, s := range t.Steps(p.Steps) {
		of = append(of, chunksOf(t, s)...)
	}
	over := map[place]bool{}
	judge.Each(t, of, func(c chunk) {
		at := place{c.Exchange(), c.index}
		was := over[at] && artifactFlag(t, c.Value, "append")
		over[at] = artifactFlag(t, c.Value, "last")
		if was {
			t.Fail(c.Value, fmt.Sprintf("appended to the artifact with index %d after its last chunk", c.index), "nothing to follow the last chunk")
		}
		t.OK(c.Value)
	})
}

func closedByLast(t *judge.T, p onSteps) {
	var of []chunk
	for _, s := range t.Steps(p.Steps) {
		last, times := map[int]chunk{}, map[int]int{}
		for _, c := range chunksOf(t, s) {
			last[c.index] = c
			times[c.index]++
		}
		for _, i := range slices.Sorted(maps.Keys(last)) {
			if times[i] > 1 {
				of = append(of, last[i])
			}
		}
	}
	judge.Each(t, of, func(c chunk) {
		t.Expect(c.Value).To(matcher{"the last of its chunks to say so", func(v judge.Value) bool { return artifactFlag(t, v, "last") }, nil})
	})
}

// assembled compares texts: a server may store in one part what it streamed in
// several.
func assembled(t *judge.T, p pairParams) {
	streamed := map[int]string{}
	for _, c := range chunksOf(t, t.Step(p.Step)) {
		if !artifactFlag(t, c.Value, "append") {
			streamed[c.index] = ""
		}
		streamed[c.index] += textOf(t, c.Value, "artifact")
	}
	result := t.Step(p.Then).Result()
	stored := map[int]string{}
	for _, a := range result.Read("task.artifacts").Elems() {
		stored[artifactIndex(t, a)] += textOf(t, a, "artifact")
	}
	judge.Each(t, slices.Sorted(maps.Keys(streamed)), func(index int) {
		t.Expect(result.Read("task.artifacts")).To(matcher{
			fmt.Sprintf("the text %q in the artifact with index %d, as it was streamed", judge.Shorten(streamed[index], 120), index),
			func(judge.Value) bool { return stored[index] == streamed[index] },
			func(v judge.Value) string {
				return fmt.Sprintf("stored the text %q", judge.Shorten(stored[index], 120))
			}})
	})
}
