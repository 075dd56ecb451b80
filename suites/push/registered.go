package push

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type registeredParams struct {
	Step     string   `json:"step" step:"{}"` // lists the configurations of the task
	From     []string `json:"from" step:"{}"` // the calls that gave the webhook
	Scenario string   `json:"scenario"`
	Hook     string   `json:"hook"` // the webhook, in that play
}

// checkWebhookRegistered accepts a delivery in place of an entry in the list, since a
// configuration need not be kept beyond the end of its task.
func checkWebhookRegistered(t *judge.T, p registeredParams) {
	from := observe.Taken(t, p.From)
	if !from.Accepted() && !from.Exchange.IsStream() {
		t.Undecided("the call %s/%s was not accepted: %s", from.Play.Scenario, from.Name, from.Outcome())
	}
	list, all := readConfigList(t, p.Step)
	want := observe.Given(t, from, "url")
	if slices.ContainsFunc(all, func(e judge.Value) bool { return readWebhookConfig(t, e, "url").Is(want) }) {
		t.OK(list)
		return
	}
	if came := webhookDeliveries(t, p.Scenario, p.Hook); len(came) > 0 {
		t.Finding(list, "the server does not list the webhook of a task that has ended")
		t.OK(came[0])
		return
	}
	if t.Case.Transcript.Facts.Webhook == "" {
		t.Inconclusive("--webhook-listen HOST:PORT", "the server does not list the webhook, and the task may have ended: only a delivery could show that it was registered")
	}
	t.Fail(list, "neither lists the webhook "+match.BothEnds(want)+" nor has called it", "a webhook that comes with the message to be registered for its task")
}
