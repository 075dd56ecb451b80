package client

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// checkService judges whether each call of gRPC is one of a method of the service.
func checkService(t *judge.T, _ struct{}) {
	judge.Each(t, t.Calls(), func(r judge.Request) {
		if !binding.IsCalledPath(r.By, r.Exchange) {
			t.Fail(r.Head(report.StatusLine), "called "+describePath(r), "a method of "+t.Case.Dialect.Bindings[r.By.Name()].Service)
		}
		t.OK(r.Head(report.StatusLine))
	})
}

// describePath returns the path of a call for people.
func describePath(r judge.Request) string {
	_, rest, _ := strings.Cut(string(r.Exchange.Request.Head), " ")
	path, _, _ := strings.Cut(rest, " ")
	return shorten.Visible(shorten.Clip(path, 100), 100)
}

// wrongBytes lists the faults that no writer with the proto file makes.
var wrongBytes = []binding.MessageFaultKind{binding.MessageMalformed, binding.BadText, binding.WrongWireType, binding.SeveralOfOne}

// checkMessages judges whether the message of each call of gRPC is as the proto file has it. An unknown field is a finding, since
// a later version may have it.
func checkMessages(t *judge.T, _ struct{}) {
	all := slices.DeleteFunc(t.Calls(), func(r judge.Request) bool {
		return !binding.IsCalledPath(r.By, r.Exchange) || !slices.Contains([]string{"", "identity", "gzip"}, r.Header().Get("Grpc-Encoding"))
	})
	if len(all) == 0 {
		t.StopVacuous("the client called no method of the service with a message that can be read here")
	}
	judge.Each(t, all, func(r judge.Request) {
		due := "one message that the proto file describes"
		switch messages := r.Exchange.Request.GRPCMessages(); {
		case len(messages) != 1:
			t.Fail(r.Call, fmt.Sprintf("sent %d messages with a call", len(messages)), due)
		case !messages[0].Sound():
			t.Fail(r.Call, "sent a message that cannot be read: "+shorten.Visible(messages[0].Fault, 120), due)
		}
		unknown := false
		for _, f := range binding.SentMessageFaults(r.By, r.Exchange) {
			at := r.Call
			if v := r.Call.At(f.Pointer); v.Exists() {
				at = v
			}
			detail := shorten.Visible(shorten.Clip(f.Pointer+" "+f.Detail, 120), 120)
			switch {
			case slices.Contains(wrongBytes, f.Kind):
				t.Fail(at, "sent a message that is not as the proto file has it: "+strings.TrimSpace(detail), due)
			case f.Kind == binding.UnknownField && !unknown:
				unknown = true
				t.Finding(at, "the client sends fields that the proto file does not have: %s", strings.TrimSpace(detail))
			}
		}
		t.OK(r.Call)
	})
}

// requiredFieldParams name what requests have to have.
type requiredFieldParams struct {
	Fields map[string][]string `json:"fields"` // members as they are written, by operation; one is there if it is not empty
}

// checkRequiredFields judges whether the requests of gRPC have the fields without which they are about nothing.
func checkRequiredFields(t *judge.T, p requiredFieldParams) {
	all := slices.DeleteFunc(t.Calls(), func(r judge.Request) bool { return len(p.Fields[r.Op]) == 0 || !r.Call.IsObject() })
	if len(all) == 0 {
		t.StopVacuous("the client made no call that needs a field")
	}
	judge.Each(t, all, func(r judge.Request) {
		for _, name := range p.Fields[r.Op] {
			v := r.Call.At("/" + name)
			if !v.Exists() || v.IsNull() || v.IsString() && v.Text() == "" {
				t.Fail(r.Call, fmt.Sprintf("called %s without `%s`", r.By.Title(r.Op), name), "a value of `"+name+"`")
			}
		}
		t.OK(r.Call)
	})
}

// metadataParams name metadata, and the place in messages in which they are misplaced.
type metadataParams struct {
	Names  []string `json:"names"`
	Within []string `json:"within"` // members with free content
}

// checkMetadata judges whether what belongs into the metadata of calls is there and not in their messages.
func checkMetadata(t *judge.T, p metadataParams) {
	seen := 0
	judge.Each(t, t.Calls(), func(r judge.Request) {
		for _, name := range p.Names {
			there := len(r.Header()[http.CanonicalHeaderKey(name)]) > 0
			for _, at := range p.Within {
				for member, v := range r.Call.MemberAt("/" + at).Members() {
					if foldName(member) == foldName(name) && !there {
						t.Fail(v, "sent "+describeValue(v)+" in `"+strings.ReplaceAll(at, "/", ".")+"`", "the metadata `"+strings.ToLower(name)+"`")
					}
				}
			}
			if there {
				seen++
			}
		}
		t.OK(r.Head(report.StatusLine))
	})
	if seen == 0 {
		t.StopVacuous("no call of the client has such a value in any place")
	}
}

// checkGRPCForm judges whether the head of each call has the form that gRPC gives it.
func checkGRPCForm(t *judge.T, _ struct{}) {
	judge.Each(t, t.Calls(), func(r judge.Request) {
		media := record.ParseMediaType(r.Header().Get("Content-Type"))
		switch {
		case r.Method() != http.MethodPost:
			t.Fail(r.Head(report.StatusLine), "sent a call by "+shorten.Visible(shorten.Clip(r.Method(), 20), 20), http.MethodPost)
		case !record.IsGRPC(media):
			t.Fail(r.Head("Content-Type"), "sent a call of the type "+shorten.Visible(shorten.Clip(media, 60), 60), "application/grpc")
		case r.Header().Get("Te") != "trailers":
			t.Fail(r.Head("Te"), "sent a call without te: trailers", "te: trailers")
		}
		t.OK(r.Head(report.StatusLine))
	})
}
