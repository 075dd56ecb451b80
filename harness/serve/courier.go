package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Bounds on what a courier brings in one play.
const (
	maxHooks           = 8 // tasks with one
	maxRegistrations   = 64
	deliveryPatience   = 12 * time.Second // for one answer: agents wait for ten seconds and more
	courierPatience    = 25 * time.Second // for all of them
	maxAcknowledgement = 64 << 10         // bytes of an answer that are read
)

// hook is a webhook that the client registered.
type hook struct {
	task                *task
	url, token          string
	scheme, credentials string // of its authentication
	asks                bool   // it has an authentication
	settled             bool   // the client had time to take in that it is registered
	ended               bool   // its task had ended when it was registered
	signed              bool   // it asks for tokens that are signed by the keys that the client was given
}

// isComplete reports whether we can show what the client asks for: an authentication without a fixed credential is one
// whose credentials somebody has to make.
func (h *hook) isComplete() bool {
	switch {
	case !h.asks:
		return true
	case strings.EqualFold(h.scheme, "bearer"):
		return h.credentials != "" || h.signed
	case strings.EqualFold(h.scheme, "basic"): // no text states whether the credential is encoded already
		pair, err := base64.StdEncoding.DecodeString(h.credentials)
		return err == nil && bytes.Contains(pair, []byte(":"))
	}
	return false
}

// writeAuthorization returns the field Authorization with a credential of the scheme that the client asks for; "" if it asks for none.
func (h *hook) writeAuthorization(credentials string) string {
	if !h.asks || credentials == "" {
		return ""
	}
	return h.scheme + " " + credentials
}

// notification is one delivery to a webhook.
type notification struct {
	name          string // of its step
	to            *hook
	about         string // the id of the task
	body          []byte
	authorization string
	token         string
	forged        bool
	pause         time.Duration // that the client is given afterwards
}

// courier brings notifications to the webhooks that the client of one play registered. What a client registers is
// untrusted: a courier calls this machine and the host that the operator named, and nothing else.
type courier struct {
	session *session
	stage   *stage
	named   *url.URL // the address that the operator named; nil for none
	calls   *client.Client
	ctx     context.Context // in which deliveries begin
	stop    context.CancelFunc
	late    context.Context // in which they end
	cut     context.CancelFunc
	more    chan struct{} // has a token if a webhook was registered
	work    sync.WaitGroup

	mu    sync.Mutex
	count map[string]int // of steps, by their names
	hooks []*hook        // the latest of each task
	known []*hook        // all that were ever registered
	begun bool           // the scenario has a webhook to which it brings notifications
	over  bool           // what it brings to that one was brought
	steps []record.Step
}

// newCourier makes the courier of a play.
func (s *session) newCourier(st *stage) *courier {
	c := &courier{session: s, stage: st, more: make(chan struct{}, 1), count: map[string]int{}}
	if u, err := url.Parse(s.Hook); err == nil && s.Hook != "" {
		c.named = u
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	c.late, c.cut = context.WithCancel(context.Background())
	c.calls = client.NewClient(client.Config{Started: s.started, UserAgent: "a2a-conform", Timeout: deliveryPatience, Redact: s.Redact, Reach: c.checkReach,
		TLS: &tls.Config{InsecureSkipVerify: c.named == nil}}) // a webhook on this machine alone may have a certificate of its own making
	return c
}

// ValidateHook returns an error if a text is not the address of a webhook.
func ValidateHook(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("--hook is %q, which is not an http or https URL; write it like http://127.0.0.1:9000/hook", address)
	case u.User != nil:
		return errors.New("--hook contains a user or password, and reports would show it")
	}
	return nil
}

// validateHook returns an error if the address of the client's webhook is none, or is not to be called.
func (c *Config) validateHook() error {
	switch {
	case c.Hook == "":
		return nil
	case !slices.Contains(c.With, WithWebhook):
		return errors.New("--hook names the webhook of the client, which is called only with --with webhook")
	}
	return ValidateHook(c.Hook)
}

// isNamed reports whether an address is at the host and port that the operator named.
func (c *courier) isNamed(u *url.URL) bool {
	return c.named != nil && strings.EqualFold(u.Hostname(), c.named.Hostname()) && card.PortOf(u) == card.PortOf(c.named)
}

// checkAddress returns why nothing is sent to an address that the client registered; "" if it may be called.
func (c *courier) checkAddress(address string) (why, remedy string) {
	u, err := url.Parse(address)
	switch {
	case address == "" || err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "the client registered no http or https URL, or none that is of a usual length", ""
	case u.User != nil:
		return "the webhook of the client has a user or password in its URL", ""
	case c.isNamed(u):
		return "", ""
	case !card.Loopback(u.Hostname()):
		return "the webhook of the client is neither on this machine nor at the host that the operator named", "--hook with the address of the client's webhook"
	}
	for _, base := range append(slices.Clone(c.stage.bases), c.stage.dead) {
		if own, err := url.Parse(base); err == nil && card.PortOf(own) == card.PortOf(u) {
			return "the client registered an address of this program", ""
		}
	}
	return "", ""
}

// checkReach keeps a name that was taken for one of this machine from leading elsewhere.
func (c *courier) checkReach(_, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if isLoopbackHost(host) || c.named != nil && port == card.PortOf(c.named) {
		return nil
	}
	return errors.New("the address is neither one of this machine nor the one that the operator named")
}

// readHook returns the webhook that a call registers; nil if it registers none.
func (s *stage) readHook(sent binding.Sent, op string) *hook {
	at, has := s.dialect.Pointer("request", "webhook."+op)
	if !has {
		return nil
	}
	holder := sent.Params.At(at)
	if holder == nil || holder.Kind != record.Object {
		return nil
	}
	read := func(below string) string {
		if n := holder.At(below); n != nil && n.Kind == record.String && len(n.String) <= record.MaxID {
			return n.String
		}
		return ""
	}
	h := &hook{url: read("/url"), token: read("/token"), credentials: read("/authentication/credentials"), scheme: cmp.Or(read("/authentication/scheme"), read("/authentication/schemes/0"))}
	authentication := holder.At("/authentication")
	h.asks = authentication != nil && authentication.Kind == record.Object
	h.signed = h.asks && s.keys != nil && h.credentials == "" && strings.EqualFold(h.scheme, "bearer")
	return h
}

// isRegistered reports whether the client registered a webhook for a task.
func (c *courier) isRegistered(t *task) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.hooks, func(h *hook) bool { return h.task == t })
}

// visitHook brings notifications to a webhook from now on, in place of an earlier one of the same task: to the first one of a task that
// works what the scenario has, to all that their tasks have ended.
func (c *courier) visitHook(h *hook) {
	if c == nil || c.stage.bring == nil {
		return
	}
	c.stage.editTasks(func() { h.ended = h.task.state.isTerminal() })
	c.forgetHooks(h.task)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hooks) >= maxHooks || len(c.known) >= maxRegistrations || c.ctx.Err() != nil {
		return
	}
	c.hooks, c.known = append(c.hooks, h), append(c.known, h)
	switch {
	case h.ended || c.over:
		c.work.Go(func() {
			c.letTimePass(leaveTime)
			c.endTask(h.task)
		})
	case !c.begun:
		c.begun = true
		c.work.Go(func() {
			defer time.AfterFunc(courierPatience, c.stop).Stop()
			if c.letTimePass(leaveTime) {
				c.stage.bring(c, h.task)
			}
			c.mu.Lock()
			c.over = true
			all := slices.Clone(c.hooks)
			c.mu.Unlock()
			for _, h := range all {
				if !h.ended {
					c.endTask(h.task)
				}
			}
		})
	default:
		select {
		case c.more <- struct{}{}:
		default:
		}
	}
}

// forgetHooks takes the webhooks of a task from those that get notifications.
func (c *courier) forgetHooks(of *task) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hooks = slices.DeleteFunc(c.hooks, func(h *hook) bool { return h.task == of })
}

// findHook returns the present webhook of a task; nil if it has none. The client may be about to register another one in its place.
func (c *courier) findHook(of *task) *hook {
	for range 3 {
		c.mu.Lock()
		i := slices.IndexFunc(c.hooks, func(h *hook) bool { return h.task == of })
		var found *hook
		settled := false
		if i >= 0 {
			found, settled = c.hooks[i], c.hooks[i].settled
			found.settled = true
		}
		c.mu.Unlock()
		if settled || !c.letTimePass(leaveTime) {
			return found
		}
	}
	return nil
}

// listHooks returns all webhooks that the client ever registered for a task: it may take what any of them asks for.
func (c *courier) listHooks(of *task) (out []*hook) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.known {
		if h.task == of {
			out = append(out, h)
		}
	}
	return out
}

// The times that a client is given.
const (
	leaveTime    = 150 * time.Millisecond // to take in the answer to its call, or a notification
	reactionTime = time.Second            // to show what it makes of a notification
	secondTime   = 600 * time.Millisecond // to register another webhook
)

// letTimePass waits. It reports whether the play is not over.
func (c *courier) letTimePass(d time.Duration) bool {
	t := time.NewTimer(c.stage.scaleTime(d))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// awaitHookOfOtherTask returns a webhook of another task; nil if the client registers none soon.
func (c *courier) awaitHookOfOtherTask(of *task) *hook {
	t := time.NewTimer(c.stage.scaleTime(secondTime))
	defer t.Stop()
	for {
		c.mu.Lock()
		i := slices.IndexFunc(c.hooks, func(h *hook) bool { return h.task != of })
		var found *hook
		if i >= 0 {
			found = c.hooks[i]
		}
		c.mu.Unlock()
		if found != nil {
			return found
		}
		select {
		case <-c.more:
		case <-t.C:
			return nil
		case <-c.ctx.Done():
			return nil
		}
	}
}

// endTask completes a task, unless it has ended, and notifies the client of that.
func (c *courier) endTask(t *task) {
	c.stage.editTasks(func() {
		if t.state.isTerminal() {
			return
		}
		t.state, t.says, t.at = completed, "", formatNow()
		t.artifacts = []artifact{{t.saysID, []string{c.stage.formatAnswer("artifact")}}}
		if t.over != nil {
			close(t.over)
			t.over = nil
		}
	})
	if h := c.findHook(t); h != nil {
		c.deliverNotification(c.newNotification("notify-end", h, c.stage.writeNotifiedTask(t)))
	}
}

// bringNotice brings a genuine notification of a task that works, and gives the client time. Once the client has taken the webhook
// back, nothing is brought.
func (c *courier) bringNotice(name string, of *task, about object, pause time.Duration) {
	h := c.findHook(of)
	if h == nil || h.ended {
		return
	}
	n := c.newNotification(name, h, about)
	n.pause = pause
	c.deliverNotification(n)
}

// newNotification makes a genuine notification of the task of a webhook.
func (c *courier) newNotification(name string, h *hook, about object) notification {
	n := notification{name: name, to: h, about: h.task.id, body: encodeJSON(about), authorization: h.writeAuthorization(h.credentials), token: h.token, pause: leaveTime}
	if h.signed {
		n.authorization = h.writeAuthorization(c.signToken(&n, honestToken))
	}
	return n
}

// deliverNotification brings one notification to a webhook, and gives the client time.
func (c *courier) deliverNotification(n notification) {
	if c.ctx.Err() != nil {
		return
	}
	step := record.Step{Name: n.name, Role: record.Main, Task: n.about, Hook: n.to.task.id, Invalid: n.forged}
	step.NotSent, step.Remedy = c.checkAddress(n.to.url)
	if step.NotSent == "" && !n.to.isComplete() {
		step.NotSent = "the client asks for an authentication whose credentials this program cannot make: it makes those of the schemes Bearer and Basic, from a credential in the form of the header"
		if n.to.asks && n.to.credentials == "" && strings.EqualFold(n.to.scheme, "bearer") {
			step.NotSent, step.Remedy = "the client asks for an authentication by Bearer without credentials, as of signed tokens, and was given no keys by which it could verify them", "--with webhook,keys"
		}
	}
	if step.NotSent == "" {
		header := http.Header{"Content-Type": {c.stage.form.notificationType()}}
		for name, value := range map[string]string{"Authorization": n.authorization, "X-A2A-Notification-Token": n.token} {
			if value != "" {
				header.Set(name, value)
			}
		}
		read := 0
		step.Exchange = c.calls.Do(c.late, client.Call{Method: http.MethodPost, URL: n.to.url, Header: header, Body: n.body, Fresh: true, Once: true},
			func(piece []byte, _ record.Instant) bool { read += len(piece); return read < maxAcknowledgement })
		if step.Exchange.Conn != 0 { // the connections of a run have one order
			step.Exchange.Conn = int(c.session.connCount.Add(1))
		}
	}
	c.mu.Lock()
	step.Name = record.NumberStep(c.count, n.name)
	c.steps = append(c.steps, step)
	c.mu.Unlock()
	c.letTimePass(n.pause)
}

// finishDeliveries ends the work of the courier. Only a webhook that the operator named may outlive the client.
func (c *courier) finishDeliveries() {
	if c == nil {
		return
	}
	c.mu.Lock()
	external := len(c.hooks) > 0 && c.named != nil
	c.mu.Unlock()
	if !external {
		c.stop()
		defer time.AfterFunc(reactionTime, c.cut).Stop() // a client may end as soon as it has answered
	}
	c.work.Wait()
	c.stop()
	c.cut()
	c.calls.Close()
}

// addDeliveries returns the exchanges of a play with what was brought to webhooks, in the order of their first byte.
func (c *courier) addDeliveries(exchanges []*record.Exchange) []*record.Exchange {
	if c == nil {
		return exchanges
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.steps {
		if s.Exchange != nil {
			exchanges = append(exchanges, s.Exchange)
		}
	}
	slices.SortStableFunc(exchanges, func(a, b *record.Exchange) int { return cmp.Compare(a.Start, b.Start) })
	return exchanges
}

// findStep returns the step of a delivery.
func (c *courier) findStep(x *record.Exchange) record.Step {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.steps, func(s record.Step) bool { return s.Exchange == x })
	return c.steps[i]
}

// listUnsent returns the steps of deliveries that were not made.
func (c *courier) listUnsent() (out []record.Step) {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.steps {
		if s.Exchange == nil {
			out = append(out, s)
		}
	}
	return out
}
