package suites_test

import (
	"strings"
	"testing"
)

// A check that lacks what it needs says so: nothing that a server sends, or
// leaves out, makes it end without a word.
func TestChecksReportMissingInput(t *testing.T) {
	const (
		message  = `{"jsonrpc":"2.0","id":"t","result":{"sort":"message","note":{"by":"agent"}}}`
		delivery = "p/a-1 delivery hook=a task=7\n > {\"job\":\"7\",\"now\":{\"phase\":\"ready\"}}\n"
		aim      = `{"params":{"number":"7","tell":{"to":"https://hook.invalid/a","word":"w-a","key":"k-1"}}}`
		hook     = "webhook https://hook.invalid\n"
	)
	s, refusal := "p/s stream task=7", rpcError(`"t"`, -32001)
	set := answerCall("p/set push-set task=7", aim, okReply)
	list := answerCall("p/list push-list", "{}", `{"result":[]}`)
	runTrials(t, "lacks", []trial{
		{"stream/one-task", one, map[string]string{
			"pass":                         answerByStream(s, writeUpdate("busy", ""), writeUpdate("ready", "true")),
			"pass:beside a message":        answerByStream(s, message, writeUpdate("ready", "true")),
			"fail":                         answerByStream(s, writeUpdate("busy", ""), strings.Replace(writeUpdate("ready", ""), `"7"`, `"8"`, 1)),
			"not-applicable:a message":     answerByStream(s, message),
			"inconclusive:no names":        answerByStream(s, strings.Replace(writeUpdate("ready", ""), `"number":"7",`, "", 1)),
			"inconclusive:no envelope":     answerByStream(s, `{"number":"7","now":{"phase":"ready"}}`),
			"inconclusive:an error":        answerByStream(s, refusal),
			"inconclusive:another type":    answerByStream(s, strings.Replace(writeUpdate("ready", ""), `"7"`, `7`, 1)),
			"inconclusive:nothing at all":  answerByStream(s, `{}`),
			"inconclusive:not even JSON":   answerByStream(s, `ready`),
			"inconclusive:no event at all": s + "\n < 200 text/event-stream\n",
		}},
		{"discovery/card-available", "", map[string]string{
			"inconclusive:cut":          "card/well-known card\n ! aborted\ncard/older document\n < 404 - no\n",
			"inconclusive:not a card":   "card/older document\n < 200 application/json {}\n",
			"inconclusive:not a word":   "card/well-known card unsent=none the run's time was up\n",
			"inconclusive:not a play":   "quick/send send\n < 200 - no\n",
			"fail:nothing in its stead": serveCard(`[]`),
		}},
		{"discovery/card-object", "", map[string]string{
			"inconclusive:cut": "card/well-known card\n ! aborted\ncard/older document\n < 404 - no\n",
		}},
		{"push/token-carried", "{plays: [p]}", map[string]string{
			"inconclusive:no token":   hook + answerCall("p/set push-set task=7", strings.Replace(aim, `"word":"w-a",`, "", 1), okReply) + delivery,
			"inconclusive:refused":    hook + answerCall("p/set push-set task=7", aim, refusal) + delivery,
			"pass:one with":           hook + set + "p/b-1 delivery hook=b task=7\n > {}\n" + delivery + "X-Word: w-a\n",
			"inconclusive:not before": hook + delivery,
		}},
		{"push/credentials", "{scenario: p, hook: a, from: [p/set], without: [p/set], scheme: Bearer}", map[string]string{
			"not-applicable:none shown":    hook + set + delivery,
			"not-applicable:none given":    hook + answerCall("p/set push-set task=7", strings.Replace(aim, `,"key":"k-1"`, "", 1), okReply) + delivery + "Authorization: Bearer own\n",
			"pass:shown once":              hook + set + delivery + "p/a-2 delivery hook=a task=7\n > {}\nAuthorization: Bearer k-1\n",
			"inconclusive:none delivered":  hook + set,
			"inconclusive:nothing refused": hook + answerCall("p/set push-set task=7", aim, refusal),
		}},
		{"push/listed", "{step: p/list, from: [p/set, p/more]}", map[string]string{
			"inconclusive:none taken": answerCall("p/set push-set task=7", aim, refusal) + answerCall("p/more push-set task=7", aim, refusal) + list,
			"fail":                    set + answerCall("p/more push-set task=7", aim, refusal) + list,
		}},
		{"task/place", "{steps: [p/path, p/bare]}", map[string]string{
			"fail":             answerCall("p/path task", "{}", `{}`) + answerCall("p/bare task", "{}", `{}`),
			"pass":             answerCall("p/path task", "{}", `{}`) + answerCall("p/bare task", "{}", okReply),
			"inconclusive":     answerCall("p/path task", "{}", `{}`) + "stop p the run's time was up\n",
			"inconclusive:cut": answerCall("p/path task", "{}", `{}`) + "p/bare task\n ! aborted\n",
		}},
		{"task/ends", "{plays: [p]}", map[string]string{
			"fail":                       answerCall("p/send send task=7", "{}", writeTask("7", "busy")),
			"inconclusive:cut":           answerCall("p/send send task=7", "{}", writeTask("7", "busy")) + "p/poll-1 get task=7\n ! aborted\ncut the deadline was reached\n",
			"inconclusive:no time left":  answerCall("p/send send task=7", "{}", writeTask("7", "busy")) + "stop p the run's time was up\ncut the deadline was reached\n",
			"fail:for ever":              answerCall("p/send send task=7", "{}", writeTask("7", "busy")) + "stop p the task did not end\n",
			"fail:another play cut":      answerCall("p/send send task=7", "{}", writeTask("7", "busy")) + "cut the deadline was reached\n",
			"inconclusive:nothing asked": answerCall("p/alive get role=alive task=7", "{}", okReply),
		}},
		{"task/reaches", "{plays: [p, q], state: asking}", map[string]string{
			"fail:the other not held": answerCall("p/send send task=7", "{}", okReply),
		}},
	})
}
