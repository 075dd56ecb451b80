package client

import (
	"errors"
	"fmt"
)

// A reportLine is a line of JSON by which the variant reporting shows what the client saw.
type reportLine struct {
	Saw       string `json:"saw,omitempty"`
	Cannot    string `json:"cannot,omitempty"`
	Name      string `json:"name,omitempty"`
	ID        string `json:"id,omitempty"`
	Task      string `json:"task,omitempty"`
	Context   string `json:"context,omitempty"`
	State     state  `json:"state,omitempty"`
	Text      string `json:"text,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Code      int    `json:"code,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
	Of        string `json:"of,omitempty"`
	Assembled bool   `json:"assembled,omitempty"`
}

// printReport prints a line of the variant reporting; nothing in another style.
func (p *printer) printReport(l reportLine) {
	if p.style == reportStyle {
		fmt.Fprintf(p.out, "%s\n", encodeJSON(l))
	}
}

// reportUpdate reports all that an update brought.
func (p *printer) reportUpdate(u update) {
	switch u.kind {
	case messageUpdate:
		p.printReport(reportLine{Saw: "message", ID: u.id, Context: u.context, Text: u.text})
	case taskUpdate:
		p.printReport(reportLine{Saw: "task", ID: u.task, Context: u.context, State: u.state})
		if u.text != "" {
			p.printReport(reportLine{Saw: "status", Task: u.task, State: u.state, Text: u.text})
		}
	case statusUpdate:
		p.printReport(reportLine{Saw: "status", Task: u.task, State: u.state, Text: u.text})
	}
	for _, a := range u.artifacts {
		p.printReport(reportLine{Saw: "artifact", ID: a.id, Task: u.task, Text: a.text})
	}
	for _, kind := range u.parts {
		p.printReport(reportLine{Saw: "part", Kind: kind})
	}
}

// reportError reports why something failed.
func (p *printer) reportError(err error) {
	line := reportLine{Saw: "error", Message: err.Error()}
	var refusal *rpcError
	if errors.As(err, &refusal) {
		line.Code, line.Name, line.Reason, line.Message = refusal.code, refusal.name, refusal.reason, refusal.message
	}
	p.printReport(line)
}

// reportEnd reports that a task, or another way to answer, has come to its end.
func (p *printer) reportEnd(t *taskView) {
	if t.state.isTerminal() || t.state == "" && len(t.messages) > 0 || p.questionIsEnd && t.state == inputRequired {
		p.printReport(reportLine{Saw: "end", Of: "task", Task: t.id})
	}
}

// listPartKinds returns the kinds of the parts of a message or an artifact: text, file, url or data.
func listPartKinds(parts []any) (kinds []string) {
	for _, p := range parts {
		for _, k := range []struct{ member, kind string }{{"text", "text"}, {"raw", "file"}, {"url", "url"}, {"data", "data"}} {
			if o, is := p.(object); is && o[k.member] != nil {
				kinds = append(kinds, k.kind)
			}
		}
		switch {
		case getMember(p, "file", "bytes") != nil:
			kinds = append(kinds, "file")
		case getMember(p, "file", "uri") != nil:
			kinds = append(kinds, "url")
		}
	}
	return kinds
}
