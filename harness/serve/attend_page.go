package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/netutil"

	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Bounds on the page of the operator.
const (
	maxPageConns = 32       // connections at the same time
	maxForm      = 4 << 10  // bytes of a form
	maxPageHead  = 16 << 10 // bytes of a head
	pageWait     = 10 * time.Second
)

// pageServer serves the page to this machine.
type pageServer struct {
	address string
	listen  net.Listener
	server  *http.Server
	ended   chan struct{}
}

// openPage opens the address of the page, of this machine only, and below the one port if there is only one. It is not
// served before beginServing.
func (a *attendance) openPage() (*pageServer, error) {
	a.token = rand.Text()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	prefix := "/" + a.token + "/"
	p := &pageServer{address: "http://" + l.Addr().String() + prefix, listen: netutil.LimitListener(l, maxPageConns), ended: make(chan struct{})}
	p.server = &http.Server{Handler: a.newPageHandler(prefix, l.Addr().String(), func(endLast func()) { endLast() }), ReadTimeout: pageWait, WriteTimeout: 3 * pageWait, IdleTimeout: 6 * pageWait,
		MaxHeaderBytes: maxPageHead, ErrorLog: log.New(io.Discard, "", 0)} // what a stranger sends is not worth a line
	if a.OnePort {
		if a.pageOnPort, err = a.newPageOnPort(); err != nil {
			l.Close()
			return nil, err
		}
	}
	return p, nil
}

// beginServing serves the page.
func (p *pageServer) beginServing() {
	go func() {
		defer close(p.ended)
		p.server.Serve(p.listen) // until it is closed
	}()
}

// Close ends the page.
func (p *pageServer) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	p.server.Shutdown(ctx) // so that whoever chose last gets an answer
	p.server.Close()
	p.listen.Close()
}

// newPageOnPort returns what answers the requests for the page that come to the port of the agent.
func (a *attendance) newPageOnPort() (func(w *answerWriter, q *request) bool, error) {
	base, err := url.Parse(a.bases[0])
	if err != nil {
		return nil, err
	}
	return func(w *answerWriter, q *request) bool {
		if !strings.HasPrefix(q.Path, pagePath+"/") || !isEqualSecret(q.Path[:min(len(q.Path), len(a.pathOnPort()))], a.pathOnPort()) {
			return false
		}
		// The connection is one of the play that a choice ends, so that the play ends after the answer.
		w.closeAfterwards()
		var endLast func()
		defer func() {
			if endLast != nil {
				go endLast()
			}
		}()
		answer := &bufferedAnswer{header: http.Header{}, status: http.StatusOK}
		asked, err := http.NewRequestWithContext(w.ctx, q.Method, q.address, bytes.NewReader(q.record.Body))
		if err != nil {
			w.writeWhole(http.StatusBadRequest, nil, nil)
			return true
		}
		asked.Header, asked.Host = q.Header, q.Header.Get("Host")
		a.newPageHandler(a.pathOnPort(), base.Host, func(f func()) { endLast = f }).ServeHTTP(answer, asked)
		var fields []record.Field
		for name, values := range answer.header {
			for _, value := range values {
				fields = append(fields, record.Field{Name: name, Value: value})
			}
		}
		w.writeWhole(answer.status, fields, answer.body.Bytes())
		return true
	}, nil
}

// bufferedAnswer is an answer of the page that leaves by another way than a server of net/http.
type bufferedAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the fields of the answer.
func (b *bufferedAnswer) Header() http.Header { return b.header }

// WriteHeader sets the status of the answer.
func (b *bufferedAnswer) WriteHeader(status int) { b.status = status }

// Write adds to the body of the answer.
func (b *bufferedAnswer) Write(p []byte) (int, error) { return b.body.Write(p) }

// isEqualSecret compares a text with a secret, in a time that does not show how much of it is right.
func isEqualSecret(got, want string) bool {
	return subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1
}

// newPageHandler serves the page below a path to those who call it by a host. end ends the play before a choice.
func (a *attendance) newPageHandler(prefix, host string, end func(endLast func())) http.Handler {
	hosts := livepage.HostsOf(host)
	served := http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch below := r.URL.Path[len(prefix):]; {
		case below == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			a.writePage(w, "", http.StatusOK)
		case below == "version" && r.Method == http.MethodGet:
			a.mu.Lock()
			version := a.version
			a.mu.Unlock()
			writeJSON(w, http.StatusOK, map[string]int{"version": version})
		case below == "next" && r.Method == http.MethodPost:
			a.answerChoice(w, r, end)
		default:
			http.NotFound(w, r)
		}
	}))
	return livepage.Guard(hosts, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isEqualSecret(r.URL.Path[:min(len(r.URL.Path), len(prefix))], prefix) {
			http.NotFound(w, r)
			return
		}
		served.ServeHTTP(w, r)
	}))
}

// answerChoice has another scenario be current, and answers by the page, or in JSON if that is asked for.
func (a *attendance) answerChoice(w http.ResponseWriter, r *http.Request, end func(endLast func())) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	if err == nil {
		var endLast func()
		if endLast, err = a.chooseScenario(r.PostForm.Get("scenario")); err == nil {
			end(endLast)
		}
	}
	inJSON := r.Header.Get("Accept") == "application/json"
	switch {
	case err != nil && inJSON:
		writeJSON(w, http.StatusConflict, map[string]string{"error": err.Error()})
	case err != nil:
		a.writePage(w, err.Error(), http.StatusConflict)
	case inJSON:
		a.mu.Lock()
		now := a.describeScenario(a.current.script)
		a.mu.Unlock()
		writeJSON(w, http.StatusOK, now)
	default:
		http.Redirect(w, r, "./", http.StatusSeeOther)
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // to whoever is still there
}

// writePage answers by the page.
func (a *attendance) writePage(w http.ResponseWriter, trouble string, status int) {
	p := a.describePage()
	p.Nonce, p.Trouble = rand.Text(), trouble
	var text bytes.Buffer
	if err := livepage.Write(&text, p); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", livepage.Policy(p.Nonce))
	w.WriteHeader(status)
	w.Write(text.Bytes()) // to whoever is still there
}

// describePage returns what the page shows now.
func (a *attendance) describePage() livepage.Page {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := livepage.Page{Protocol: a.Dialect.Title, Address: a.bases[0], Card: a.bases[0] + a.Dialect.FirstPath(), Current: a.describeScenario(a.current.script), Came: a.came, Version: a.version, Summary: a.summary}
	for i := range a.scripts {
		s := &a.scripts[i]
		if n := len(p.Groups); n == 0 || p.Groups[n-1].Name != s.Group {
			p.Groups = append(p.Groups, livepage.Group{Name: s.Group})
		}
		g := &p.Groups[len(p.Groups)-1]
		g.Scenarios = append(g.Scenarios, a.describeScenario(s))
	}
	return p
}

// describeScenario returns a scenario as the page shows it. The caller has locked a.mu.
func (a *attendance) describeScenario(s *Script) livepage.Scenario {
	out := livepage.Scenario{Name: s.Name, About: s.Doc, Fault: s.Fault, Current: s.Name == a.current.script.Name,
		Do: a.listGivenCredentials(s)}
	out.Do = append(out.Do, []livepage.Action{{Words: "Have your application read the agent card again, since it may be another one now: connect anew, or start the application again."}, {Words: "In your application, send:", Text: a.Text}}...)
	if s.Turns {
		out.Do = append(out.Do, livepage.Action{Words: "When the answer has come, send in the same conversation:", Text: a.Second})
	}
	if s.ByHand != "" {
		out.Do = append(out.Do, livepage.Action{Words: s.ByHand})
	}
	out.Do = append(out.Do, livepage.Action{Words: "Wait until your application shows an answer or an error, and choose the next scenario."})
	if of := a.seen[s.Name]; of != nil {
		out.Requests, out.Last = of.requests, of.last
	}
	return out
}

// listGivenCredentials returns how the person gives the application what a scenario grants it.
func (a *attendance) listGivenCredentials(s *Script) (out []livepage.Action) {
	given := a.canaries.chooseSet(s.Name, 0).listGranted()
	for _, c := range grantedCanaries {
		if value := given[c[0]]; value != "" {
			out = append(out, livepage.Action{Words: "Give your application this credential (" + c[0] + "):", Text: value})
		}
	}
	if slices.Contains(a.With, WithExtension) {
		for _, uri := range s.Extensions {
			out = append(out, livepage.Action{Words: "Have your application know this extension:", Text: uri})
		}
	}
	return out
}
