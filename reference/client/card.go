package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	jsonrpcBinding = "JSONRPC"
	restBinding    = "HTTP+JSON"
	newCardPath    = "/.well-known/agent-card.json"
	oldCardPath    = "/.well-known/agent.json"
)

// An endpoint is an address of the agent, as the card lists it.
type endpoint struct {
	url, binding, version, tenant string
}

// A card is what the client needs of an agent card.
type card struct {
	lists      endpoint // of HTTP+JSON, for a variant that lists tasks; the zero value for none
	document   object
	endpoints  []endpoint // that the client can use, in order
	streaming  bool
	push       bool
	extended   bool
	extensions []string // URIs that are activated
}

// discoverAgent fetches the card, and chooses the interfaces.
func (s *session) discoverAgent() error {
	if s.dialect.findAgent != nil {
		return s.dialect.findAgent(s)
	}
	if s.habits.bothPaths {
		_, _ = s.fetchCard(oldCardPath)
	}
	document, err := s.fetchCard(cmp.Or(s.habits.cardPath, s.dialect.cardPath))
	if err == nil && !(s.habits.firstCardStays && s.card != nil) {
		err = s.readCard(document)
	}
	if err != nil && s.habits.cardFallback {
		s.card, err = &card{endpoints: []endpoint{{url: s.options.URL}}}, nil
	}
	if err != nil {
		return fmt.Errorf("the agent card cannot be used: %w", err)
	}
	s.printCard()
	return nil
}

// fetchCard gets the document at a well-known path below the base URL. It sends no
// credentials, and follows redirects.
func (s *session) fetchCard(path string) (object, error) {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, strings.TrimRight(s.options.URL, "/")+path, nil)
	if err != nil {
		return nil, err
	}
	kept := s.kept[path]
	if s.habits.freshCardFetched && kept.isFresh() {
		kept = nil
	}
	if kept.isFresh() {
		return s.decodeCard(path, kept.body)
	}
	r.Header.Set("Accept", "application/json")
	if !s.habits.cardUnconditional {
		kept.addConditions(r)
	}
	if s.habits.credentialsEverywhere {
		s.addCredentials(r, s.options.Credentials.listAll())
	}
	client := *s.http
	client.CheckRedirect = func(_ *http.Request, via []*http.Request) error {
		if len(via) > maxCardRedirects || s.habits.cardStays {
			return errors.New("too many redirects")
		}
		return nil
	}
	reply, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	if kept != nil && reply.StatusCode == http.StatusNotModified {
		if s.habits.unchangedCardFatal {
			s.card = nil
			return s.decodeCard(path, nil)
		}
		kept.renewFreshness(reply.Header)
		return s.decodeCard(path, kept.body)
	}
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", path, reply.Status)
	}
	body, err := readBody(reply.Body, maxCard)
	if err != nil {
		return nil, err
	}
	if s.habits.keepsCard {
		s.kept[path] = keepCard(reply.Header, body)
	}
	return s.decodeCard(path, body)
}

// decodeCard reads the text of a card, and verifies it.
func (s *session) decodeCard(path string, body []byte) (document object, err error) {
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, fmt.Errorf("%s is no JSON object: %w", path, err)
	}
	return document, s.verifyCard(document, body)
}

// readCard takes from a card what the client needs.
func (s *session) readCard(document object) error {
	if s.habits.refuseCard != nil {
		if err := s.habits.refuseCard(document); err != nil {
			return err
		}
	}
	c := &card{
		document:  document,
		streaming: getFlag(document, "capabilities", "streaming"),
		push:      getFlag(document, "capabilities", "pushNotifications"),
		extended:  getFlag(document, s.dialect.extendedPath...),
	}
	for _, v := range getList(document, "capabilities", "extensions") {
		uri := getText(v, "uri")
		switch {
		case slices.Contains(s.options.Extensions, uri) || s.habits.allExtensions:
			c.extensions = append(c.extensions, uri)
		case getFlag(v, "required"):
			return fmt.Errorf("the agent requires the extension %s, which this client does not know", uri)
		}
	}
	all := s.dialect.listEndpoints(document)
	for _, e := range all {
		if s.canUseEndpoint(e) {
			c.endpoints = append(c.endpoints, e)
		}
	}
	if i := slices.IndexFunc(all, func(e endpoint) bool { return e.binding == restBinding }); i >= 0 && s.habits.lists {
		c.lists = all[i]
	}
	if s.habits.chooseEndpoints != nil {
		c.endpoints = s.habits.chooseEndpoints(s, all, c.endpoints)
	}
	if len(c.endpoints) == 0 {
		return fmt.Errorf("no interface for %s over %s is declared", s.dialect.name, strings.Join(s.habits.bindings, " or "))
	}
	s.card = c
	return nil
}

var majorMinor = regexp.MustCompile(`^(\d+\.\d+)(\.\d+)*$`)

// canUseEndpoint reports whether the client has the binding and the version of an interface,
// whose address has to be a URL. The patch number plays no role (section 3.6).
func (s *session) canUseEndpoint(e endpoint) bool {
	if e.binding == grpcBinding {
		if _, err := readTarget(e.url); err != nil || !slices.Contains(s.habits.bindings, grpcBinding) {
			return false
		}
	} else if u, err := url.Parse(e.url); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !slices.Contains(s.habits.bindings, e.binding) {
		return false
	}
	if s.dialect.version == "" {
		return true
	}
	m := majorMinor.FindStringSubmatch(e.version)
	return m != nil && m[1] == s.dialect.version
}

// readExtendedCard asks for the extended card in the variant that does so, if the card
// declares one. It takes the place of the public card; without it, that one is kept.
func (s *session) readExtendedCard() error {
	if !s.habits.extendedCard || !s.card.extended && !s.habits.extendedUndeclared {
		return nil
	}
	return s.fetchExtendedCard()
}

// fetchExtendedCard has the extended card take the place of the public one, if the agent gives it.
func (s *session) fetchExtendedCard() error {
	var refusal *rpcError
	result, err := s.callForResult(extendedCard, object{})
	switch {
	case errors.As(err, &refusal) && s.habits.style != reportStyle:
		return nil
	case err != nil:
		return err
	case s.habits.extendedIgnored || s.readCard(result) != nil:
		return nil
	}
	s.printCard()
	return nil
}

// printCard prints the name of the agent and the address that is called, in the chatty style.
func (s *session) printCard() {
	s.printer.printReport(reportLine{Saw: "card", Name: getText(s.card.document, "name")})
	if s.habits.style == chattyStyle {
		s.printer.printLine("agent", getText(s.card.document, "name")+" at "+s.card.endpoints[0].url)
	}
}

// fetchDocument gets a document of at most limit bytes, and sends no credentials.
func (s *session) fetchDocument(method, address string, limit int64) ([]byte, error) {
	r, err := http.NewRequestWithContext(s.ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	reply, err := s.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return nil, newStatusError(reply.StatusCode)
	}
	return readBody(reply.Body, limit)
}

// readBody reads all of a body, if it is not longer than limit.
func readBody(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = fmt.Errorf("the body is longer than %d bytes", limit)
	}
	return body, err
}
