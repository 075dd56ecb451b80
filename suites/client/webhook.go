package client

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// webhookParams name the places of webhooks in requests, and of what belongs to one.
type webhookParams struct {
	Ops     []string `json:"ops"`     // that register a webhook by themselves
	At      string   `json:"at"`      // its pointer in their parameters
	Message string   `json:"message"` // its pointer in those of a call that sends a message
	Task    []string `json:"task"`    // for own: the pointers of what names the task, or the message that makes one
	What    string   `json:"what"`    // address, that it has one; secure, that it is called by TLS; schemes, that its authentication names them; own, that its secrets are its own
	Word    bool     `json:"word"`    // the schemes are one text, and no list
	URL     string   `json:"url"`     // the member of a webhook that is its address
	Schemes string   `json:"schemes"` // the pointer of its schemes in it
	Secrets []string `json:"secrets"` // the pointers of its secrets in it
}

// A webhook is one that the client registers.
type webhook struct {
	judge.Value
	of string // what it belongs to: the task, or the message that makes one
}

// checkWebhooks judges what the client registers to be called by the agent.
func checkWebhooks(t *judge.T, p webhookParams) {
	all := listWebhooks(t, p)
	if len(all) == 0 {
		t.Calls(p.Ops...) // it may register none anywhere
		t.StopVacuous("the client registered no webhook")
	}
	switch p.What {
	case "address":
		judgeAddressesOfWebhooks(t, p, all)
	case "secure":
		judgeSecureWebhooks(t, p, all)
	case "schemes":
		judgeSchemesOfWebhooks(t, p, all)
	case "own":
		judgeSecretsOfWebhooks(t, p, all)
	default:
		panic(fmt.Errorf("there is no sentence %q about webhooks", p.What))
	}
}

// listWebhooks returns what the client registered, in the order in which it did.
func listWebhooks(t *judge.T, p webhookParams) (out []webhook) {
	for _, r := range t.Requests(func(r judge.Request) bool { return r.IsCall() && t.Requirement.For(r.By.Kind()) }) {
		at, of := p.At, ""
		switch {
		case r.Op == "":
			continue
		case t.Case.Dialect.Operation(r.Op).Agent:
			at, of = p.Message, nameMadeTask(r)
		case !slices.Contains(p.Ops, r.Op):
			continue
		}
		v := r.Params.At(at)
		if !v.IsObject() {
			continue
		}
		for _, name := range p.Task {
			if of != "" {
				break
			}
			of = r.Params.At(name).Text()
		}
		out = append(out, webhook{v, cmp.Or(of, r.Play.Scenario)})
	}
	return out
}

// nameMadeTask returns the id of the task in our answer to a message; "" if it names none. A client may register the webhook of that
// message for the task once more.
func nameMadeTask(r judge.Request) string {
	for _, d := range r.Delivered() {
		if d.Task != "" {
			return d.Task
		}
	}
	return ""
}

// checkWebhookPlace judges whether messages to a task that there is register no webhook.
func checkWebhookPlace(t *judge.T, p struct {
	Message string `json:"message"` // the pointer of a webhook in the parameters of a message
	Task    string `json:"task"`    // that of the task
}) {
	all := listWebhooks(t, webhookParams{Message: p.Message})
	if len(all) == 0 {
		t.StopVacuous("the client registered no webhook with a message")
	}
	type given struct {
		*record.Play
		task string
	}
	first := map[given]record.Instant{} // when a task was first shown to a start of the client
	for _, s := range t.AllStarts() {
		for _, d := range s.Delivered() {
			is := given{s.Play, d.Task}
			if at, had := first[is]; d.Task != "" && (!had || d.At < at) {
				first[is] = d.At
			}
		}
	}
	judge.Each(t, t.Requests(func(r judge.Request) bool { return r.IsCall() && r.Params.At(p.Message).IsObject() }), func(r judge.Request) {
		at := r.Params.At(p.Message)
		task := r.Params.At(p.Task)
		if since, had := first[given{r.Play, task.Text()}]; had && since <= r.Exchange.Start {
			t.Fail(at, "sent `"+shorten.Visible(at.Member(), 40)+"` with a message to a task that there is", "a call that sets it, as for any task that there is", task)
		}
		t.OK(at)
	})
}

// judgeAddressesOfWebhooks judges whether each webhook has a URL.
func judgeAddressesOfWebhooks(t *judge.T, p webhookParams, all []webhook) {
	judge.Each(t, all, func(w webhook) {
		v := w.MemberAt("/" + p.URL)
		u, err := url.Parse(v.Text())
		switch {
		case !v.Exists():
			t.Fail(v, v.Lacking(), "an absolute http or https URL")
		case err != nil || u.Host == "" || u.Scheme == "":
			t.Fail(v, "sent "+describeValue(v), "an absolute http or https URL")
		case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
			t.Tolerate(v, "the client sent %s; expected an http or https URL", describeValue(v))
		}
		t.OK(v)
	})
}

// judgeSecureWebhooks judges whether webhooks are called by TLS, unless they are on the client's own machine.
func judgeSecureWebhooks(t *judge.T, p webhookParams, all []webhook) {
	judge.Each(t, all, func(w webhook) {
		v := w.MemberAt("/" + p.URL)
		u, err := url.Parse(v.Text())
		if err != nil || u.Host == "" { // which the sentence on the address judges
			t.StopVacuous("a webhook has no address")
		}
		if !strings.EqualFold(u.Scheme, "https") && !card.Loopback(u.Hostname()) {
			t.Fail(v, "sent "+describeValue(v), "an address that is called by https")
		}
		t.OK(v)
	})
}

// judgeSchemesOfWebhooks judges whether webhooks with an authentication name its schemes.
func judgeSchemesOfWebhooks(t *judge.T, p webhookParams, all []webhook) {
	seen := 0
	judge.Each(t, all, func(w webhook) {
		holder := w.At(p.Schemes[:strings.LastIndexByte(p.Schemes, '/')])
		if !holder.IsObject() {
			return
		}
		seen++
		v, due := w.At(p.Schemes), "a list of schemes"
		if p.Word {
			due = "the name of a scheme"
		}
		if !v.IsArray() && !p.Word || p.Word && v.Text() == "" {
			got := v.Lacking()
			if v.Exists() {
				got = "sent " + describeValue(v)
			}
			t.Fail(v, got, due)
		}
		t.OK(holder)
	})
	if seen == 0 {
		t.StopVacuous("no webhook of the client has an authentication")
	}
}

// judgeSecretsOfWebhooks judges whether webhooks of different tasks have different secrets.
func judgeSecretsOfWebhooks(t *judge.T, p webhookParams, all []webhook) {
	pairs := 0
	judge.Each(t, all, func(b webhook) {
		for _, a := range all {
			if a.Exchange() == b.Exchange() {
				break
			}
			if a.of == b.of {
				continue
			}
			for _, at := range p.Secrets {
				before, now := a.At(at), b.At(at)
				if before.Text() == "" || now.Text() == "" {
					continue
				}
				pairs++
				if before.Text() == now.Text() {
					t.Fail(now, "sent `"+shorten.Visible(now.Member(), 40)+"` with the text of the webhook of another task", "a secret of its own", before)
				}
			}
		}
		t.OK(b.Value)
	})
	if pairs == 0 {
		t.StopVacuous("the client registered no two webhooks with such secrets")
	}
}
