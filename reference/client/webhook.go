package client

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Bounds of what comes to the webhook.
const (
	maxNotification = 1 << 20
	maxNotices      = 1000
)

// A receiver is the webhook of the client: a server on its own machine, with an address for each registration.
type receiver struct {
	session *session
	base    string
	server  *http.Server

	mu            sync.Mutex
	registrations map[string]*registration // by path
	seen          map[string]bool          // the bodies that came
	count         int
	news          chan struct{} // has a token if a task may have ended
}

// A registration is what the client asked the agent for, and what is known of the task.
type registration struct {
	config object // as it was sent
	task   string
	known  chan struct{} // closed once the task is known
	ended  bool
}

// openReceiver opens the webhook, unless it is open or somebody else's.
func (s *session) openReceiver() error {
	if s.receiver != nil || s.options.Hook != "" {
		return nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.receiver = &receiver{session: s, base: "http://" + l.Addr().String(), registrations: map[string]*registration{}, seen: map[string]bool{}, news: make(chan struct{}, 1)}
	s.receiver.server = &http.Server{Handler: s.receiver, ReadHeaderTimeout: 10 * time.Second}
	go s.receiver.server.Serve(l)
	return nil
}

// closeReceiver closes the webhook.
func (s *session) closeReceiver() {
	if s.receiver == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // for what is being answered
	defer cancel()
	if s.receiver.server.Shutdown(ctx) != nil {
		s.receiver.server.Close()
	}
}

// writeWebhook returns the configuration of a webhook that is to be registered. Each has secrets of its own.
// A signed one asks for tokens that are signed by the keys that the client was given.
func (s *session) writeWebhook(signed bool) (object, error) {
	if err := s.openReceiver(); err != nil {
		return nil, err
	}
	config := object{"url": s.options.Hook, "token": newID()}
	if !s.habits.tokenAlone {
		authentication := maps.Clone(s.dialect.bearer)
		if !signed || len(s.keys) == 0 {
			authentication["credentials"] = newID()
		}
		config["authentication"] = authentication
	}
	if r := s.receiver; r != nil {
		path := "/" + newID()
		config["url"] = r.base + path
		s.pending = &registration{config: config, known: make(chan struct{})}
		r.mu.Lock()
		r.registrations[path] = s.pending
		r.mu.Unlock()
	}
	return config, nil
}

// noteTaskOfWebhook notes which task the webhook is about that was registered last.
func (s *session) noteTaskOfWebhook() {
	if s.pending == nil || s.task.id == "" {
		return
	}
	s.receiver.mu.Lock()
	s.pending.task = s.task.id
	s.receiver.mu.Unlock()
	close(s.pending.known)
	s.pending = nil
}

// registerWebhook registers a webhook for the task.
func (s *session) registerWebhook(signed bool) error {
	switch {
	case s.task.id == "":
		return errors.New("no task is known")
	case !s.card.push:
		return errors.New("the agent offers no push notifications")
	}
	config, err := s.writeWebhook(signed)
	if err != nil {
		return err
	}
	s.noteTaskOfWebhook()
	_, err = s.callForResult(setWebhook, s.dialect.writeRegistration(s.task.id, config))
	return err
}

// awaitNotices waits until the agent has notified the client of the end of each task with a webhook.
func (s *session) awaitNotices() {
	if s.receiver == nil {
		return
	}
	over := time.NewTimer(80 * s.habits.pause)
	defer over.Stop()
	for !s.receiver.haveAllEnded() {
		select {
		case <-s.receiver.news:
		case <-over.C:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// haveAllEnded reports whether no registered task is known to go on.
func (r *receiver) haveAllEnded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.registrations {
		if one.task != "" && !one.ended {
			return false
		}
	}
	return true
}

// ServeHTTP takes a notification.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	w.WriteHeader(r.takeNotification(q))
}

// takeNotification takes a notification and returns the status of the answer.
func (r *receiver) takeNotification(q *http.Request) int {
	h := r.session.habits
	r.mu.Lock()
	one := r.registrations[q.URL.Path]
	r.count++
	count := r.count
	r.mu.Unlock()
	media, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	switch {
	case h.noticesLost || one == nil || count > maxNotices:
		return http.StatusNotFound
	case q.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	case media != "application/json" && (media != "application/a2a+json" || h.plainJSONAlone):
		return http.StatusUnsupportedMediaType
	case !r.isGenuine(one, q):
		return http.StatusUnauthorized
	}
	if count == 1 && h.noticeDelay > 0 {
		if r.session.waitFor(h.noticeDelay) != nil {
			return http.StatusServiceUnavailable
		}
	}
	body, err := io.ReadAll(io.LimitReader(q.Body, maxNotification))
	var content object
	if err != nil || json.Unmarshal(body, &content) != nil {
		return http.StatusBadRequest
	}
	if h.refuseNotice != nil && h.refuseNotice(content) {
		return http.StatusBadRequest
	}
	select {
	case <-one.known:
	case <-time.After(time.Second): // the answer that names the task is late
	}
	r.passOn(one, string(body), r.session.dialect.readUpdate(content))
	return http.StatusOK
}

// passOn reports a notification, unless it came before or is about another task than the webhook.
func (r *receiver) passOn(one *registration, body string, u update) {
	h := r.session.habits
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[body] && !h.noticesRepeat || u.task != one.task && !h.anyTaskNoticed {
		return
	}
	r.seen[body] = true
	r.session.printer.printNotice(u)
	if u.state.isTerminal() && u.task == one.task {
		one.ended = true
		select {
		case r.news <- struct{}{}:
		default:
		}
	}
}

// isGenuine reports whether a notification has what the client asked for.
func (r *receiver) isGenuine(one *registration, q *http.Request) bool {
	h := r.session.habits
	if h.noticesBelieved {
		return true
	}
	wanted := getText(one.config, "authentication", "credentials")
	scheme, shown, _ := strings.Cut(q.Header.Get("Authorization"), " ")
	switch {
	case getObject(one.config, "authentication") == nil:
	case !strings.EqualFold(scheme, "Bearer"):
		return false
	case wanted == "" && !r.session.isGenuineToken(shown, getText(one.config, "url")):
		return false
	case wanted != "" && !isSameSecret(shown, wanted):
		return false
	}
	return h.tokenUnread || isSameSecret(q.Header.Get("X-A2A-Notification-Token"), getText(one.config, "token"))
}

func isSameSecret(shown, wanted string) bool {
	return subtle.ConstantTimeCompare([]byte(shown), []byte(wanted)) == 1
}

// printNotice shows that a notification came.
func (p *printer) printNotice(u update) {
	switch p.style {
	case terseStyle:
	case reportStyle:
		p.printReport(reportLine{Saw: "notice", Task: u.task, State: u.state})
	default:
		p.printLine("notice", strings.TrimSpace("notified: "+string(u.state)+" "+u.text))
	}
}

// A lockedWriter is written to by several goroutines.
type lockedWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(b)
}
