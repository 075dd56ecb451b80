package e2e

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
)

var newID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// Nothing that a run sends names the scenario or the step that it is for, and the
// suite is named by the User-Agent alone, and by what is registered with a directory.
func TestNothingOnTheWireNamesTheStep(t *testing.T) {
	t.Parallel()
	for _, name := range testamount.Of(schema.Names(), "a2a-0.3", "core-schema") {
		t.Run(name, func(t *testing.T) {
			s := bundled(t, reference.Options{Dialect: name})
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: name, Version: "7.0", Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure,
				Declarations: []string{"cancel"}, Allow: []schema.Risk{schema.Heavy, schema.Residue, schema.Outbound}, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}, Credentials: conform.Credentials{Bearer: reference.Token}, Judging: conform.Judging{CompareUserAgents: true}})
			if err != nil {
				t.Fatal(err)
			}
			paths, err := os.ReadFile(path.Join("schema", name, "dialect.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			w := &wireReader{t: t, served: string(paths), ids: map[string]string{}}
			for i := range o.Transcript.Plays {
				p := &o.Transcript.Plays[i]
				for j := range p.Steps {
					if s := &p.Steps[j]; s.Exchange != nil && s.Of == "" {
						w.step(p, s)
					}
				}
			}
			if w.calls < 15 || w.made < w.calls*2/3 {
				t.Errorf("%d of %d calls bear an id that was made by chance", w.made, w.calls)
			}
			if hooks := o.Dialect.Has("push-set"); hooks != (w.hooks > 0) {
				t.Errorf("%d deliveries were seen", w.hooks)
			}
		})
	}
}

// wireReader looks for names in what a run sent.
type wireReader struct {
	t      *testing.T
	served string            // what describes the dialect: the paths of its servers are in it
	ids    map[string]string // of calls, by the step that sent them
	calls  int
	made   int // of them, those with an id that was made by chance
	hooks  int // deliveries
}

func (w *wireReader) step(p *record.Play, s *record.Step) {
	names := []string{p.Scenario, s.Name}
	for _, other := range p.Steps {
		if other.Hook != "" {
			names = append(names, other.Hook)
		}
	}
	wrong := func(where, text string) {
		text = strings.ReplaceAll(text, "https://conform.example.com/", "") // which is the server's own
		if why := naming(text, p.Scenario+"/"+s.Name, names); why != "" {
			w.t.Errorf("%s/%s: %s is %.200q, which %s", p.Scenario, s.Name, where, text, why)
		}
	}
	x := s.Exchange
	u, err := url.Parse(x.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	if s.Op == conversation.Delivery {
		w.hooks++
		if id := strings.TrimPrefix(u.Path, "/"); !newID.MatchString(id) {
			w.t.Errorf("%s/%s: the webhook is %s", p.Scenario, s.Name, x.URL)
		}
		return
	}
	if x.Dir != record.Out {
		return
	}
	for _, segment := range append(strings.Split(u.Path, "/"), u.RawQuery) {
		if p.Scenario == "directory" { // which looks up what it registered
			segment = strings.TrimPrefix(segment, "a2a-conform-")
		}
		if segment != "" && !strings.Contains(w.served, "/"+segment) {
			wrong("a part of the URL", segment)
		}
	}
	disguised := p.Scenario == binding.DisguisePlay && strings.Contains(s.Name, binding.Disguised)
	for field, values := range x.Request.Header() {
		switch {
		case field != "User-Agent":
			wrong("the header field "+field, strings.Join(values, ", "))
		case disguised != (values[0] != "a2a-conform/7.0"), disguised && strings.Contains(values[0], "conform"):
			w.t.Errorf("%s/%s: the User-Agent is %q", p.Scenario, s.Name, values)
		}
	}
	root, faults := record.ObserveJSON(x.Request.Body)
	if len(faults) > 0 || root == nil {
		if body := string(x.Request.Body); strings.Contains(body, "a2a-conform") || strings.Contains(body, p.Scenario+"/"+s.Name) {
			w.t.Errorf("%s/%s: the body is %.200q", p.Scenario, s.Name, body)
		}
		return
	}
	if id := root.Member("id"); id != nil && id.Kind == record.String && root.Member("method") != nil {
		w.calls++
		if newID.MatchString(id.String) {
			w.made++
			if first := w.ids[id.String]; first != "" && !strings.Contains(s.Name+first, "-limited-") {
				w.t.Errorf("%s/%s has the id of %s", p.Scenario, s.Name, first)
			}
			w.ids[id.String] = p.Scenario + "/" + s.Name
		}
	}
	w.members("", root, func(member, text string) {
		if s.Op == "register" && member == "agentId" {
			text = strings.TrimPrefix(text, "a2a-conform-")
		}
		wrong("the member "+member, text)
	})
}

// wordsOfOthers are the members whose words are those of the protocol or of the message.
var wordsOfOthers = []string{"method", "kind", "type", "role", "text", "action"}

// members shows every text of a body, and the names of members too.
func (w *wireReader) members(name string, n *record.Node, show func(member, text string)) {
	if n.Kind == record.String && !slices.Contains(wordsOfOthers, name) {
		show(name, n.String)
	}
	for _, e := range n.Elems {
		w.members(name, e, show)
	}
	for _, m := range n.Members {
		if strings.Contains(m.Name, "conform") {
			show("with that name", m.Name)
		}
		w.members(m.Name, m.Value, show)
	}
}

// naming says how a text names the suite, or a scenario or step; "" if it does not.
func naming(text, step string, names []string) string {
	if strings.Contains(text, "conform") {
		return "names the suite"
	}
	if strings.Contains(text, step) {
		return "names the step"
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("/?& ()", r) }) {
		for _, name := range names {
			if part == name || len(name) > 2 && (strings.HasSuffix(part, "-"+name) || strings.HasPrefix(part, name+"-")) {
				return fmt.Sprintf("has the name %q", name)
			}
		}
	}
	return ""
}
