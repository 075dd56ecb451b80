package card

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

type interfaceParams struct {
	Step     string `json:"step" step:"{}"`      // a call at the endpoint that the run goes by
	Scenario string `json:"scenario" step:"{}/"` // which calls the others
}

// isAnyStatusJSONObject reports whether a step was answered with a JSON document. The response of a
// framework to an unknown path is not an answer of the protocol, whatever its form.
func isAnyStatusJSONObject(s judge.Step) bool {
	kind := s.Exchange.Response.MediaType()
	return s.Exchange.Answered() && (kind == "application/json" || strings.HasSuffix(kind, "+json")) && s.Reply().IsObject()
}

// showsTask reports whether the paths of REST led to a task.
func showsTask(s judge.Step, task string) bool {
	return isAnyStatusJSONObject(s) && s.Exchange.Status() == 200 && observe.Mentions(s.Reply().Node(), task)
}

// checkPreferredAnswers judges the transports that the suite can speak.
func checkPreferredAnswers(t *judge.T, p interfaceParams) {
	at := t.Case.Dialect.Card.Interfaces
	card := t.Card()
	switch preferred := t.Case.ReadCard(card).Preferred().Transport(); preferred {
	case cmp.Or(t.Case.Binding().Name(), at.Speaks):
		s := t.Step(p.Step)
		t.Expect(s.Reply()).To(match.BeAReply(t))
	case at.REST:
		s := t.Step(p.Scenario + "/rest")
		if here := t.Step(p.Scenario + "/here"); !here.Accepted() || showsTask(s, here.Task) {
			t.OK(s.Head())
			return
		}
		t.Fail(card.At(at.Preferred), fmt.Sprintf("prefers %s, and answered a GET of a task by its paths with HTTP status %d %s", preferred, s.Exchange.Status(), s.Exchange.Response.MediaType()),
			"the preferred transport to be served at the card's url")
	default:
		t.StopVacuous("a2a-conform does not speak %s", preferred)
	}
}

// checkEndpointsAnswer judges endpoints on the target's own host; the run does not call others.
func checkEndpointsAnswer(t *judge.T, p interfaceParams) {
	at := t.Case.Dialect.Card.Interfaces
	of := judge.Filter(append([]judge.Step{t.Step(p.Step)}, t.Played(p.Scenario)...), func(s judge.Step) bool { return s.Play.Scenario != p.Scenario || strings.HasPrefix(s.Name, "answers-") })
	observe.StopVacuousIf(t, len(t.Case.ReadCard(t.Card()).Listed()) == 0, "the card lists no interfaces")
	judge.Each(t, of, func(s judge.Step) {
		if s.Op == "document" {
			if !isAnyStatusJSONObject(s) {
				t.Fail(s.Head().Header(report.StatusLine), fmt.Sprintf("answered HTTP status %d at %s, which the card lists as %s", s.Exchange.Status(), shorten.Visible(s.Exchange.URL, 120), at.REST), "an answer of that transport")
			}
			t.OK(s.Head())
			return
		}
		t.Expect(s.Reply()).To(match.BeAReply(t))
	})
}

// checkServedRESTDeclared takes a task in the response to a REST path as proof that REST is
// served; an error is none.
func checkServedRESTDeclared(t *judge.T, p interfaceParams) {
	at := t.Case.Dialect.Card.Interfaces
	here, s := t.Step(p.Scenario+"/here"), t.Step(p.Scenario+"/rest")
	observe.RequireAccepted(t, here, "the task could not be looked up")
	read := t.Case.ReadCard(t.Card())
	declared := slices.ContainsFunc(append(read.Listed(), read.Preferred()), func(i card.Interface) bool { return i.Transport() == at.REST })
	if showsTask(s, here.Task) && !declared {
		t.Fail(s.Reply(), "shows the task by the paths of "+at.REST+", which its card does not list", "every transport that is served on the card")
	}
	t.OK(s.Head())
}

type sameParams struct {
	Here   string   `json:"here" step:"{}"`
	There  string   `json:"there" step:"{}"`
	Of     []string `json:"of"`     // names of places, such as task.state
	Ignore []string `json:"ignore"` // members that may differ from look to look
}

func checkSameTask(t *judge.T, p sameParams) {
	here := t.Step(p.Here).Result()
	there := t.Step(p.There)
	if len(p.Of) > 0 && p.Of[0] == "task.id" {
		t.Expect(there.Reply()).To(match.BeAResult())
	}
	for _, what := range p.Of {
		a, b := here.Read(what), there.Result().Read(what)
		t.Expect(b).ComparedWith(a).To(match.Should("the same "+strings.TrimPrefix(what, "task.")+" as at the other endpoint", func(judge.Value) bool {
			if !a.Exists() || !b.Exists() {
				return a.Exists() == b.Exists()
			}
			return fmt.Sprint(observe.DropMembers(a.Node().Interface(), p.Ignore)) == fmt.Sprint(observe.DropMembers(b.Node().Interface(), p.Ignore))
		}, func(v judge.Value) string { return "shows at one endpoint " + v.Named() }))
	}
}

func checkSameError(t *judge.T, p sameParams) {
	here, there := t.Step(p.Here).Reply(), t.Step(p.There).Reply()
	observe.StopUndecidedIf(t, !match.IsError(here), "the call %s was not answered with an error", p.Here)
	t.Expect(there.ErrorCode()).ComparedWith(here.ErrorCode()).To(match.Should("the same code as at the other endpoint, "+here.ErrorCode().Shown(), here.ErrorCode().Equal, nil))
}
