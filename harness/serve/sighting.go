package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// sighting is what a request is, by its address and what it asks for.
type sighting struct {
	role    string // card, call or stray, another name of an address, or handshake
	op      string
	face    *face
	binding binding.Binding
	sent    binding.Sent
	place   *place
	foreign bool // it is a call of another version than that of the interface
}

// refuseService answers that the server does not have a service of gRPC.
func refuseService(a *answerWriter, _ *request) {
	a.writeWhole(http.StatusOK, append(listTypeFields(grpcMedia), record.Field{Name: "grpc-status", Value: "12"}), nil)
}

// recogniseRequest describes a request of the client.
func (s *stage) recogniseRequest(x *record.Exchange) sighting {
	u, err := url.Parse(x.URL)
	if err != nil {
		return sighting{role: "stray"}
	}
	if len(x.Request.Head) == 0 {
		return sighting{role: "handshake"}
	}
	base := u.Scheme + "://" + u.Host
	if base == s.bases[0] && slices.Contains(s.dialect.Card.Paths, u.Path) || slices.Contains(s.cardAt, base+u.Path) {
		return sighting{role: "card", op: "card"}
	}
	if p, is := s.places[base+u.Path]; is {
		return sighting{role: p.role, place: &p}
	}
	if x.HTTP2 != nil && strings.HasPrefix(u.Path, "/grpc.") { // a service of gRPC itself, such as a health check or reflection
		return sighting{role: "grpc-service", place: &place{"grpc-service", refuseService}}
	}
	for i := range s.faces {
		f := &s.faces[i]
		b := s.findBinding(f)
		if b == nil {
			continue
		}
		if s.isGRPCAt(f, x, base) {
			sent := b.Sent(x)
			return sighting{role: "call", face: f, binding: b, sent: sent, op: sent.Op}
		}
		to, err := url.Parse(f.url)
		if err != nil || f.binding == overGRPC || to.Scheme+"://"+to.Host != base {
			continue
		}
		below, is := strings.CutPrefix(u.EscapedPath(), strings.TrimRight(to.EscapedPath(), "/"))
		switch {
		case f.binding == jsonRPC && (u.EscapedPath() == to.EscapedPath() || below == "/" && to.Path == "" || below == "" && to.Path == "/"):
		case f.binding == httpJSON && is && (below == "" || below[0] == '/'):
		default:
			continue
		}
		found := sighting{role: "call", face: f, binding: b, sent: b.Sent(x)}
		if f.hidden {
			found.role = "redirected"
		}
		if found.sent.Op == "" && f.form.dialectName() != s.dialect.Name { // it may call by the words of the other version
			found.sent = s.findBindingIn(s.dialect, f.binding).Sent(x)
			found.foreign = found.sent.Op != ""
		}
		found.op = found.sent.Op
		return found
	}
	if base == s.bases[0] {
		return s.recogniseFixedPath(x, u.EscapedPath())
	}
	return sighting{role: "stray"}
}

// recogniseFixedPath describes a request to a path that the dialect has for servers of several agents, whatever their cards name.
func (s *stage) recogniseFixedPath(x *record.Exchange, path string) sighting {
	of := s.dialect.Agents
	i := slices.IndexFunc(s.faces, func(f face) bool { return f.binding == jsonRPC && !f.hidden })
	reads := x.Request.Method() == http.MethodGet || x.Request.Method() == http.MethodHead
	switch {
	case of.List == "":
	case fitsPath(of.Card, path):
		return sighting{role: "card", op: "card"}
	case reads && path == of.List:
		return sighting{role: agentsRole, place: &place{agentsRole, func(a *answerWriter, _ *request) {
			answerDocument(a, object{"agents": []any{s.buildCard()}})
		}}}
	case reads && fitsPath(of.Info, path):
		return sighting{role: agentsRole, place: &place{agentsRole, func(a *answerWriter, _ *request) { answerDocument(a, s.buildCard()) }}}
	case i >= 0 && !reads && (path == s.dialect.RPCPath || fitsPath(of.RPC, path)):
		b := s.findBinding(&s.faces[i])
		sent := b.Sent(x)
		return sighting{role: "call", face: &s.faces[i], binding: b, sent: sent, op: sent.Op}
	}
	return sighting{role: "stray"}
}

// fitsPath reports whether a path is what a pattern has for the name of some agent.
func fitsPath(pattern, path string) bool {
	before, after, named := strings.Cut(pattern, "{name}")
	name, begins := strings.CutPrefix(path, before)
	name, ends := strings.CutSuffix(name, after)
	return named && begins && ends && name != "" && !strings.Contains(name, "/")
}

// findBinding returns the binding of an interface; nil for one that is not served.
func (s *stage) findBinding(f *face) binding.Binding {
	return s.findBindingIn(s.dialects[f.form.dialectName()], f.binding)
}

// findBindingIn returns the binding of a dialect by its name; nil for one that is not served.
func (s *stage) findBindingIn(d *schema.Dialect, name string) binding.Binding {
	if d == nil || name != jsonRPC && name != httpJSON && name != overGRPC {
		return nil
	}
	return binding.ByNameOrDefault(d, name)
}
