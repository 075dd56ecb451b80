package reference

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets many plays run at the same time: they wait more than they work.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		flag.Set("test.parallel", "16")
	}
	os.Exit(m.Run())
}

// TestMutantsShow plays the same conversations with a healthy server and with
// each mutant of its variant, until the first step that shows which is which: a
// mutant that changes nothing is no mutant. Run with -v it names the step.
func TestMutantsShow(t *testing.T) {
	for dialect, conversations := range dialectPlays {
		healthy := make(map[string]func() map[string]string)
		for _, m := range Mutants(dialect) {
			key := m.Variant + " " + m.Area
			if healthy[key] == nil {
				healthy[key] = sync.OnceValue(func() map[string]string {
					return play(t, Options{Dialect: dialect, Variant: m.Variant}, conversations, m.Area)
				})
			}
			t.Run(dialect+"/"+m.Name, func(t *testing.T) {
				t.Parallel()
				want := healthy[key]()
				p := meet(t, Options{Dialect: dialect, Mutant: m.Name}, conversations, m.Area, want)
				for step := range want {
					if p.shown == "" && p.seen[step] != want[step] {
						p.shown = step
					}
				}
				if p.shown != "" {
					t.Logf("changes %s", p.shown)
					return
				}
				t.Fatal("the mutant behaves like the healthy server")
			})
		}
	}
}

// dialectPlays holds the conversations of each dialect that show the mutants
// of an area; the empty area stands for all.
var dialectPlays = map[string]func(p *player, area string){"a2a-0.1": playA2A01, "jaf-0.3": playJAF03}

// TestHealthyServersRepeatThemselves shows that a difference between two plays
// is a difference between two servers.
func TestHealthyServersRepeatThemselves(t *testing.T) {
	for dialect, conversations := range dialectPlays {
		for _, variant := range Variants(dialect) {
			t.Run(dialect+"/"+variant, func(t *testing.T) {
				t.Parallel()
				o := Options{Dialect: dialect, Variant: variant}
				one, two := play(t, o, conversations, ""), play(t, o, conversations, "")
				for step := range one {
					if one[step] != two[step] {
						t.Errorf("%s:\n%s\n%s", step, one[step], two[step])
					}
				}
			})
		}
	}
}

// A player holds conversations with one server and notes what it sees, by
// step.
type player struct {
	t      *testing.T
	server *Server
	client *http.Client
	hook   string // a receiver of push notifications

	headers map[string]string // sent with every request

	healthy map[string]string // what the healthy server shows; nil if that is not known

	mu    sync.Mutex
	seen  map[string]string
	shown string // the first step that is not as the healthy server's
}

// play holds the conversations and returns what was seen.
func play(t *testing.T, o Options, conversations func(*player, string), area string) map[string]string {
	return meet(t, o, conversations, area, nil).seen
}

// meet holds the conversations until the server shows that it is not the
// healthy one.
func meet(t *testing.T, o Options, conversations func(*player, string), area string, healthy map[string]string) *player {
	o.Rate = roomy
	if area == "ratelimit" {
		o.Rate = Rate{5, 500 * time.Millisecond}
	}
	s, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := &player{t: t, server: s, client: newClient(), seen: make(map[string]string), healthy: healthy}
	defer p.client.CloseIdleConnections()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.once("push "+r.URL.Path, strings.Join([]string{r.Header.Get("Content-Type"), r.Header.Get("Authorization"),
			r.Header.Get("X-A2A-Notification-Token"), string(body)}, " "))
	}))
	defer hook.Close()
	p.hook = hook.URL
	conversations(p, area)
	return p
}

// known reports whether the server has shown which it is. The steps that were
// to come are then left out.
func (p *player) known() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown != ""
}

// A conversation shows the mutants of some areas.
type conversation struct {
	areas string
	hold  func()
}

// converse holds the conversations about an area; the empty area stands for
// all.
func (p *player) converse(area string, list []conversation) {
	for _, c := range list {
		if area == "" || slices.Contains(strings.Fields(c.areas), area) {
			c.hold()
		}
	}
}

// What differs between two runs of a healthy server.
var (
	aTime   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}`)
	aName   = regexp.MustCompile(`[A-Z2-7]{26}\.?`)
	aHost   = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	aNote   = regexp.MustCompile(`Still working: \d+%|Working on it\.`)
	aLength = regexp.MustCompile(`"length":\d+`)
)

func (p *player) note(step, what string) {
	what = same(what)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[step] += what
	if want, told := p.healthy[step]; told && p.shown == "" && !strings.HasPrefix(want, p.seen[step]) {
		p.shown = step
	}
}

// same is what two runs of a healthy server have in common.
func same(what string) string {
	for _, chance := range []struct {
		sign string // without which there is nothing of the kind
		what *regexp.Regexp
		name string
	}{{".", aTime, "TIME"}, {"", aName, "NAME"}, {"127.0.0.1", aHost, "HOST"}, {"orking", aNote, "NOTE"}, {"length", aLength, `"length":0`}} {
		if strings.Contains(what, chance.sign) {
			what = chance.what.ReplaceAllString(what, chance.name)
		}
	}
	if known, ok := canonized.Load(what); ok {
		return known.(string)
	}
	out := canonical(what) + "\n"
	canonized.Store(what, out)
	return out
}

// canonized keeps the canonical form of what was seen: servers say the same
// again and again.
var canonized sync.Map

// once notes what unless it is there already, in alphabetical order: how often
// a task is announced, and which of two tasks first, is a matter of chance.
func (p *player) once(step, what string) {
	what = same(what)
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := slices.Sorted(strings.Lines(p.seen[step] + what))
	p.seen[step] = strings.Join(slices.Compact(lines), "")
}

// send notes the reply to one HTTP request and returns its decoded body.
func (p *player) send(step, method, path, media, body string) any {
	if p.known() {
		return nil
	}
	r, err := http.NewRequest(method, p.server.URL()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	for name, value := range p.headers {
		r.Header.Set(name, value)
	}
	reply, err := p.client.Do(r.WithContext(ctx))
	if err != nil {
		p.note(step, err.Error())
		return nil
	}
	defer reply.Body.Close()
	var raw []byte
	for len(raw) < 1<<20 {
		b := make([]byte, 4096)
		late := time.AfterFunc(1500*time.Millisecond, stop)
		n, err := reply.Body.Read(b)
		late.Stop()
		raw = append(raw, b[:n]...)
		if err != nil {
			if err != io.EOF {
				raw = append(raw, "(not ended)"...)
			}
			break
		}
	}
	if len(raw) > 20000 {
		p.note(step, fmt.Sprint(reply.StatusCode, " and much to read"))
		return nil
	}
	p.note(step, fmt.Sprint(reply.StatusCode, " ", reply.Header.Get("Content-Type"), " ", telling(reply.Header), "\n", string(raw)))
	v, _ := decode(raw)
	return v
}

// An arrival is an event of a stream with the time it came.
type arrival struct {
	at   time.Time
	body any
}

// stream notes the head, the raw events and the end of a stream, and calls
// each, unless nil, with every event.
func (p *player) stream(step, path, body string, each func(event any, drop func())) []arrival {
	if p.known() {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "POST", p.server.URL()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := p.client.Do(r)
	if err != nil {
		p.note(step, err.Error())
		return nil
	}
	defer reply.Body.Close()
	var list []arrival
	var raw, pending string
	end := "ended"
	for {
		b := make([]byte, 4096)
		late := time.AfterFunc(1500*time.Millisecond, stop)
		n, err := reply.Body.Read(b)
		late.Stop()
		raw += string(b[:n])
		pending += string(b[:n])
		for {
			event, rest, ok := strings.Cut(strings.ReplaceAll(pending, "\r\n", "\n"), "\n\n")
			if !ok {
				break
			}
			pending = rest
			var data string
			for line := range strings.Lines(event) {
				if d, ok := strings.CutPrefix(line, "data: "); ok {
					data += d
				}
			}
			v, _ := decode([]byte(data))
			if v == nil {
				continue
			}
			list = append(list, arrival{time.Now(), at(v, "result")})
			if each != nil {
				each(at(v, "result"), stop)
			}
		}
		if err != nil {
			if err != io.EOF {
				end = "cut"
			}
			break
		}
	}
	p.note(step, fmt.Sprint(reply.StatusCode, " ", reply.Header.Get("Content-Type"), " ", telling(reply.Header), " ", end, "\n", raw))
	return list
}

// telling returns the headers that carry meaning, without those that change
// from call to call.
func telling(h http.Header) string {
	var list []string
	for _, name := range []string{"Cache-Control", "Connection", "Access-Control-Allow-Origin", "X-A2a-Version",
		"Ratelimit-Limit", "X-Ratelimit-Limit", "X-Ratelimit-Window", "Www-Authenticate"} {
		list = append(list, h.Get(name))
	}
	remaining, _ := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	reset := h.Get("X-RateLimit-Reset")
	return fmt.Sprint(list, remaining > 9000, len(reset))
}

// canonical sorts the members of the JSON objects in text that stand on lines
// of their own.
func canonical(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		i := max(0, strings.IndexAny(line, "{["))
		if v, err := decode([]byte(line[i:])); err == nil {
			line = line[:i] + string(encode(v)) + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
