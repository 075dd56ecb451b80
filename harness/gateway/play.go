// Package gateway holds the same conversations with a server directly and through a gateway, by turns, and records both.
// If its upstream is behind the gateway, it records as well what reached the server. It judges nothing.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Config is what the conversations are held for.
type Config struct {
	Direct   string    // URL of the server, as a client without the gateway is given it
	Through  string    // URL of the gateway, as a client is given it
	GRPC     string    // HOST:PORT at which the gateway takes gRPC; "" for that of Through
	Upstream *Upstream // is behind the gateway, and is called directly too; nil for a server of others
	Dialect  string    // by which the server is called; "auto" (also "") for the first one that its card fits
	// Detect lists the dialects that a card fits, the one to call by first.
	Detect  func(card *record.Node) ([]string, error)
	Header  http.Header // of every call, such as the operator's credentials
	Text    string      // of the messages; "" for a harmless one
	Version string      // of this program, for the record
	Bundled bool        // the server is the one of this program
	Variant string      // of that server, for the record
	Flags   []string    // of run that say how it calls, for the record
	Secrets []string    // names of the credentials in Header, for the record
	Started time.Time
	Redact  *redact.Redactor
	Timeout time.Duration // of one call; 0 for 30 s
	// Deadline is how long all conversations may take together, however long the gateway or the server makes each of them take; 0
	// for 3 min.
	Deadline time.Duration
	Gate     string // of the run, for the record
}

// player holds the conversations of one run.
type player struct {
	cfg     Config
	client  *client.Client
	dialect *schema.Dialect
	writer  *dialect.Writer
	card    card.Card
	direct  way
	through way
	ways    map[string]string // the path of the calls in each binding, below the URL of the server; of gRPC the address
	nonce   string
}

// way is one of the two ways to the server.
type way struct {
	side record.Side
	base *url.URL
	grpc string
}

// conversation is a list of calls that are made in the same way directly and through the gateway.
type conversation struct {
	name    string
	about   string
	binding string
	waits   bool // it takes seconds, and is held at the same time as others of its kind
	own     bool // the upstream answers it itself
	line    bool // its calls are made on one connection of their own
	steps   []step
}

// step is a call of a conversation.
type step struct {
	name string
	op   string
	wait time.Duration // before the call
	most time.Duration // that the call may take; 0 for that of all calls
	call func(w way, before []*record.Exchange) (client.Call, error)
}

// Play holds all conversations, and returns the sealed record. The error is a mistake of the operator; whatever the server and the
// gateway do is no error, except that the server has no card that is understood.
func Play(ctx context.Context, cfg Config) (*record.Transcript, error) {
	p := &player{cfg: cfg, nonce: (*operator.IDs)(nil).New()}
	var err error
	if p.direct.base, err = readBase(cfg.Direct); err != nil {
		return nil, err
	}
	if p.through.base, err = readBase(cfg.Through); err != nil {
		return nil, err
	}
	p.direct.side, p.through.side = record.DirectSide, record.ThroughSide
	p.client = client.NewClient(client.Config{Started: cfg.Started, Timeout: cmp.Or(cfg.Timeout, 30*time.Second), Redact: cfg.Redact, UserAgent: "a2a-conform/" + cfg.Version})
	defer p.client.Close()
	run := ctx
	ctx, cancel := context.WithTimeout(run, cmp.Or(cfg.Deadline, 3*time.Minute))
	defer cancel()
	if err := p.findCard(ctx); err != nil {
		return nil, err
	}
	if p.writer, err = dialect.For(p.dialect.Name); err != nil {
		return nil, err
	}
	p.findWays()
	facts := record.Facts{Tool: cfg.Version, Kind: "url", Role: schema.GatewayRole, Target: cfg.Direct, Through: cfg.Through, Upstream: cfg.Upstream != nil, Dialect: p.dialect.Name, RPC: cfg.Direct, Gate: cfg.Gate, Catalogue: p.dialect.Digest}
	facts.ThroughGRPC, facts.Secrets, facts.Flags = cfg.GRPC, cfg.Secrets, cfg.Flags
	if cfg.Bundled {
		facts.Kind, facts.Variant = "bundled", cfg.Variant
	} else if cfg.Upstream != nil {
		facts.Server = redact.StripSecrets(cfg.Upstream.cfg.Server)
	}
	t := &record.Transcript{Started: cfg.Started, Facts: facts}
	t.Plays = p.holdAll(ctx)
	if cfg.Upstream != nil && isPassedElsewhere(t.Plays) {
		return nil, &operator.UsageError{Text: fmt.Sprintf("--upstream-listen: the gateway at %s answers, and none of its calls came to %s; have it pass its calls on to that address", redact.StripSecrets(cfg.Through), strings.TrimPrefix(cfg.Upstream.URL(), "http://"))}
	}
	if run.Err() != nil {
		t.Facts.Cut, t.Facts.Stopped = "the run was interrupted", true
	} else if ctx.Err() != nil {
		t.Facts.Cut = "the run reached its deadline"
	}
	t.Duration = time.Since(cfg.Started)
	if cfg.Redact != nil {
		cfg.Redact.Transcript(t)
	}
	t.Seal()
	return t, nil
}

// readBase reads the URL of the server or of the gateway.
func readBase(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &operator.UsageError{Text: fmt.Sprintf("%q is no URL; write it like http://localhost:8080", redact.StripSecrets(address))}
	}
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// belowBase returns an address below the URL of the server or of the gateway.
func (w way) belowBase(path string) string {
	out := *w.base
	at := strings.TrimSuffix(out.EscapedPath(), "/") + path
	if unescaped, err := url.PathUnescape(at); err == nil {
		out.Path, out.RawPath = unescaped, at
	}
	return out.String()
}

// findCard reads the card of the server, and chooses the dialect by it.
func (p *player) findCard(ctx context.Context) error {
	auto := p.cfg.Dialect == "" || p.cfg.Dialect == "auto"
	var paths []string
	for _, name := range schema.Names() {
		if d, err := schema.Outline(name); err == nil && (auto || name == p.cfg.Dialect) {
			paths = append(paths, d.Card.Paths...)
		}
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		x := p.client.Do(ctx, client.Call{Method: http.MethodGet, URL: p.direct.belowBase(path), Header: p.cfg.Header.Clone()}, nil)
		root := x.Reply().Root
		if !x.Obtained() || root == nil {
			continue
		}
		names := []string{p.cfg.Dialect}
		if auto {
			var err error
			if names, err = p.cfg.Detect(root); err != nil {
				return err
			}
		}
		for _, name := range names {
			d, err := schema.Load(name)
			if err != nil {
				return &operator.UsageError{Text: "--dialect: " + err.Error()}
			}
			if c := card.Of(d, root); c.MayBe() {
				p.dialect, p.card = d, c
				return nil
			}
		}
	}
	return &operator.UsageError{Text: fmt.Sprintf("there is no agent card below %s that is understood, so that nothing can be compared; name its dialect with --dialect", redact.StripSecrets(p.cfg.Direct))}
}

// findWays finds in which bindings the server is called, and by which paths.
func (p *player) findWays() {
	p.ways = map[string]string{}
	all := p.card.Interfaces()
	if len(all) == 0 { // the protocol has one binding, and the card one address
		if usual, ok := p.card.Usual(); ok {
			all = append(all, usual)
		}
	}
	for _, i := range all {
		name := cmp.Or(i.Transport(), slices.Concat(binding.Names(p.dialect), []string{""})[0])
		kind := p.dialect.Bindings[name].Kind
		_, known := p.ways[name]
		if known || kind == "" || i.URL() == "" {
			continue
		}
		if kind == schema.KindGRPC {
			server := p.cfg.Direct
			if p.cfg.Upstream != nil {
				server = p.cfg.Upstream.cfg.Server
			}
			if !isSameHost(strings.TrimPrefix(i.URL(), "dns:///"), server) { // a card does not say to whom credentials are sent
				continue
			}
			p.direct.grpc, p.through.grpc = i.URL(), cmp.Or(p.cfg.GRPC, p.through.base.Scheme+"://"+p.through.base.Host)
			if p.cfg.Upstream != nil {
				p.cfg.Upstream.learnGRPC(i.URL())
				p.direct.grpc = p.direct.base.Scheme + "://" + p.direct.base.Host
			}
			p.ways[name] = p.direct.grpc
			continue
		}
		u, err := url.Parse(i.URL())
		if err != nil {
			continue
		}
		path, isBelow := strings.CutPrefix(u.EscapedPath(), strings.TrimSuffix(p.direct.base.EscapedPath(), "/"))
		if isBelow && (p.cfg.Upstream != nil || u.Host == p.direct.base.Host) { // another host is not behind the gateway
			p.ways[name] = path
		}
	}
}

// isSameHost reports whether two addresses lead to one host. All names of this machine are those of one.
func isSameHost(a, b string) bool {
	one, isOne := card.HostOf(a)
	other, isOther := card.HostOf(b)
	return isOne && isOther && (strings.EqualFold(one, other) || card.Loopback(one) && card.Loopback(other))
}

// endpointOf returns the address of the calls of a binding.
func (p *player) endpointOf(w way, name string) string {
	if p.dialect.Bindings[name].Kind == schema.KindGRPC {
		return w.grpc
	}
	return w.belowBase(p.ways[name])
}

// holdAll holds the conversations, and once more those that were broken off.
func (p *player) holdAll(ctx context.Context) []record.Play {
	all := p.listConversations()
	plays := p.holdEach(ctx, all, 1)
	var again []conversation
	for i := range plays {
		if len(again) < mostAgain && isBrokenOff(&plays[i]) && ctx.Err() == nil {
			again = append(again, all[i])
		}
	}
	plays = append(plays, p.holdEach(ctx, again, 2)...)
	if p.cfg.Upstream != nil {
		p.addArrivals(plays)
	}
	return plays
}

// isPassedElsewhere reports whether calls were answered through the gateway, and none of them came to the upstream.
func isPassedElsewhere(plays []record.Play) bool {
	answered := false
	for i := range plays {
		for _, s := range plays[i].Steps {
			if s.Side == record.ArrivedSide {
				return false
			}
			answered = answered || s.Side == record.ThroughSide && s.Exchange != nil && s.Exchange.Answered() && s.Exchange.Status() == http.StatusOK
		}
	}
	return answered
}

// mostAgain is how many conversations are held once more, so that a gateway that breaks each call off costs little time.
const mostAgain = 8

// isBrokenOff reports whether an answer was broken off on its way through the gateway, or is a stream that has fewer events, and not so
// directly. That happens to a single call on a busy machine or network, and shows a habit of the gateway only if it happens again.
// All attempts are recorded, and the last one is judged.
func isBrokenOff(play *record.Play) bool {
	direct := map[string]*record.Exchange{} // by the name of the step
	for _, s := range play.Steps {
		if s.Side == record.DirectSide && s.Exchange != nil && s.Exchange.Ended == record.EOF {
			direct[strings.TrimSuffix(s.Name, string(s.Side))] = s.Exchange
		}
	}
	return slices.ContainsFunc(play.Steps, func(s record.Step) bool {
		if s.Side != record.ThroughSide || s.Exchange == nil {
			return false
		}
		whole := direct[strings.TrimSuffix(s.Name, string(s.Side))]
		return whole != nil && (s.Exchange.Ended == record.Reset || s.Exchange.IsStream() && len(s.Exchange.Events()) < len(whole.Events()))
	})
}

// holdEach holds conversations: one after the other, and at the end all those at the same time that take seconds.
func (p *player) holdEach(ctx context.Context, all []conversation, attempt int) []record.Play {
	plays := make([]record.Play, len(all))
	var beside sync.WaitGroup
	for i, c := range all {
		if !c.waits {
			plays[i] = p.holdConversation(ctx, c, attempt, i%2 == 1)
		}
	}
	for i, c := range all {
		if c.waits {
			beside.Go(func() { plays[i] = p.holdConversation(ctx, c, attempt, i%2 == 1) })
		}
	}
	beside.Wait()
	return plays
}

// holdConversation holds a conversation on both ways: all of it on one way and then on the other, by turns the one or the other first.
func (p *player) holdConversation(ctx context.Context, c conversation, attempt int, throughFirst bool) record.Play {
	play := record.Play{Scenario: c.name, About: c.about, Attempt: attempt, Subject: record.Subject{Binding: c.binding}}
	ways := []way{p.direct, p.through}
	if throughFirst {
		slices.Reverse(ways)
	}
	steps, stops := make([][]record.Step, len(ways)), make([]string, len(ways))
	var beside sync.WaitGroup
	for i, w := range ways {
		if c.waits { // what takes long is no quicker alone
			beside.Go(func() { steps[i], stops[i] = p.holdOn(ctx, c, w) })
			continue
		}
		steps[i], stops[i] = p.holdOn(ctx, c, w)
	}
	beside.Wait()
	play.Steps, play.Stop = slices.Concat(steps...), cmp.Or(stops...)
	slices.SortStableFunc(play.Steps, func(a, b record.Step) int { return cmp.Compare(a.Side, b.Side) })
	return play
}

// holdOn holds a conversation on one way. It returns the steps, and why it stopped before the last one.
func (p *player) holdOn(ctx context.Context, c conversation, w way) (steps []record.Step, stop string) {
	var before []*record.Exchange
	var line *client.Line
	if c.line {
		line = p.client.Line(false)
		defer line.Close()
	}
	for _, s := range c.steps {
		if s.wait > 0 && !pauseFor(ctx, s.wait) {
			return steps, "the run ended first"
		}
		call, err := s.call(w, before)
		if err != nil {
			return steps, err.Error()
		}
		p.completeCall(&call, c)
		call.Line = line
		if s.most > 0 {
			call.Timeout = min(call.Timeout, s.most)
		}
		x := p.client.Do(ctx, call, nil)
		before = append(before, x)
		steps = append(steps, record.Step{Name: s.name + "-" + string(w.side), Role: record.Main, Op: s.op, Side: w.side, Exchange: x})
	}
	return steps, ""
}

// pauseFor waits. It reports false if the run ends first.
func pauseFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// completeCall adds to a call what all calls have.
func (p *player) completeCall(call *client.Call, c conversation) {
	call.Once = call.Method != http.MethodGet
	if call.Header == nil {
		call.Header = http.Header{}
	}
	for name, values := range p.cfg.Header {
		if call.Header.Get(name) == "" {
			call.Header[name] = values
		}
	}
	if c.own {
		call.Timeout = min(cmp.Or(p.cfg.Timeout, ownPatience), ownPatience)
	}
}

// ownPatience is how long an answer of the upstream may take on its way.
const ownPatience = 10 * time.Second

// idOf returns the id by which the requests of a conversation on one way are recognised when they arrive.
func (p *player) idOf(conversation, binding string, side record.Side) string {
	return conversation + "." + binding + "." + string(side) + "." + p.nonce
}

// addArrivals adds to each step through the gateway the requests that reached the upstream because of it. A request of
// the upstream's own answers names its conversation; others are those that arrived while the step went on, since no two
// such steps go on at the same time.
func (p *player) addArrivals(plays []record.Play) {
	arrivals := p.cfg.Upstream.listArrivals()
	for i := range plays {
		play := &plays[i]
		for _, s := range slices.Clone(play.Steps) {
			if s.Side != record.ThroughSide || s.Exchange == nil {
				continue
			}
			n := 0
			for _, x := range arrivals {
				if !belongsTo(x, s.Exchange) {
					continue
				}
				if n++; n > mostRepeats {
					break
				}
				name := strings.TrimSuffix(s.Name, "-"+string(record.ThroughSide)) + "-" + string(record.ArrivedSide)
				if n > 1 {
					name = fmt.Sprint(name, "-", n)
				}
				play.Steps = append(play.Steps, record.Step{Name: name, Role: record.Main, Op: s.Op, Side: record.ArrivedSide, Exchange: x})
			}
		}
	}
}

// mostRepeats is how many requests are kept that arrived because of one.
const mostRepeats = 5

// belongsTo reports whether a request arrived because of a call through the gateway.
func belongsTo(arrived, through *record.Exchange) bool {
	if arrived.Start < through.Start || arrived.Start > through.End {
		return false
	}
	u, err := url.Parse(arrived.URL)
	if err != nil {
		return false
	}
	called, err := url.Parse(through.URL)
	if err != nil {
		return false
	}
	_, id := readAsked(u, arrived.Request.MediaType(), arrived.Request.Body)
	if _, wanted := readAsked(called, through.Request.MediaType(), through.Request.Body); wanted != "" || id != "" {
		return id == wanted
	}
	return arrived.Request.Method() == through.Request.Method() && !isElsewhere(u, called)
}

// isElsewhere reports whether a request is not for what was called, such as one by which the gateway asks whether the server
// is there.
func isElsewhere(arrived, called *url.URL) bool {
	return lastSegment(arrived) != lastSegment(called)
}

// lastSegment returns what follows the last slash of a path.
func lastSegment(u *url.URL) string { return u.Path[strings.LastIndexByte(u.Path, '/')+1:] }

// encodeCall writes a call of an operation in a binding.
func (p *player) encodeCall(w way, name, op string, params map[string]any, id any) (client.Call, error) {
	if params == nil && op != "" && p.writer.Params[op] == nil {
		return client.Call{}, errors.New("the protocol has no such operation")
	}
	return binding.ByNameOrDefault(p.dialect, name).Encode(p.endpointOf(w, name), binding.Request{Op: op, ID: id, Params: params})
}
