package e2e

import (
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// artifactForm is how a dialect sends a piece of an artifact.
type artifactForm struct {
	update         []string // leads from an event to the update
	flags          []string // leads from there to append and lastChunk
	streams, looks string   // the methods that stream a message, and look a task up
}

// memberAt is the object at a path of members; nil if there is none.
func memberAt(m map[string]any, path ...string) map[string]any {
	for _, name := range path {
		m, _ = m[name].(map[string]any)
	}
	return m
}

// An update of an artifact without append takes the place of what was sent of it, so the
// pieces before it are no longer part of the artifact.
func TestArtifactIsSentAnew(t *testing.T) {
	t.Parallel()
	for dialect, c := range map[string]struct {
		form artifactForm
		want map[string]string
	}{
		"a2a-1.0": {artifactForm{update: []string{"result", "artifactUpdate"}, streams: "SendStreamingMessage", looks: "GetTask"},
			map[string]string{"A2A10-STREAM-025": "pass", "A2A10-STREAM-026": "pass", "A2A10-STREAM-027": "pass", "A2A10-STREAM-028": "pass"}},
		"a2a-0.3": {artifactForm{update: []string{"result"}, streams: "message/stream", looks: "tasks/get"},
			map[string]string{"A2A03-STREAM-023": "pass", "A2A03-STREAM-024": "pass", "A2A03-STREAM-025": "pass"}},
		"a2a-0.1": {artifactForm{update: []string{"result"}, flags: []string{"artifact"}, streams: "tasks/sendSubscribe", looks: "tasks/get"},
			map[string]string{"A2A01-STR-018": "pass", "A2A01-STR-019": "pass", "A2A01-STR-021": "pass"}},
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			anew := 0
			url := doctored(t, reference.Options{Dialect: dialect}, func(k call, r *reply) {
				switch {
				case k.method == c.form.streams:
					r.edit(func(m map[string]any) {
						flags := memberAt(memberAt(m, c.form.update...), c.form.flags...)
						if flags["append"] == true && flags["lastChunk"] == true {
							delete(flags, "append")
							anew++
						}
					})
				case k.method == c.form.looks:
					r.edit(keepTheLastPiece)
				}
			})
			ids := []string{}
			for id := range c.want {
				ids = append(ids, id)
			}
			expect(t, judgedOn(t, url, conform.Target{Dialect: dialect, Behaviour: conform.Behaviour{DefaultStimuli: true}}, ids...), c.want)
			if anew == 0 {
				t.Error("no piece was sent anew")
			}
		})
	}
}

// artifactSentAnew has the last piece of an artifact take the place of the others, in the stream and in the store of A2A 1.0.
func artifactSentAnew(_ call, m map[string]any) {
	if update := memberAt(m, "result", "artifactUpdate"); update["append"] == true && update["lastChunk"] == true {
		delete(update, "append")
	}
	keepTheLastPiece(m)
	if task := memberAt(m, "result", "task"); task != nil {
		keepTheLastPiece(map[string]any{"result": task})
	}
	tasks, _ := result(m)["tasks"].([]any)
	for _, task := range tasks {
		keepTheLastPiece(map[string]any{"result": task})
	}
}

// keepTheLastPiece has a look-up show the last piece of an artifact in pieces alone.
func keepTheLastPiece(m map[string]any) {
	artifacts, _ := result(m)["artifacts"].([]any)
	for _, a := range artifacts {
		parts, _ := a.(map[string]any)["parts"].([]any)
		if len(parts) == 0 {
			continue
		}
		part := parts[len(parts)-1].(map[string]any)
		if text, _ := part["text"].(string); strings.HasSuffix(text, "and the last.") {
			part["text"] = "and the last."
			a.(map[string]any)["parts"] = []any{part}
		}
	}
}
