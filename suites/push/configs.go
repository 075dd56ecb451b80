package push

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// webhookOfEntry returns the webhook in an element of a list.
func webhookOfEntry(t *judge.T, e judge.Value) judge.Value {
	holder, _ := t.Case.Dialect.Pointer("push-list", "webhook")
	return e.At(holder)
}

// readNamedWebhookMember returns a member of the webhook in a result, or in an element of a list.
func readNamedWebhookMember(t *judge.T, entry judge.Value, member string) judge.Value {
	at, _ := t.Case.Dialect.Pointer("webhook", member)
	return webhookOfEntry(t, entry).At(at)
}

type configParams struct {
	Step  string   `json:"step" step:"{}"`
	Only  bool     `json:"only"`                    // no other configurations are to be listed
	Found bool     `json:"found"`                   // the look is for the id that was given, and has to find it
	From  []string `json:"from" step:"{}"`          // the calls that gave configurations
	Look  string   `json:"look" step:"{},optional"` // a later look at the one that was given
	// Delete is the call that deletes the configuration, which is valid.
	Delete string `json:"delete" step:"{},optional"`
}

func checkConfigIDKept(t *judge.T, p configParams) {
	s := t.Step(p.Step)
	want := match.BeTheText("the id that was given, ", observe.SentWebhookMember(t, s, "id"))
	t.Expect(observe.ReturnedWebhookMember(t, s.Result(), "id")).To(want)
	if p.Found {
		t.Expect(t.Step(p.Look).Reply()).To(match.BeAResult())
	}
	t.Expect(observe.ReturnedWebhookMember(t, t.Step(p.Look).Result(), "id")).To(want)
}

// forEachIDAssignedTwice calls found for each id that the server made for a configuration, and had made
// before for another one of the same task which was still there.
func forEachIDAssignedTwice(t *judge.T, found func(again, first judge.Value)) {
	type place struct{ task, id string }
	made := map[place]judge.Value{}
	for _, v := range t.All(judge.ReplyText) {
		s := v.Document().Step
		switch {
		case s.Op == "push-delete" && !match.IsError(v):
			gone := deletedConfigID(t, v)
			for at := range made { // a deleted one leaves its name
				if at.task == s.Task && (gone == "" || gone == at.id) {
					delete(made, at)
				}
			}
			continue
		case s.Op != "push-set" || s.Invalid || s.Contradicts || !match.Present(v.Result()):
			continue
		}
		step, ok := t.Find(v.Document().Play.Scenario + "/" + s.Name)
		if !ok || observe.SentWebhookMember(t, step, "id") != "" {
			continue
		}
		id := observe.ReturnedWebhookMember(t, v.Result(), "id")
		if !id.IsString() || id.Text() == "" {
			continue
		}
		at := place{s.Task, id.Text()}
		if first, twice := made[at]; twice && first.Exchange() != v.Exchange() {
			found(id, first)
		}
		made[at] = id
	}
}

// deletedConfigID returns the id of the configuration that a call deletes. It is empty if the
// call does not have it at the place of a configuration's id.
func deletedConfigID(t *judge.T, reply judge.Value) string {
	place, _ := t.Case.Dialect.Pointer("webhook", "id")
	if n := reply.Sent().Params.At(place); n != nil {
		return n.String
	}
	return ""
}

func checkConfigIDMade(t *judge.T, p observe.OnStep) {
	t.Expect(observe.ReturnedWebhookMember(t, t.Step(p.Step).Result(), "id")).To(match.BeNonEmptyString())
}

type byIDParams struct {
	observe.OwnRules
	Looks []configLook `json:"looks"`
	// Made requires that the ids which the server makes for the configurations of one task
	// differ.
	Made bool `json:"made"`
}

// configLook is a look-up of a webhook configuration, and the call that set it.
type configLook struct {
	Step string `json:"step" step:"{}"`
	From string `json:"from" step:"{}"`
}

func checkConfigReadByID(t *judge.T, p byIDParams) {
	p.FailIfBroken(t)
	if p.Made {
		forEachIDAssignedTwice(t, func(again, first judge.Value) {
			t.Fail(again, fmt.Sprintf("gave another configuration of the task the id %s again (first in exchange %d)", again.Shown(), first.Exchange().ID),
				"an id of its own for each configuration of a task that is created without one", first)
		})
	}
	judge.Each(t, p.Looks, func(l configLook) {
		from, look := t.Step(l.From), t.Step(l.Step)
		observe.RequireAccepted(t, from, "the call %s was not accepted", l.From)
		t.Expect(look.Reply()).To(match.BeAResult())
		t.Expect(look.Result().Read("task.id")).To(observe.BeIDOfAddressedTask(look))
		expectWebhookURL(t, look, from)
	})
}

// findConfigList returns the list in a result: the result itself if the dialect names no place
// for it. A list at a place of its own may be left out if it is empty.
func findConfigList(t *judge.T, result judge.Value) (list judge.Value, ok bool) {
	at, placed := t.Case.Dialect.Pointer("push-list", "list")
	list = result.At(at)
	return list, list.IsArray() || placed && result.IsObject() && !list.Exists()
}

// requireConfigList returns the elements of a list that a step was answered with.
func requireConfigList(t *judge.T, step string) (judge.Value, []judge.Value) {
	list, ok := findConfigList(t, t.Step(step).Result())
	observe.StopUndecidedIf(t, !ok, "the call %s was not answered with a list", step)
	return list, list.Elems()
}

func checkConfigsListed(t *judge.T, p configParams) {
	list, all := requireConfigList(t, p.Step)
	from := t.Steps(p.From)
	of := slices.DeleteFunc(slices.Clone(from), func(s judge.Step) bool { return !s.Accepted() && !s.Exchange.IsStream() })
	if len(of) == 0 {
		t.StopUndecided("the call %s/%s was not accepted: %s", from[0].Play.Scenario, from[0].Name, from[0].Outcome())
	}
	judge.Each(t, of, func(s judge.Step) {
		want := observe.SentWebhookMember(t, s, "url")
		t.Expect(list).To(match.Should("the webhook "+match.BothEnds(want)+" among them", func(judge.Value) bool {
			return slices.ContainsFunc(all, func(e judge.Value) bool { return readNamedWebhookMember(t, e, "url").Is(want) })
		}, nil))
	})
	if p.Only {
		expectNoOtherConfigs(t, all, from)
	}
}

// expectNoOtherConfigs fails if the list has a configuration that none of the calls gave, since
// that is one of another task.
func expectNoOtherConfigs(t *judge.T, all []judge.Value, from []judge.Step) {
	judge.Each(t, all, func(e judge.Value) {
		address := readNamedWebhookMember(t, e, "url")
		if t.Stored(webhookOfEntry(t, e)) {
			t.OK(e)
			return
		}
		if address.IsString() && !slices.ContainsFunc(from, func(s judge.Step) bool { return address.Is(observe.SentWebhookMember(t, s, "url")) }) {
			t.Fail(address, "lists the webhook "+match.BothEnds(address.Text())+", which was not given for this task", "the webhooks of this task only")
		}
		t.OK(e)
	})
}

func checkConfigReplaced(t *judge.T, p configParams) {
	list, all := requireConfigList(t, p.Step)
	last := p.From[len(p.From)-1]
	s := observe.RequireAccepted(t, t.Step(last), "the call %s was not accepted", last)
	id, address := observe.SentWebhookMember(t, s, "id"), observe.SentWebhookMember(t, s, "url")
	of := slices.DeleteFunc(slices.Clone(all), func(e judge.Value) bool { return !readNamedWebhookMember(t, e, "id").Is(id) })
	if len(of) != 1 {
		t.Fail(list, fmt.Sprintf("lists %d configurations with the id %s", len(of), id), "one, the last that was given")
	}
	t.Expect(readNamedWebhookMember(t, of[0], "url")).To(match.BeTheText("the URL that was given last, ", address))
}

// checkConfigsAreArray leaves the entries to other requirements.
func checkConfigsAreArray(t *judge.T, p observe.StepRules) {
	p.FailIfBroken(t)
	reply := t.Step(p.Step).Reply()
	t.Expect(reply).To(match.BeAResult())
	at, _ := t.Case.Dialect.Pointer("push-list", "list")
	t.Expect(reply.Result().At(at)).To(match.Should("an array", judge.Value.IsArray, nil))
}

func checkConfigListEmpty(t *judge.T, p observe.OnStep) {
	reply := t.Step(p.Step).Reply()
	list, _ := findConfigList(t, reply.Result())
	if all := list.Elems(); len(all) > 0 && !slices.ContainsFunc(all, func(e judge.Value) bool { return !t.Stored(webhookOfEntry(t, e)) }) {
		t.StopAsStored(webhookOfEntry(t, all[0]))
	}
	t.Expect(reply.Result()).To(match.Should("an empty list", func(v judge.Value) bool {
		_, ok := findConfigList(t, v)
		return ok && len(list.Elems()) == 0
	}, nil))
}

func checkDeleteReturnsNull(t *judge.T, p observe.OnStep) {
	reply := t.Step(p.Step).Reply()
	t.Expect(reply).NotTo(match.InsteadOf(match.BeRPCError(t), "the webhook to be deleted, without an error"))
	t.Expect(reply.Result()).To(match.BeJSONNull())
}

func checkDeletedConfigGone(t *judge.T, p configParams) {
	if p.Delete != "" {
		observe.ExpectNotRefusedAsMalformed(t, t.Step(p.Delete))
	}
	list, all := requireConfigList(t, p.Step)
	s := t.Step(p.From[0])
	id := observe.SentWebhookMember(t, s, "id")
	t.Expect(list).NotTo(match.Should("the configuration that was deleted, "+id, func(judge.Value) bool {
		return slices.ContainsFunc(all, func(e judge.Value) bool { return readNamedWebhookMember(t, e, "id").Is(id) })
	}, func(judge.Value) string { return "lists the configuration " + id + " still" }))
	if p.Look != "" {
		t.Expect(t.Step(p.Look).Reply()).To(match.BeRPCError(t))
	}
}

type deletedAgainParams struct {
	Step   string `json:"step" step:"{}"`
	Before string `json:"before" step:"{}"` // the lists
	After  string `json:"after" step:"{}"`
}

// checkSecondDeleteHarmless leaves the answer to the first deletion to another requirement. The
// list before shows what that deletion did.
func checkSecondDeleteHarmless(t *judge.T, p deletedAgainParams) {
	again := t.Step(p.Step)
	if first, ok := t.Find(again.Play.Scenario + "/" + again.Twin); ok && match.IsHollow(first.Reply()) {
		observe.ExpectNoServerFault(t, again)
	} else {
		observe.CheckAnsweredOrderly(t, observe.OnSteps{Steps: []string{p.Step}})
	}
	_, before := requireConfigList(t, p.Before)
	list, after := requireConfigList(t, p.After)
	t.Expect(list).To(match.Should(fmt.Sprintf("the %d configurations that there were before", len(before)),
		func(judge.Value) bool { return len(after) == len(before) },
		func(judge.Value) string { return fmt.Sprintf("lists %d configurations", len(after)) }))
}

// checkDeliveryPostedToGivenURL looks at attempts by other methods too.
func checkDeliveryPostedToGivenURL(t *judge.T, p observe.OnPlays) {
	of := judge.Filter(t.All(judge.Delivery), func(v judge.Value) bool { return slices.Contains(p.Plays, v.Document().Play.Scenario) })
	observe.StopUndecidedIf(t, len(of) == 0, "nothing was delivered")
	judge.Each(t, of, func(v judge.Value) {
		x := v.Exchange()
		if !x.Posted() {
			t.Fail(v, "delivered by "+requestMethod(v), "a POST")
		}
		steps := callsThatSetWebhook(t, v)
		for _, s := range steps {
			if hasSamePathAndGivenQuery(observe.SentWebhookMember(t, s, "url"), x.URL) {
				t.OK(v)
				return
			}
		}
		if len(steps) > 0 {
			t.Fail(v, "delivered to "+match.BothEnds(shorten.Visible(x.URL, 160)), "the URL as it was given, "+match.BothEnds(observe.SentWebhookMember(t, steps[len(steps)-1], "url")))
		}
		t.OK(v)
	})
}

// requestMethod returns the HTTP method of a delivery.
func requestMethod(v judge.Value) string {
	m, _, _ := strings.Cut(string(v.Exchange().Request.Head), " ")
	return shorten.Visible(m, 20)
}

// hasSamePathAndGivenQuery compares path and query; a proxy may stand for the host, and what
// a server adds to the query takes nothing from what was given.
func hasSamePathAndGivenQuery(given, got string) bool {
	u, err := url.Parse(given)
	w, wrong := url.Parse(got)
	if err != nil || wrong != nil || u.Path != w.Path {
		return false
	}
	has := w.Query()
	for name, values := range u.Query() {
		if !slices.Equal(has[name], values) {
			return false
		}
	}
	return true
}

// checkDeliveryHasTaskContent accepts a state, an artifact or a message.
func checkDeliveryHasTaskContent(t *judge.T, p observe.OnPlays) {
	judge.Each(t, deliveriesWithFullBodies(t, p), func(v judge.Value) {
		for _, name := range []string{t.Case.Dialect.Delivered.Status, "artifact", "artifacts", "parts", "state"} {
			if found := v.Find(name); len(found) > 0 {
				t.OK(found[0])
				return
			}
		}
		t.Fail(v, "delivered a body with neither a state nor an artifact nor a message", "a state, an artifact or a message, anywhere in the body")
	})
}

type silentParams struct {
	Scenario string `json:"scenario"`
	Hook     string `json:"hook"`                        // that was deleted
	Delete   string `json:"delete" step:"{scenario}/{}"` // by this step
	Look     string `json:"look" step:"{scenario}/{}"`   // a look-up that showed the task at work when the deletion was confirmed; "" if there is none
	Fence    string `json:"fence"`                       // the webhook that is notified all the same
}

func checkDeletedWebhookSilent(t *judge.T, p silentParams) {
	gone := t.Step(p.Scenario + "/" + p.Delete)
	if reply := gone.Reply(); match.IsError(reply) || !reply.IsObject() && !gone.Accepted() {
		t.StopUndecided("the webhook was not deleted: %s", gone.Outcome())
	}
	if p.Look != "" { // what was on its way already is no delivery after the deletion
		if look := t.Step(p.Scenario + "/" + p.Look); observe.IsTerminalOrInterrupted(t, look.Result().Read("task.state")) {
			t.StopUndecided("the task had already ended when the deletion of the webhook was confirmed")
		}
	}
	observe.StopUndecidedIf(t, !wasNotifiedOfTaskEnd(t, p.Scenario, p.Fence), "nothing was delivered to the other webhook")
	for _, v := range webhookDeliveries(t, p.Scenario, p.Hook) {
		if ends, _ := reportsSettledState(t, v); ends && v.Exchange().Start > gone.Exchange.End {
			t.Fail(v, "delivered the end of the task to a webhook that had been deleted", "nothing to be delivered there any more")
		}
	}
	t.OK(gone.Reply())
}

// wasNotifiedOfTaskEnd reports whether a webhook of a play was, or may have been, notified of the end of its task.
func wasNotifiedOfTaskEnd(t *judge.T, scenario, hook string) bool {
	return slices.ContainsFunc(webhookDeliveries(t, scenario, hook), func(v judge.Value) bool { return mayReportSettledState(t, v) })
}

type allToldParams struct {
	Scenario string   `json:"scenario" step:"{}/after"`
	Hooks    []string `json:"hooks"`
}

func checkAllWebhooksNotified(t *judge.T, p allToldParams) {
	after := t.Step(p.Scenario + "/after")
	count := len(judge.Filter(p.Hooks, func(hook string) bool { return wasNotifiedOfTaskEnd(t, p.Scenario, hook) }))
	observe.StopUndecidedIf(t, count == 0, "nothing was delivered at all")
	if count < len(p.Hooks) {
		t.Fail(after.Head(), fmt.Sprintf("notified %d of the %d webhooks of the end of the task", count, len(p.Hooks)), "every webhook of the task to be notified")
	}
	t.OK(after.Reply())
}

type unharmedParams struct {
	Scenario string   `json:"scenario"`
	Hook     string   `json:"hook"`
	Looks    []string `json:"looks" step:"{}"` // at the task, afterwards
}

func checkTaskSucceedsDespiteWebhook(t *judge.T, p unharmedParams) {
	observe.StopUndecidedIf(t, len(webhookDeliveries(t, p.Scenario, p.Hook)) == 0, "nothing was delivered")
	judge.Each(t, t.Steps(p.Looks), func(s judge.Step) {
		t.Expect(s.Result().Read("task.state")).To(match.Should("a completed task, even though its webhook refused the deliveries", func(v judge.Value) bool { return observe.IsSuccess(t, v) }, nil))
	})
}

type registeredParams struct {
	Step     string   `json:"step" step:"{}"` // lists the configurations of the task
	From     []string `json:"from" step:"{}"` // the calls that gave the webhook
	Scenario string   `json:"scenario"`
	Hook     string   `json:"hook"` // the webhook, in that play
}

// checkWebhookRegistered accepts a delivery in place of an entry in the list, since a
// configuration need not be kept beyond the end of its task.
func checkWebhookRegistered(t *judge.T, p registeredParams) {
	from := observe.FirstAcceptedOrLast(t, p.From)
	observe.StopIfCallShowsNothing(t, from, !from.Accepted() && !from.Exchange.IsStream(), "was not accepted")
	list, all := requireConfigList(t, p.Step)
	want := observe.SentWebhookMember(t, from, "url")
	if slices.ContainsFunc(all, func(e judge.Value) bool { return readNamedWebhookMember(t, e, "url").Is(want) }) {
		t.OK(list)
		return
	}
	if came := webhookDeliveries(t, p.Scenario, p.Hook); len(came) > 0 {
		t.Finding(list, "the server does not list the webhook of a task that has ended")
		t.OK(came[0])
		return
	}
	if t.Case.Transcript.Facts.Webhook == "" {
		t.StopInconclusive("--webhook-listen HOST:PORT", "the server does not list the webhook, and the task may have ended: only a delivery could show that it was registered")
	}
	t.Fail(list, "neither lists the webhook "+match.BothEnds(want)+" nor has called it", "a webhook that comes with the message to be registered for its task")
}
