package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
)

// recording is a run that was written down.
type recording struct {
	transcript *record.Transcript
	dialect    *schema.Dialect // nil if the run did not find it out
}

// recordedCall is a call of a run that is to be made again.
type recordedCall struct {
	client.Call
	name      string          // what it was, for people
	op        string          // of the dialect; "" if it called none
	by        binding.Binding // by which the answer is read
	anonymous bool            // it was made in the name of a client without our credentials
	shown     []string        // the credentials that it showed
	kept      []string        // those of the operator's, whose values the recording has not
}

// rebuildCall returns a recorded call as it is to be sent: in the binding of that name, to the
// endpoint at that URL. If either is empty, it is what was recorded.
func (r *recording) rebuildCall(x *record.Exchange, bindingName, endpoint string) (*recordedCall, error) {
	step, play := r.transcript.StepOf(x)
	if step == nil {
		step, play = &record.Step{}, &record.Play{}
	}
	spoken := play.Subject.Binding
	if all := r.transcript.Facts.Bindings; spoken == "" && len(all) > 0 {
		spoken = all[0]
	}
	by := binding.ByNameOrDefault(r.dialect, spoken)
	method, _, _ := strings.Cut(string(x.Request.Head), " ")
	switch {
	case method == "" || x.Ended == record.Unsent:
		return nil, errors.New("it was not sent in that run, so there is nothing to send again")
	case x.Request.Recipe != nil:
		return nil, fmt.Errorf("the recording does not contain its body of %d bytes; run the conversation again", x.Request.Recipe.Size)
	}
	c := &recordedCall{op: step.Op, by: by, anonymous: step.As == record.Nobody || step.As == record.Stranger, kept: r.transcript.Facts.Secrets}
	c.name = fmt.Sprintf("exchange %d", x.ID)
	if play.Scenario != "" {
		c.name += ", " + safetext.OneLine(play.Scenario+"/"+step.Name)
	}
	header := c.stripAndNoteCredentials(&x.Request)
	document := step.Op == "card" || step.Op == "document"
	if bindingName != "" {
		to, err := r.findBinding(bindingName)
		if err != nil {
			return nil, err
		}
		if document {
			return nil, fmt.Errorf("it fetches a document, and %s has no operation for that; leave --binding out", bindingName)
		}
		if to.Name() != by.Name() {
			return c, r.inAnother(c, x, to, endpoint, header)
		}
	}
	if x.HTTP2 != nil && !document && r.dialect != nil { // the record has no frames of ours, which the binding makes again
		if endpoint == "" {
			endpoint = r.recordedBase(x, by)
		}
		return c, r.inAnother(c, x, by, endpoint, header)
	}
	if !document && r.dialect != nil {
		c.name += ", by " + safetext.OneLine(by.Name())
	}
	c.Call = client.Call{Method: method, URL: x.URL, Header: header, Body: x.Request.Body}
	if endpoint != "" {
		var err error
		c.URL, err = r.urlAtEndpoint(x, by, document, endpoint)
		return c, err
	}
	return c, nil
}

// findBinding returns a binding that the dialect has.
func (r *recording) findBinding(name string) (binding.Binding, error) {
	if r.dialect == nil {
		return nil, errors.New("--binding: the run did not recognise the server's protocol; leave --binding out")
	}
	if known := binding.Names(r.dialect); !slices.Contains(known, name) {
		return nil, fmt.Errorf("--binding: %s", schema.Unknown("binding", name, known))
	}
	return binding.ByNameOrDefault(r.dialect, name), nil
}

// inAnother states the operation of a call in a binding.
func (r *recording) inAnother(c *recordedCall, x *record.Exchange, to binding.Binding, endpoint string, header http.Header) error {
	sent := c.by.Sent(x)
	switch {
	case len(sent.Calls) > 0:
		return fmt.Errorf("it is a batch of calls, and %s has no batches; leave --binding out", to.Name())
	case sent.Op == "":
		return fmt.Errorf("it calls an operation that %s does not have, so it can only be sent as recorded: leave --binding out", r.dialect.Title)
	case to.Title(sent.Op) == "":
		return fmt.Errorf("%s does not have the operation %s", to.Name(), sent.Op)
	}
	if endpoint == "" {
		if endpoint = r.findBindingEndpoint(to.Name()); endpoint == "" {
			return fmt.Errorf("the recorded card lists no endpoint on the server's own host for %s; name one with --url URL", to.Name())
		}
	}
	request := binding.Request{Op: sent.Op}
	if sent.Params != nil {
		request.Params = sent.Params.Interface()
	}
	if request.ID = "call-again"; sent.ID != nil && sent.ID.Kind != record.Null {
		request.ID = sent.ID.Interface()
	}
	call, err := to.Encode(endpoint, request)
	if err != nil {
		return fmt.Errorf("it cannot be expressed in %s: %w", to.Name(), err)
	}
	// What goes with the operation however it travels is sent as it was, or left out as
	// it was.
	for name := range r.dialect.Headers {
		if header.Values(name) == nil {
			call.Header.Del(name)
		}
	}
	for name, values := range header {
		if name != "Content-Type" && name != "Accept" {
			call.Header[name] = values
		}
	}
	c.Call, c.by, c.op = call, to, sent.Op
	c.name += ", " + sent.Op + " by " + to.Name()
	return nil
}

// findBindingEndpoint returns the URL of a binding on the recorded card, if it is on the host that was judged.
func (r *recording) findBindingEndpoint(bindingName string) string {
	target, err := url.Parse(r.transcript.Facts.Target)
	if err != nil {
		return ""
	}
	if at := r.transcript.Facts.Endpoints[bindingName]; at != "" { // the endpoint that the run found
		return at
	}
	for _, p := range r.transcript.Plays {
		for _, s := range p.Steps {
			if p.Scenario != "card" || s.Op != "card" || !s.Exchange.Obtained() {
				continue
			}
			for _, i := range card.Of(r.dialect, s.Exchange.Reply().Root).Interfaces() {
				at, err := target.Parse(i.URL())
				if err == nil && i.Transport() == bindingName && i.URL() != "" && at.Hostname() == target.Hostname() {
					return at.String()
				}
			}
		}
	}
	return ""
}

// urlAtEndpoint returns the address of a recorded call at another endpoint: what came after the old
// one comes after the new one. A document lies next to the endpoint, and keeps its path.
func (r *recording) urlAtEndpoint(x *record.Exchange, by binding.Binding, document bool, endpoint string) (string, error) {
	to, err := url.Parse(endpoint)
	if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
		return "", fmt.Errorf("--url %q is not an http or https URL; write it like http://localhost:9999", endpoint)
	}
	was, err := url.Parse(x.URL)
	if err != nil {
		return "", errors.New("the recorded address is not a URL")
	}
	if document {
		to.Path, to.RawPath, to.RawQuery = was.Path, was.RawPath, was.RawQuery
		return to.String(), nil
	}
	if sent := by.Sent(x); sent.Framed {
		return endpoint, nil
	}
	old := ""
	for _, base := range []string{r.transcript.Facts.RPC, r.findBindingEndpoint(by.Name()), r.recordedBase(x, by)} {
		if base = strings.TrimSuffix(base, "/"); base != "" && strings.HasPrefix(x.URL, base+"/") && len(base) > len(old) {
			old = base
		}
	}
	if old == "" {
		return "", errors.New("it is unclear which part of the recorded address is the endpoint, so --url cannot replace it; leave --url out")
	}
	return strings.TrimSuffix(endpoint, "/") + strings.TrimPrefix(x.URL, old), nil
}

// recordedBase returns what comes before that part of an address by which a binding names the
// operation.
func (r *recording) recordedBase(x *record.Exchange, by binding.Binding) string {
	sent := by.Sent(x)
	if sent.Op == "" {
		return ""
	}
	request := binding.Request{Op: sent.Op}
	if sent.Params != nil {
		request.Params = sent.Params.Interface()
	}
	const here = "http://here.invalid"
	call, err := by.Encode(here, request)
	path, _, _ := strings.Cut(strings.TrimPrefix(call.URL, here), "?")
	was, _, _ := strings.Cut(x.URL, "?")
	if base, ok := strings.CutSuffix(was, path); ok && err == nil && path != "" {
		return base
	}
	return ""
}

// secretMark is in a recording for a secret.
var secretMark = regexp.MustCompile(`⟦secret:([^⟦⟧]{1,64})⟧`)

// skippedHeaders are header fields that follow from the request or the connection.
var skippedHeaders = []string{"Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "User-Agent", "Te", "Trailer", "Upgrade"}

// stripAndNoteCredentials returns the fields of a recorded call that are sent again: all but those that show a
// credential, which the recording has not.
func (c *recordedCall) stripAndNoteCredentials(m *record.Message) http.Header {
	out := m.Header()
	for name, values := range out {
		for _, v := range values {
			for _, found := range secretMark.FindAllStringSubmatch(v, -1) {
				if !slices.Contains(c.shown, found[1]) {
					c.shown = append(c.shown, found[1])
				}
			}
		}
		if strings.HasPrefix(name, ":") || slices.Contains(skippedHeaders, name) || slices.ContainsFunc(values, secretMark.MatchString) {
			delete(out, name)
		}
	}
	return out
}

// placeholderSecret takes the place of what the run made up and the recording has not, such as the
// credential that a server was to show to our webhook.
const placeholderSecret = "made-up-for-this-call"

// fillBodySecrets replaces the placeholders in address and body with the credentials of the flags.
func (c *recordedCall) fillBodySecrets(t conform.Target) error {
	values := map[string]string{"bearer": t.Bearer, "api-key": t.APIKey, "basic": t.Basic}
	var lacks string
	fill := func(text []byte) []byte {
		return secretMark.ReplaceAllFunc(text, func(found []byte) []byte {
			name := string(secretMark.FindSubmatch(found)[1])
			value := values[name]
			switch {
			case value != "" && name == "basic":
				value = base64.StdEncoding.EncodeToString([]byte(value))
			case value == "" && !slices.Contains(c.kept, name):
				value = placeholderSecret
			case value == "":
				lacks = name
			}
			return []byte(value)
		})
	}
	if unescaped, err := url.PathUnescape(c.URL); err == nil && secretMark.MatchString(unescaped) {
		return errors.New("its address contains a credential, and recordings do not contain credentials; give the address with --url URL")
	}
	c.Body = fill(c.Body)
	if lacks != "" {
		return fmt.Errorf("its body contains the credential %s, and recordings do not contain credentials; give it with --bearer-env, --basic-env or --api-key-env", safetext.OneLine(lacks))
	}
	return nil
}

// missingSecrets returns the credentials that the recorded call showed and this one does not.
func (c *recordedCall) missingSecrets(t conform.Target) (out []string) {
	if c.anonymous || t.Bearer+t.Basic+t.APIKey != "" || len(t.Header) > 0 || t.Cert != "" {
		return nil
	}
	for _, name := range c.shown {
		if slices.Contains(c.kept, name) {
			out = append(out, name)
		}
	}
	return out
}

// describeAnswer states in a few words what an answer is.
func (c *recordedCall) describeAnswer(x *record.Exchange) string {
	status := fmt.Sprintf("HTTP %d", x.Status())
	how := ""
	switch x.Ended {
	case record.EOF, record.OurClose:
	case record.Timeout:
		how = ", and did not end within --timeout"
	case record.Aborted:
		how = ", and was interrupted"
	case record.Limit:
		how = ", and was larger than is kept"
	default:
		how = ", and broke off"
	}
	if x.IsStream() {
		return fmt.Sprintf("%s, a stream of %d events%s", status, len(x.Events()), how)
	}
	if c.op == "card" || c.op == "document" {
		return status + how
	}
	a := c.by.Decode(c.op, x)
	switch {
	case len(a.Names) > 0:
		status += ", the error " + strings.Join(a.Names, " or ")
	case a.Failure.Exists():
		status += ", an error that the protocol does not name"
	case a.Result.Exists():
		status += ", a result"
	default:
		status += ", not an answer of the protocol"
	}
	return status + how
}
