package a2a01

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// TaskMutants are those that only A2A 0.1.0 has a place for.
var taskMutants = map[string]front.Mutant{
	"history-never-filled": {Reply: mutants.HistoryOf(func(_ *front.Reply, asked string, history []any) []any {
		if asked == "10" {
			return []any{}
		}
		return history
	})},
	"history-newest-first": {Reply: mutants.HistoryOf(func(x *front.Reply, _ string, history []any) []any {
		if x.Script() == "ask" && len(history) > 3 {
			history[0], history[2] = history[2], history[0]
		}
		return history
	})},
	"history-by-role": {Reply: mutants.HistoryOf(func(x *front.Reply, _ string, history []any) []any {
		mutants.SortByRole(x.Body, "user")
		return history
	})},
	"timestamp-local": {Reply: front.Answering("tasks/get", func(x *front.Reply) {
		if t, ok := strings.CutSuffix(front.Text(x.Body, "result/status/timestamp"), "Z"); ok {
			front.Put(x.Body, "result/status/timestamp", t+"+02:00")
		}
	})},
}

// LifecycleMutants are those that only A2A 0.1.0 has a place for.
var LifecycleMutants = map[string]front.Mutant{
	"question-completes": {Engine: func(o *engine.Options) { o.Asks = false }},
}
