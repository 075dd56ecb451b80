package reference

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets many plays run at the same time: they wait more than they work,
// unless the race detector makes them slow.
func TestMain(m *testing.M) {
	flag.Parse()
	build, _ := debug.ReadBuildInfo()
	slow := build != nil && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if !slow && flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		flag.Set("test.parallel", "40")
	}
	debug.SetGCPercent(400) // there is memory to spare, and less of it to walk
	os.Exit(m.Run())
}

// A drawnMutants chooses which mutants are played. The proof of each dialect notices a mutant that
// changes nothing, so here the first of each dialect and binding shows that the plays work. With
// A2A_CONFORM_MUTANTS=N it is one of N in each area, as in a part of .ci/run, or all with 1, as
// in one of .ci/full. A mutant that -run names is played anyway.
type drawnMutants struct {
	nth    int // 0 if only the first is played
	named  bool
	before map[string]int // mutants so far, by area
}

func drawMutants(t *testing.T) *drawnMutants {
	t.Helper()
	drawn := &drawnMutants{named: strings.Contains(flag.Lookup("test.run").Value.String(), "/"), before: make(map[string]int)}
	value := os.Getenv("A2A_CONFORM_MUTANTS")
	if value == "" {
		return drawn
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("A2A_CONFORM_MUTANTS is %q: it is a number above zero", value)
	}
	drawn.nth = n
	return drawn
}

// take reports whether the next mutant, of an area, is played.
func (d *drawnMutants) take(area string) bool {
	first := len(d.before) == 0
	i := d.before[area]
	d.before[area]++
	return d.named || d.nth == 0 && first || d.nth > 0 && i%d.nth == 0
}

// skipInShort leaves out of the quick loop what plays whole conversations.
func skipInShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it plays whole conversations with many servers, which -short leaves out")
	}
}

// TestMutantsShow plays the same conversations with a healthy server and with
// mutants of its variant: a mutant that changes nothing is no mutant. A
// mutant's play ends when it has shown itself; run with -v it goes on, and the
// test lists all that the mutant changes.
func TestMutantsShow(t *testing.T) {
	skipInShort(t)
	t.Parallel()
	for _, dialect := range longestFirst() {
		conversations := dialectPlays[dialect]
		healthy, drawn := make(map[string]func() course), drawMutants(t)
		for _, m := range Mutants(dialect) {
			if !drawn.take(m.Area) {
				continue
			}
			key := m.Variant + " " + m.Area
			if healthy[key] == nil {
				healthy[key] = sync.OnceValue(func() course {
					return play(t, Options{Dialect: dialect, Variant: m.Variant}, conversations, m.Area, nil)
				})
			}
			t.Run(dialect+"/"+m.Name, func(t *testing.T) {
				t.Parallel()
				want := healthy[key]()
				seen := play(t, Options{Dialect: dialect, Mutant: m.Name}, conversations, m.Area, want)
				changed := seen.differs(want)
				if len(changed) == 0 {
					t.Fatalf("the mutant behaves like the healthy server in all conversations of dialectPlays[%q]: add a call that shows it", dialect)
				}
				t.Logf("changes %s", strings.Join(changed, ", "))
			})
		}
	}
}

// dialectPlays holds the conversations of each dialect that show the mutants
// of some areas.
var dialectPlays = map[string]func(p *player, area string){"a2a-0.1": playA2A01, "a2a-0.3": playA2A03, "a2a-1.0": playA2A10, "a2x-0.3": playA2X03, "jaf-0.3": playJAF03}

// longestFirst are the dialects that have plays, first that of which there is most to play.
func longestFirst() []string {
	return slices.SortedFunc(maps.Keys(dialectPlays), func(a, b string) int { return len(Mutants(b)) - len(Mutants(a)) })
}

// TestHealthyServersRepeatThemselves shows that a difference between two plays
// is a difference between two servers, in the areas in which the variant has
// mutants. Where only the first mutants are played, so are the first variants.
func TestHealthyServersRepeatThemselves(t *testing.T) {
	t.Parallel()
	for _, dialect := range longestFirst() {
		conversations, variants := dialectPlays[dialect], Variants(dialect)
		if drawMutants(t).nth == 0 {
			variants = []string{Mutants(dialect)[0].Variant}
		}
		for _, variant := range variants {
			t.Run(dialect+"/"+variant, func(t *testing.T) {
				t.Parallel()
				o := Options{Dialect: dialect, Variant: variant}
				var areas []string
				for _, m := range Mutants(dialect) {
					if m.Variant == variant && !slices.Contains(areas, m.Area) {
						areas = append(areas, m.Area)
					}
				}
				if len(areas) == 0 {
					return
				}
				all := strings.Join(areas, " ")
				var plays [2]course
				var both sync.WaitGroup
				for i := range plays {
					both.Go(func() { plays[i] = play(t, o, conversations, all, nil) })
				}
				both.Wait()
				if t.Failed() {
					return
				}
				one, two := plays[0].last(), plays[1].last()
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

	undelivered atomic.Int32 // notifications of a task that waits which the receiver refused

	headers map[string]string // sent with every request

	mu   sync.Mutex
	seen map[string]string

	course course // so far
	want   course // of the healthy server; nil: there is nothing to compare
}

// A course is what was seen, by step, after each conversation of a play.
type course []map[string]string

func (c course) last() map[string]string { return c[len(c)-1] }

// differs returns the steps in which the end of c is not what another course
// was at that point. What arrives by itself is only compared at the very end.
func (c course) differs(from course) []string {
	var list []string
	seen, want := c.last(), from[len(c)-1]
	for _, step := range slices.Sorted(maps.Keys(want)) {
		if seen[step] != want[step] && (len(c) == len(from) || !strings.HasPrefix(step, "push /")) {
			list = append(list, step)
		}
	}
	return list
}

// play holds the conversations, up to one in which something is other than
// wanted, and returns what was seen.
func play(t *testing.T, o Options, conversations func(*player, string), area string, want course) course {
	return playBy(t, o, conversations, area, want, nil)
}

// A carrier makes the calls of JSON-RPC of a client in another binding.
type carrier func(t *testing.T, s *Server, other http.RoundTripper) http.RoundTripper

// playBy is play in another binding, unless there is no carrier.
func playBy(t *testing.T, o Options, conversations func(*player, string), area string, want course, by carrier) course {
	o.Rate = roomy
	if area == "ratelimit" {
		o.Rate = Rate{Requests: 5, Window: 2 * time.Second} // a busy machine exceeds it, too
	}
	if slices.Contains(strings.Fields(area), "grpc") {
		o.GRPCAddr = "127.0.0.1:0"
	}
	s, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := &player{t: t, server: s, client: newClient(), seen: make(map[string]string), want: want}
	defer p.client.CloseIdleConnections()
	if by != nil {
		p.client.Transport = by(t, s, p.client.Transport)
	}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told, _ := decode(body)
		switch state := cmp.Or(text(told, "status/state"), text(told, "statusUpdate/status/state")); strings.ToLower(strings.TrimPrefix(state, "TASK_STATE_")) {
		case "submitted", "working": // whether a receiver was known in time for these is chance
		default:
			p.once("push "+r.URL.Path, strings.Join([]string{r.Method, r.URL.RawQuery, r.Header.Get("Content-Type"), r.Header.Get("Authorization"),
				r.Header.Get("X-A2A-Notification-Token"), string(body)}, " "))
		}
		if r.URL.Path == "/hanging" {
			select {
			case <-r.Context().Done():
			case <-time.After(time.Second):
			}
		}
		if r.URL.Path == "/failing" {
			if strings.Contains(string(body), "INPUT_REQUIRED") {
				p.undelivered.Add(1)
			}
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer hook.Close()
	p.hook = hook.URL
	conversations(p, area)
	return p.course
}

// A conversation shows the mutants of some areas.
type conversation struct {
	areas string
	hold  func()
}

// converse holds the conversations about some areas.
func (p *player) converse(areas string, list []conversation) {
	for _, c := range list {
		if slices.ContainsFunc(strings.Fields(areas), func(area string) bool { return slices.Contains(strings.Fields(c.areas), area) }) {
			c.hold()
			p.mu.Lock()
			p.course = append(p.course, maps.Clone(p.seen))
			p.mu.Unlock()
			if p.want != nil && !testing.Verbose() && len(p.course.differs(p.want)) > 0 {
				return
			}
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
	aPage   = regexp.MustCompile(`"nextPageToken": ?"[\w-]+"`) // which counts what other tasks do meanwhile
	aSeal   = regexp.MustCompile(`"signature": ?"[\w-]{40,}"|"protected": ?"ey[\w-]+"`)
)

// inTime does something that may come too late on a busy machine until it did not, a few
// times.
func inTime(did func() bool) {
	for range 5 {
		if did() {
			return
		}
	}
}

func (p *player) note(step, what string) {
	what = canonical(what)
	what = aTime.ReplaceAllString(what, "TIME")
	what = aName.ReplaceAllString(what, "NAME")
	what = aHost.ReplaceAllString(what, "HOST")
	what = aNote.ReplaceAllString(what, "NOTE")
	what = aLength.ReplaceAllString(what, "LENGTH")
	what = aPage.ReplaceAllString(what, "PAGE")
	what = aSeal.ReplaceAllString(what, "SEAL")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[step] += what + "\n"
}

// once notes what unless it is there already, in alphabetical order: how often
// a task is announced, and which of two tasks first, is a matter of chance.
func (p *player) once(step, what string) {
	p.mu.Lock()
	old := p.seen[step]
	delete(p.seen, step)
	p.mu.Unlock()
	p.note(step, what)
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := slices.Sorted(strings.Lines(old + p.seen[step]))
	p.seen[step] = strings.Join(slices.Compact(lines), "")
}

// send notes the reply to one HTTP request and returns its decoded body.
func (p *player) send(step, method, path, media, body string) any {
	r, err := http.NewRequest(method, p.server.URL()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	if media != "" {
		r.Header.Set("Content-Type", media)
	}
	p.dress(r)
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

// dress gives a request the headers of every one. A name that begins in lower case
// is sent as it is.
func (p *player) dress(r *http.Request) {
	for name, value := range p.headers {
		if name[0] >= 'a' {
			r.Header[name] = []string{value}
		} else {
			r.Header.Set(name, value)
		}
	}
}

// An arrival is an event of a stream with the time it came.
type arrival struct {
	at   time.Time
	body any
}

// stream notes the head, the raw events and the end of a stream, and calls
// each, unless nil, with every event.
func (p *player) stream(step, path, body string, each func(event any, drop func())) []arrival {
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "POST", p.server.URL()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	p.dress(r)
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
			result := at(v, "result")
			if result == nil { // it came without an envelope
				result = v
			}
			list = append(list, arrival{time.Now(), result})
			if each != nil {
				each(result, stop)
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
	for _, name := range []string{"Cache-Control", "Connection", "Access-Control-Allow-Origin", "X-A2a-Version", extensionsHeader,
		"Etag", "Last-Modified", "A2a-Extensions", "Strict-Transport-Security", "Ratelimit-Limit", "X-Ratelimit-Limit", "X-Ratelimit-Window", "Www-Authenticate"} {
		list = append(list, h.Get(name))
	}
	remaining, _ := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	reset := h.Get("X-RateLimit-Reset")
	_, seconds := strconv.Atoi(cmp.Or(h.Get("Retry-After"), "0"))
	return fmt.Sprint(list, remaining > 9000, len(reset), seconds)
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

// unread sends the call of a stream without an id.
func (p *player) unread(path, stream, params string) {
	p.send("stream without id", "POST", path, "application/json", `{"jsonrpc":"2.0","method":"`+stream+`","params":`+params+`}`)
}

// backwards tells whether the states of a stream go back, and what follows its end.
func backwards(of []arrival) string {
	worked, back, after, final := false, false, 0, false
	for _, a := range of {
		state := text(a.body, "status/state")
		if final {
			after++
		}
		back = back || worked && state == "submitted"
		worked = worked || state == "working" && text(a.body, "kind") != "task"
		final = final || at(a.body, "final") == true
	}
	return fmt.Sprint(" back: ", back, " after: ", after)
}
