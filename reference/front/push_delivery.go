package front

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// A pushSender delivers push notifications. On the loopback interface, where test
// receivers live, it takes any certificate.
type pushSender struct {
	public, loopback *http.Client
}

func newCourier() *pushSender {
	client := func(unverified bool) *http.Client {
		return &http.Client{
			Timeout:       5 * time.Second,
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: unverified}},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return &pushSender{public: client(false), loopback: client(true)}
}

func (c *pushSender) close() {
	c.public.CloseIdleConnections()
	c.loopback.CloseIdleConnections()
}

// A notice is one push notification on its way out.
type PushNotification struct {
	Method string // POST
	To     engine.Push
	Header http.Header
	Body   any  // sent as JSON
	Lost   bool // set by mutants: it is not sent
	Again  bool // set by mutants: it is sent once more if it could not be delivered
	Notes  *MutantState
}

// deliver POSTs one notification, through the door for mutants.
func (s *Server) deliver(ctx context.Context, p engine.Push, body any) error {
	n := &PushNotification{Method: http.MethodPost, To: p, Header: make(http.Header), Body: body, Notes: &s.Notes}
	n.Header.Set("Content-Type", "application/json")
	if p.Token != nil {
		n.Header.Set("X-A2A-Notification-Token", *p.Token)
	}
	if p.Events {
		n.Header.Set("Content-Type", "application/a2a+json")
	}
	authenticate(n.Header, p)
	if edit := s.Mutant.Push; edit != nil {
		n.Body = Generic(n.Body)
		edit(n)
	}
	if n.Lost {
		return nil
	}
	err := s.post(ctx, n)
	if err != nil && n.Again {
		return s.post(ctx, n)
	}
	return err
}

// post sends one notification to its receiver.
func (s *Server) post(ctx context.Context, n *PushNotification) error {
	r, err := http.NewRequestWithContext(ctx, n.Method, n.To.URL, bytes.NewReader(Encode(n.Body)))
	if err != nil {
		return err
	}
	r.Header = n.Header
	client := s.courier.public
	if isLoopback(r.URL.Hostname()) {
		client = s.courier.loopback
	}
	reply, err := client.Do(r)
	if err != nil {
		return err
	}
	reply.Body.Close()
	if reply.StatusCode >= 400 {
		return fmt.Errorf("the receiver answered %s", reply.Status)
	}
	return nil
}

// authenticate shows the receiver the credentials its owner asked for. A
// bearer token is the server's own if none was given.
func authenticate(h http.Header, p engine.Push) {
	var credentials string
	if p.Credentials != nil {
		credentials = *p.Credentials
	}
	for _, scheme := range p.Schemes {
		switch strings.ToLower(scheme) {
		default:
			if p.Events {
				h.Set("Authorization", strings.TrimSpace(scheme+" "+credentials))
			}
		case "bearer":
			if credentials == "" {
				credentials = "a2a-reference"
			}
			h.Set("Authorization", "Bearer "+credentials)
		case "basic":
			h.Set("Authorization", "Basic "+credentials)
		case "apikey":
			key := struct{ Name, Value string }{"X-API-Key", credentials}
			json.Unmarshal([]byte(credentials), &key)
			h.Set(key.Name, key.Value)
		}
	}
}

// UnfitWebhook says what is wrong with a webhook URL: it must be absolute and
// use https, plain http being for tests on the same host, and must not point
// into the link-local network.
func UnfitWebhook(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme):
		return "must be an absolute URL"
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "must use https"
	case net.ParseIP(u.Hostname()).IsLinkLocalUnicast():
		return "must not be link-local"
	}
	return ""
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}
