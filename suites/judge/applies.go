package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// NoTasks is the reason why sentences about tasks do not concern an agent.
const NoTasks = "the agent answers with messages and makes no tasks"

// applies decides what can be decided without looking at the conversation:
// whether the requirement concerns this server and may be judged. It reports
// whether the check should run.
func (c *Case) applies(req *schema.Requirement, r *Result) bool {
	facts := &c.Transcript.Facts
	undecided := func(remedy, format string, args ...any) bool {
		r.Verdict, r.Remedy, r.Reason = report.Inconclusive, remedy, fmt.Sprintf(format, args...)
		return false
	}
	without := func(format string, args ...any) bool {
		r.Verdict, r.Reason = report.NotApplicable, fmt.Sprintf(format, args...)
		return false
	}
	if req.Unobservable != "" {
		return without("it cannot be observed from outside: %s", req.Unobservable)
	}
	if req.Judged == "later" {
		return without("this version does not judge it; a later one will")
	}
	if w := c.withheld(req); w != nil {
		return undecided(w.Remedy, "%s", notCalled(w))
	}
	if !req.For(c.binding.Kind()) {
		return without("it is about another binding (%s) than the one that was used", req.Binding)
	}
	var later func() bool // undecided, unless the claims of the card rule it out
	for _, word := range req.Operator {
		switch name, negated := strings.CutPrefix(word, "no-"); {
		case negated && slices.Contains(facts.Operator, name):
			return without("your configuration sets %s", name)
		case strings.HasPrefix(word, "stimulus."):
			given := strings.TrimPrefix(word, "stimulus.")
			if _, have := facts.Stimuli[given]; !have {
				return without("it is judged only if your configuration has such a message: stimuli: {%s: {text: …, seconds: …}}", given)
			}
		case strings.HasPrefix(word, "schema."):
			if name := strings.TrimPrefix(word, "schema."); c.Given() == nil || !c.Given().Has(name) {
				return without("it is judged only if you give a schema that defines %s: --schema FILE", name)
			}
		case strings.HasPrefix(word, "credential."):
			given := strings.TrimPrefix(word, "credential.")
			if slices.Contains(facts.Secrets, given) || slices.Contains(facts.Ways, given) {
				continue
			}
			// Where the operator shows who he is in one of the ways that a card offers,
			// the others are open, and not beside the point.
			if flag, ok := wayFlags[given]; ok && len(facts.Secrets) > 0 {
				later = func() bool {
					return undecided(flag, "the card also accepts %s credentials, but none are configured", given)
				}
			} else {
				return without("it is judged only if such a credential is configured (%s)", given)
			}
		case name == "credential" && len(facts.Secrets) == 0:
			return without("it is judged only if a credential is configured")
		case word == "rate-limit" && facts.RateLimit == nil:
			return without("it is judged only if your configuration sets a rate limit: declares: {rateLimit: {requests: 5, seconds: 1}}")
		case !negated && name != "credential" && name != "rate-limit" && !slices.Contains(facts.Operator, word):
			return without("it is judged only if your configuration sets declares: {%s: true}", word)
		}
	}
	for _, need := range req.Needs {
		name, isStimulus := strings.CutPrefix(need, "stimulus.")
		if isStimulus && slices.Contains(facts.Never, name) {
			if seen := c.sightOf(name); seen != "" {
				r.Stopped = true
				return undecided(unsayNever(name), "%s", deniedAndSeen(name, seen))
			}
			return without("%s", neverDone(name))
		}
	}
	if len(req.Claims) > 0 {
		shown, ok := c.Card()
		if !ok {
			r.Stopped = true
			return undecided("", "no agent card could be read, so the run does not know whether the server declares %s", card.Named(req.Claims...))
		}
		shown.t = &T{Case: c, Requirement: req, result: r}
		for _, claim := range req.Claims {
			claimed, err := c.claimed(claim, shown)
			if err != nil {
				r.Verdict, r.Reason = report.SuiteError, err.Error()
				return false
			}
			switch claimed {
			case card.No:
				return without("%s", unclaimed(claim))
			case card.Unclear:
				what, _ := card.What(strings.TrimPrefix(claim, "no-"))
				r.Stopped = true
				return undecided("", "the card does not say whether the server has %s: the member that should say so is missing or has the wrong type", what)
			}
		}
	}
	if later != nil {
		return later()
	}
	for _, id := range req.After {
		switch p := c.prior(id); p.Verdict {
		case report.Inconclusive:
			if !slices.Contains(facts.Held, id) {
				r.rest(p)
			}
		case report.Fail, report.Waived:
			r.rest(p)
		case report.SuiteError:
			return undecided("", "it depends on %s, on which a2a-conform itself failed: %s", id, p.Reason)
		}
	}
	for _, need := range req.Needs {
		if name, ok := strings.CutPrefix(need, "stimulus."); ok {
			if _, have := facts.Stimuli[name]; !have && !c.shows(name) {
				return undecided(giveOrDeny(name), "%s", operator.NoStimulus(name))
			}
		} else if need == "task" && c.Talks() {
			return without("%s", NoTasks)
		} else if why := c.Transcript.NoAgent(); need == "agent" && why != "" {
			return without("%s", why)
		} else if need == "webhook" && facts.Webhook == "" {
			return undecided("--webhook-listen HOST:PORT", "this run offers the server no webhook to deliver to")
		} else if need == "credential" && len(facts.Secrets) == 0 {
			return undecided(CredentialFlags, "no credential is configured")
		} else if cred, ok := strings.CutPrefix(need, "credential."); ok && !slices.Contains(facts.Secrets, cred) {
			if cred == "low" && slices.Contains(facts.Never, "forbidden") { // all clients may do the same
				return without("%s", neverDone("forbidden"))
			}
			return undecided(fmt.Sprintf("auth: {%s: {bearer: ${…}}}", cred), "no %s credential is configured", cred)
		}
	}
	if req.Risk != schema.Harmless && req.Risk != "" && !slices.Contains(facts.Allow, string(req.Risk)) {
		return undecided("--allow "+string(req.Risk), "%s", req.Risk.NeedsAllow())
	}
	return true
}

// shows reports whether the agent showed a behaviour without being asked for it: it
// answered the harmless message by a message, on which the conversation about that
// rests.
func (c *Case) shows(behaviour string) bool {
	p := c.Transcript.Play("talk")
	if behaviour != "message" || p == nil {
		return false
	}
	s := p.Step("send")
	return s != nil && s.Of != ""
}

// wayFlags are the flags for the ways in which a client shows who it is.
var wayFlags = map[string]string{"bearer": "--bearer-env NAME", "api-key": "--api-key-env NAME", "basic": "--basic-env NAME"}

// CredentialFlags are the flags by which an operator names a credential.
const CredentialFlags = "--bearer-env, --basic-env or --api-key-env"
