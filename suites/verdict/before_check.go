package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// decision is a requirement whose verdict is looked for before its check is run.
type decision struct {
	*Decider
	req *schema.Requirement
	r   *Result
	// openWay is a kind of credentials that the card accepts and the operator did not configure.
	openWay string
}

func (d *decision) leaveUndecided(remedy, format string, args ...any) bool {
	d.r.Verdict, d.r.Remedy, d.r.Reason = report.Inconclusive, remedy, fmt.Sprintf(format, args...)
	return true
}

func (d *decision) leaveOut(format string, args ...any) bool {
	d.r.Verdict, d.r.Reason = report.NotApplicable, fmt.Sprintf(format, args...)
	return true
}

func (d *decision) runFacts() *record.Facts { return &d.Transcript.Facts }

func (d *decision) isUnobservable() bool {
	return d.req.Unobservable != "" && d.leaveOut("it cannot be observed from outside: %s", d.req.Unobservable)
}

func (d *decision) lacksInterface() bool {
	w := d.findUncalledInterfaceFor(d.req)
	return w != nil && d.leaveUndecided(w.Remedy, "%s", explainNotCalled(w))
}

func (d *decision) isOfOtherBinding() bool {
	return !d.OfClient() && !d.req.For(d.Binding().Kind()) && d.leaveOut("it is about another binding (%s) than the one that was used", d.req.Binding)
}

// isLeftOut goes by the words of the operator that a requirement asks for. A kind of credentials
// that is not configured is left open until the claims of the card are known.
func (d *decision) isLeftOut() bool {
	facts := d.runFacts()
	for _, word := range d.req.Operator {
		switch name, negated := strings.CutPrefix(word, "no-"); {
		case negated && slices.Contains(facts.Operator, name):
			return d.leaveOut("your configuration sets %s", name)
		case strings.HasPrefix(word, "stimulus."):
			given := strings.TrimPrefix(word, "stimulus.")
			if _, have := facts.Stimuli[given]; !have {
				return d.leaveOut("it is judged only if your configuration has such a message: stimuli: {%s: {text: …, seconds: …}}", given)
			}
		case strings.HasPrefix(word, "schema."):
			if name := strings.TrimPrefix(word, "schema."); d.Given() == nil || !d.Given().Has(name) {
				return d.leaveOut("it is judged only if you give a schema that defines %s: --schema FILE", name)
			}
		case strings.HasPrefix(word, "credential."):
			given := strings.TrimPrefix(word, "credential.")
			if slices.Contains(facts.Secrets, given) || slices.Contains(facts.Ways, given) {
				continue
			}
			// If the operator uses one of the ways that a card offers, the others are open.
			if judge.CredentialFlag(given) == "" || len(facts.Secrets) == 0 {
				return d.leaveOut("it is judged only if such a credential is configured (%s)", given)
			}
			d.openWay = given
		case name == "credential" && len(facts.Secrets) == 0:
			return d.leaveOut("it is judged only if a credential is configured")
		case word == "rate-limit" && facts.RateLimit == nil:
			return d.leaveOut("it is judged only if your configuration sets a rate limit: declares: {rateLimit: {requests: 5, seconds: 1}}")
		case !negated && name != "credential" && name != "rate-limit" && !slices.Contains(facts.Operator, word):
			return d.leaveOut("it is judged only if your configuration sets declares: {%s: true}", word)
		}
	}
	return false
}

func (d *decision) isDeclaredNever() bool {
	for _, need := range d.req.Needs {
		name, isStimulus := strings.CutPrefix(need, "stimulus.")
		if !isStimulus || !slices.Contains(d.runFacts().Never, name) {
			continue
		}
		if seen := d.FindBehaviour(name); seen != "" {
			d.r.Stopped = true
			return d.leaveUndecided(judge.SuggestRemovingNever(name), "%s", judge.DescribeDeniedButSeen(name, seen))
		}
		return d.leaveOut("%s", judge.DescribeDeclaredNever(name))
	}
	return false
}

func (d *decision) isNotClaimed() bool {
	if len(d.req.Claims) == 0 {
		return false
	}
	shown, ok := d.CardTrackingReads(d.req, &d.r.CheckResult)
	if !ok {
		d.r.Stopped = true
		return d.leaveUndecided("", "no agent card could be read, so the run does not know whether the server declares %s", card.Named(d.req.Claims...))
	}
	for _, claim := range d.req.Claims {
		claimed, err := d.ResolveClaim(claim, shown)
		if err != nil {
			d.r.Verdict, d.r.Reason = report.SuiteError, err.Error()
			return true
		}
		switch claimed {
		case card.No:
			return d.leaveOut("%s", card.NotDeclared(claim))
		case card.Unclear:
			what, _ := card.DescribeClaim(strings.TrimPrefix(claim, "no-"))
			d.r.Stopped = true
			return d.leaveUndecided("", "the card does not say whether the server has %s: the member that should say so is missing or has the wrong type", what)
		}
	}
	return false
}

func (d *decision) lacksOtherCredentials() bool {
	return d.openWay != "" && d.leaveUndecided(judge.CredentialFlag(d.openWay), "the card also accepts %s credentials, but none are configured", d.openWay)
}

// dependsOnOurFault books the prerequisites that do not hold: the check runs on what is left. It
// decides only if one of them could not be judged by a mistake of ours.
func (d *decision) dependsOnOurFault() bool {
	for _, id := range d.req.After {
		switch p := d.prerequisiteResult(id); p.Verdict {
		case report.Inconclusive:
			if !slices.Contains(d.runFacts().Held, id) {
				d.r.addPrerequisiteAndExcludeFailures(p)
			}
		case report.Fail, report.Waived:
			d.r.addPrerequisiteAndExcludeFailures(p)
		case report.SuiteError:
			return d.leaveUndecided("", "it depends on %s, on which a2a-conform itself failed: %s", id, p.Reason)
		}
	}
	return false
}

func (d *decision) lacksNeeds() bool {
	return slices.ContainsFunc(d.req.Needs, d.lacksNeed)
}

func (d *decision) lacksNeed(need string) bool {
	facts := d.runFacts()
	if d.OfClient() {
		return d.lacksClientNeed(need)
	}
	if name, ok := strings.CutPrefix(need, "stimulus."); ok {
		_, have := facts.Stimuli[name]
		return !have && !d.showedBehaviourUnasked(name) && d.leaveUndecided(judge.SuggestStimulusOrDenial(name), "%s", operator.NoStimulus(name))
	}
	cred, isCredential := strings.CutPrefix(need, "credential.")
	switch why := d.Transcript.NoAgent(); {
	case need == "task" && d.Talks():
		return d.leaveOut("%s", judge.NoTasks)
	case need == "agent" && why != "":
		return d.leaveOut("%s", why)
	case need == "webhook" && facts.Webhook == "":
		return d.leaveUndecided("--webhook-listen HOST:PORT", "this run offers the server no webhook to deliver to")
	case need == "credential" && len(facts.Secrets) == 0:
		return d.leaveUndecided(judge.CredentialFlags, "no credential is configured")
	case isCredential && !slices.Contains(facts.Secrets, cred):
		if cred == "low" && slices.Contains(facts.Never, "forbidden") { // all clients may do the same
			return d.leaveOut("%s", judge.DescribeDeclaredNever("forbidden"))
		}
		return d.leaveUndecided(fmt.Sprintf("auth: {%s: {bearer: ${…}}}", cred), "no %s credential is configured", cred)
	}
	return false
}

func (d *decision) isNotAllowed() bool {
	risk := d.req.Risk
	return risk != schema.Harmless && risk != "" && !slices.Contains(d.runFacts().Allow, string(risk)) &&
		d.leaveUndecided("--allow "+string(risk), "%s", risk.NeedsAllow())
}

// showedBehaviourUnasked reports whether the agent showed a behaviour without being asked for it: it
// answered the harmless message by a message, on which the conversation about that
// rests.
func (c *Decider) showedBehaviourUnasked(behaviour string) bool {
	p := c.Transcript.Play("talk")
	if behaviour != "message" || p == nil {
		return false
	}
	s := p.Step("send")
	return s != nil && s.Of != ""
}
