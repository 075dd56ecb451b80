package task

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// describeArtifact returns the words for an artifact, by the name of its key.
func describeArtifact(t *judge.T, key string) string {
	at, _ := t.Case.Dialect.Pointer("artifact", "key")
	return fmt.Sprintf("the artifact with %s %s", strings.TrimPrefix(at, "/"), shorten.Visible(key, 60))
}

// artifactJSONByKey returns a list of artifacts by key: the name and the parts of each, without
// the members that may differ from look to look.
func artifactJSONByKey(t *judge.T, artifacts judge.Value, ignore []string) map[string][]string {
	out := map[string][]string{}
	for _, a := range artifacts.Elems() {
		text := ""
		for _, what := range []string{"name", "parts"} {
			for _, v := range observe.ExpandDialectPlace(t, a, "artifact", what) {
				b, _ := json.Marshal(observe.DropMembers(v.Node().Interface(), ignore))
				text += string(b) + "\n"
			}
		}
		out[observe.ArtifactKey(t, a)] = append(out[observe.ArtifactKey(t, a)], text)
	}
	return out
}

func sameArtifactContents(a, b map[string][]string) bool {
	return maps.EqualFunc(a, b, slices.Equal[[]string])
}

// lookUpParams name a call and a look-up of its task after it.
type lookUpParams struct {
	observe.PairParams
	Ignore []string `json:"ignore"` // members of artifacts that may differ from look to look
}

func checkArtifactsStored(t *judge.T, p lookUpParams) {
	sent := t.Step(p.Step).Result()
	if !observe.IsTerminal(t, sent.Read("task.state")) {
		t.StopUndecided("the task had not ended when the reply came, so it may have changed since")
	}
	stored := t.Step(p.Then).Result()
	expectTaskHasArtifactsOf(t, stored, sent, p.Ignore, "shows", "as it was returned when the task ended")
}

// expectTaskHasArtifactsOf expects a task to have each artifact of the same task at another time, with
// the same content. The verb is what the server does with the task, and asWhen follows the artifact
// in the text of a failure.
func expectTaskHasArtifactsOf(t *judge.T, task, other judge.Value, ignore []string, verb, asWhen string) {
	artifacts, others := task.Read("task.artifacts"), other.Read("task.artifacts")
	got, want := artifactJSONByKey(t, artifacts, ignore), artifactJSONByKey(t, others, ignore)
	judge.Each(t, slices.Sorted(maps.Keys(want)), func(key string) {
		t.Expect(artifacts).ComparedWith(others).To(match.Should(describeArtifact(t, key)+" "+asWhen,
			func(judge.Value) bool { return slices.Equal(got[key], want[key]) }, func(judge.Value) string {
				if _, found := got[key]; !found {
					return verb + " the task without " + describeArtifact(t, key)
				}
				return verb + " " + describeArtifact(t, key) + " with another content"
			}))
	})
}

// expectArtifactsAndHistoryUnchanged expects a later look at a task to show the artifacts of an earlier one and,
// if the history counts, a history of as many messages.
func expectArtifactsAndHistoryUnchanged(t *judge.T, earlier, later judge.Value, ignore []string, compareHistoryLength bool) {
	t.Expect(later.Read("task.artifacts")).To(match.Should("the artifacts to stay as they were", func(v judge.Value) bool {
		return sameArtifactContents(artifactJSONByKey(t, earlier.Read("task.artifacts"), ignore), artifactJSONByKey(t, v, ignore))
	}, nil))
	if compareHistoryLength {
		t.Expect(later.Read("task.history")).To(haveAsManyMessages(earlier.Read("task.history")))
	}
}

type deliversParams struct {
	observe.OnStep
	Artifact bool `json:"artifact"` // the status message does not count as a result
}

func checkCompletedTaskHasResult(t *judge.T, p deliversParams) {
	result := t.Step(p.Step).Result()
	if state := result.Read("task.state"); !observe.IsSuccess(t, state) {
		t.StopUndecided("the task was in state %s, not completed", state.Shown())
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

// streamedArtifactPieces returns the pieces of artifacts that the updates of some streams bring. What a task
// in a stream has is there already.
func streamedArtifactPieces(t *judge.T, streams []judge.Step) []observe.ArtifactPiece {
	var out []observe.ArtifactPiece
	for _, s := range streams {
		out = append(out, observe.ArtifactPieces(t, s)...)
	}
	return slices.DeleteFunc(out, func(p observe.ArtifactPiece) bool { return p.Whole })
}

type firstChunkParams struct {
	observe.OnSteps
	// Appended limits the requirement to updates with append true.
	Appended bool `json:"appended"`
}

// namedPlusTaskBeginningStreams returns the named streams and all others that began a task. Others may go on
// with an artifact of which an earlier stream brought the first piece.
func namedPlusTaskBeginningStreams(t *judge.T, names []string) []judge.Step {
	return slices.DeleteFunc(observe.EveryStream(t, names), func(s judge.Step) bool {
		begins := t.Case.Dialect.Operation(s.Op).Agent && observe.SentMessageMember(t, s, "task.id") == ""
		return !begins && !slices.Contains(names, s.Play.Scenario+"/"+s.Name)
	})
}

func checkFirstChunkIsNoAppend(t *judge.T, p firstChunkParams) {
	var of []observe.ArtifactPiece
	for _, c := range streamedArtifactPieces(t, namedPlusTaskBeginningStreams(t, p.Steps)) {
		switch {
		case p.Appended && !c.Appends(): // it is no subject
		case !c.Known:
			of = append(of, c)
		case p.Appended:
			t.OK(c.Value)
		}
	}
	judge.Each(t, of, func(c observe.ArtifactPiece) {
		t.Expect(c.Value).To(match.Should("a first chunk for "+describeArtifact(t, c.Key)+" without append",
			func(judge.Value) bool { return !c.Appends() }, func(judge.Value) string {
				return "sent the first chunk of " + describeArtifact(t, c.Key) + " with append true"
			}))
	})
}

// checkNoAppendAfterLastChunk lets an update that replaces an artifact begin a new one.
func checkNoAppendAfterLastChunk(t *judge.T, p observe.OnSteps) {
	judge.Each(t, streamedArtifactPieces(t, observe.EveryStream(t, p.Steps)), func(c observe.ArtifactPiece) {
		if c.Appends() && c.Before.Closed {
			t.Fail(c.Value, "appended to "+describeArtifact(t, c.Key)+" after its last chunk", "nothing to follow the last chunk")
		}
		t.OK(c.Value)
	})
}

// checkLastChunkMarked judges a replaced artifact by the pieces that came after that.
func checkLastChunkMarked(t *judge.T, p observe.OnSteps) {
	var of []*observe.FoldedPieces
	for _, s := range t.Steps(p.Steps) {
		for _, folded := range observe.FoldedArtifacts(t, s) {
			if last := folded.Pieces[len(folded.Pieces)-1]; len(folded.Pieces) > 1 && !last.Whole {
				of = append(of, folded)
			}
		}
	}
	judge.Each(t, of, func(folded *observe.FoldedPieces) {
		last := folded.Pieces[len(folded.Pieces)-1]
		t.Expect(last.Value).To(match.Should("the last of its chunks to say so", func(judge.Value) bool { return last.IsLast() }, func(judge.Value) string {
			return "ended " + describeArtifact(t, folded.Key) + " with a chunk that does not say that it is the last"
		}))
	})
}

// checkStreamedArtifactStored compares what the updates of a stream add up to with what is stored.
func checkStreamedArtifactStored(t *judge.T, p observe.PairParams) {
	of := slices.DeleteFunc(observe.FoldedArtifacts(t, t.Step(p.Step)), func(f *observe.FoldedPieces) bool {
		return f.Pieces[len(f.Pieces)-1].Whole
	})
	result := t.Step(p.Then).Result()
	stored := observe.StoredTexts(t, result)
	judge.Each(t, of, func(folded *observe.FoldedPieces) {
		streamed := folded.Text(t)
		t.Expect(result.Read("task.artifacts")).To(match.Should(
			fmt.Sprintf("the text %q in %s, as it was streamed", shorten.Clip(streamed, 60), describeArtifact(t, folded.Key)),
			func(judge.Value) bool { return stored[folded.Key] == streamed },
			func(v judge.Value) string {
				return fmt.Sprintf("stored the text %q", shorten.Clip(stored[folded.Key], 60))
			}))
	})
}
