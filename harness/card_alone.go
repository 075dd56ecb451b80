package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// ReadCardFile reads a card from a file, whatever is in it.
func ReadCardFile(name string) (*record.Exchange, error) {
	f, err := schema.OpenFile(name)
	if err != nil {
		return nil, usageErrorf("%s: the file cannot be read: %v", redact.StripSecrets(name), unwrapPathError(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCardFile+1))
	if err != nil {
		return nil, usageErrorf("%s: the file cannot be read: %v", name, unwrapPathError(err))
	}
	if len(text) > maxCardFile {
		return nil, usageErrorf("%s: the file is larger than %d MiB; an agent card must be a JSON object of at most that size", name, maxCardFile>>20)
	}
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(filepath.Base(name))}
	return givenExchange(address.String(), text), nil
}

// givenExchange is the record of a document that came by no call of a run.
func givenExchange(address string, body []byte) *record.Exchange {
	return &record.Exchange{Dir: record.Given, URL: address, Ended: record.EOF,
		Response: record.Message{Body: body, Framing: record.Framing{Kind: "none", Declared: -1, Received: int64(len(body))}}}
}

// NoAnswerError is that a card could not be fetched since nothing answered.
type NoAnswerError struct{ Text string }

func (e *NoAnswerError) Error() string { return e.Text }

// FetchCard fetches the card at the target's URL by one call, as a document that came by no call of
// a run: it is judged as if it were a file. A URL without a path means today's well-known place.
func FetchCard(ctx context.Context, given operator.Target) (*record.Exchange, error) {
	if u, err := url.Parse(given.URL); err == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" {
		u.Path = "/.well-known/agent-card.json"
		given.URL = u.String()
	}
	r, err := newRunner(ctx, given, nil)
	if err != nil {
		return nil, err
	}
	defer r.client.Close()
	candidates, err := r.givenOrDetectableDialects()
	if err != nil {
		return nil, err
	}
	x := r.announceAndSendCall(ctx, client.Call{Method: http.MethodGet, URL: r.target.URL, Header: r.cardHeader(r.target.URL, candidates), Timeout: r.cardTimeout()}, nil)
	at := redact.StripSecrets(sanitizeAndShorten(r.target.URL))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !x.Answered():
		return nil, &NoAnswerError{fmt.Sprintf("no card was fetched: GET %s: %s", at, describeOutcome(x))}
	case x.Status() != http.StatusOK:
		return nil, usageErrorf("no card was fetched: GET %s: %s%s", at, describeOutcome(x), adviseStatus(x))
	case x.Ended == record.Limit || x.Ended == record.Timeout || x.Ended == record.Reset:
		return nil, usageErrorf("no whole card was fetched: GET %s: %s", at, describeOutcome(x))
	}
	r.redact.Exchange(x)
	return givenExchange(r.target.URL, x.Response.Body), nil
}

// adviseStatus returns what to do about a status of HTTP, to be read after it.
func adviseStatus(x *record.Exchange) string {
	switch x.Status() {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "; if the server asks for credentials, give " + credentialFlags
	case http.StatusNotFound, http.StatusGone:
		return "; give the URL of the card itself"
	}
	return ""
}

// DetectDialects returns the dialects of which a document is a card by its own members, the one to judge it by
// first. There are none if no known dialect fits.
func DetectDialects(root *record.Node) ([]string, error) {
	outlines, err := detectableDialects()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range outlines {
		if c := card.Of(d, root); c.MayBe() && c.IsOfDialect() {
			names = append(names, d.Name)
		}
	}
	return names, nil
}

// DescribeCardVersion describes which version a card states, as the end of a sentence about an agent
// card.
func DescribeCardVersion(root *record.Node) string { return describeVersion(root) }
