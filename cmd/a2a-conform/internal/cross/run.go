package cross

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Run is what the pairs are run with.
type Run struct {
	Clients      []ClientEntry
	Servers      []ServerEntry
	Text, Second string
	Patience     time.Duration // for one start of a client
	Wait         time.Duration // for a server to answer
	Jobs         int           // servers that are called at the same time
	Again        bool          // finished pairs are run again
	Dir          string        // for the table and what is kept of each pair
	Version      string        // of this program
	// Done is called after each pair, by one goroutine at a time; kept states that it was finished before. May be nil.
	Done func(c *crosspage.Cell, kept bool)
	// Warn is called with what the operator should know; may be nil.
	Warn func(text string)
	// call is a client in this process in place of the commands, for tests.
	call func(entry *ClientEntry) func(ctx context.Context, t *serve.Task) error

	mu     sync.Mutex
	redact *redact.Redactor
	shows  map[string]*calibration // by client and dialect
}

// calibration is what the scripted servers showed of a client in one dialect.
type calibration struct {
	once sync.Once
	is   record.Calibration
	err  error
}

// Execute runs the pairs that are missing, and returns the table. The error is a mistake of the operator, or that of a
// context that was canceled, and then there is a table as well.
func (r *Run) Execute(ctx context.Context) (*crosspage.Table, error) {
	var secrets []redact.Secret
	for _, e := range r.listEntries() {
		secrets = append(secrets, e.known...)
	}
	r.redact, r.shows = redact.NewRedactor(secrets), map[string]*calibration{}
	r.Text, r.Jobs = cmp.Or(r.Text, serve.DefaultText), max(1, r.Jobs)
	r.Patience, r.Wait = cmp.Or(r.Patience, serve.DefaultPatience), cmp.Or(r.Wait, defaultWait)
	for _, e := range r.listEntries() {
		e.linkPage(r.Dir)
	}
	t := &crosspage.Table{SchemaVersion: "1", Text: r.redact.String(r.Text), Second: r.redact.String(r.Second), Clients: []crosspage.Client{}, Servers: []crosspage.Server{}, Cells: []crosspage.Cell{},
		Tool: crosspage.Tool{Name: "a2a-conform", Version: r.Version, CatalogueVersion: schema.Changes().Latest()}}
	cells := make([][]*crosspage.Cell, len(r.Servers))
	servers := make([]crosspage.Server, len(r.Servers))
	var work errgroup.Group
	work.SetLimit(r.Jobs)
	for i := range r.Servers {
		work.Go(func() error {
			servers[i], cells[i] = r.callServer(ctx, &r.Servers[i])
			return nil
		})
	}
	work.Wait()
	for i := range r.Clients {
		c := &r.Clients[i]
		row := crosspage.Client{Name: c.Name, Command: r.redactWords(c.Command), Dialects: c.Dialects, SDK: c.SDK, Alone: c.alone}
		for _, d := range c.Dialects {
			if is := r.shows[c.Name+" "+d]; is != nil && is.err == nil {
				row.Shows = append(row.Shows, crosspage.Shows{Dialect: d, Works: is.is.Works, Exits: is.is.Exits, Prints: is.is.Prints})
			}
		}
		t.Clients = append(t.Clients, row)
		for j := range r.Servers {
			if cells[j][i] != nil {
				t.Cells = append(t.Cells, *cells[j][i])
			} else {
				t.Missing++
			}
		}
	}
	t.Servers = servers
	if ctx.Err() != nil {
		return t, fmt.Errorf("the run was interrupted: %w; start it again, and it runs what is missing", context.Cause(ctx))
	}
	return t, nil
}

// defaultWait is how long a server may take until it answers.
const defaultWait = 30 * time.Second

// listEntries returns what both lists have in common.
func (r *Run) listEntries() (out []*Entry) {
	for i := range r.Clients {
		out = append(out, &r.Clients[i].Entry)
	}
	for i := range r.Servers {
		out = append(out, &r.Servers[i].Entry)
	}
	return out
}

func (r *Run) redactWords(words []string) []string {
	out := []string{}
	for _, w := range words {
		out = append(out, r.redact.String(w))
	}
	return out
}

// callServer runs all clients against one server. A pair that was not finished is nil.
func (r *Run) callServer(ctx context.Context, s *ServerEntry) (is crosspage.Server, cells []*crosspage.Cell) {
	is = crosspage.Server{Name: s.Name, URL: redact.StripSecrets(s.URL), Command: r.redactWords(s.Command), SDK: s.SDK, Alone: s.alone}
	cells = make([]*crosspage.Cell, len(r.Clients))
	var kept keptServer // as it was found out for the pairs that are kept
	for i := range r.Clients {
		if cells[i] = r.readKept(&r.Clients[i], s); cells[i] != nil {
			addReportsAlone(cells[i], &r.Clients[i], s)
			r.reportCell(cells[i], true)
		}
	}
	if slices.ContainsFunc(cells, func(c *crosspage.Cell) bool { return c != nil }) {
		r.readFile(sidesName, nameServerSide(s.Name), &kept)
	}
	if !slices.Contains(cells, nil) {
		is.Dialects, is.Notes = kept.Dialects, kept.Notes
		return is, cells
	}
	live, err := r.startServer(ctx, s)
	if err == nil {
		defer live.endProgram()
		is.URL, is.Dialects = redact.StripSecrets(live.url), live.dialects
	} else {
		is.Trouble = r.redact.String(err.Error())
	}
	kept.Dialects = is.Dialects
	for i := range r.Clients {
		if cells[i] != nil || ctx.Err() != nil {
			continue
		}
		c := &r.Clients[i]
		cell := r.newCell(c, s)
		if err != nil {
			cell.Outcome, cell.Why = crosspage.Void, "the server "+s.Name+" "+is.Trouble
		} else {
			kept.addNotes(r.runPair(ctx, cell, c, s, live))
		}
		if ctx.Err() != nil {
			continue
		}
		if cell.Outcome != crosspage.Void && cell.Outcome != crosspage.Refused { // these are tried again by the next start
			r.keepCell(cell)
			r.writeFile(sidesName, nameServerSide(s.Name), kept)
		}
		addReportsAlone(cell, c, s)
		cells[i] = cell
		r.reportCell(cell, false)
	}
	is.Notes = kept.Notes
	return is, cells
}

// newCell makes the cell of a pair.
func (r *Run) newCell(c *ClientEntry, s *ServerEntry) *crosspage.Cell {
	same := c.SDK != "" && s.SDK != "" && nameOfSDK(c.SDK) == nameOfSDK(s.SDK)
	return &crosspage.Cell{Client: c.Name, Server: s.Name, Faults: []crosspage.Fault{}, SameSDK: same, Key: r.keyOf(c, s)}
}

// reportCell passes a cell on.
func (r *Run) reportCell(c *crosspage.Cell, kept bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Done != nil {
		r.Done(c, kept)
	}
}

// warnOperator passes a warning on.
func (r *Run) warnOperator(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Warn != nil {
		r.Warn(r.redact.String(fmt.Sprintf(format, args...)))
	}
}

// liveServer is a server that answers.
type liveServer struct {
	url      string
	cards    map[string][]byte // by the dialect for which they were fetched
	dialects []string          // of them
	trouble  string            // why no card was found
	program  *serve.Program
}

func (l *liveServer) endProgram() {
	if l.program != nil {
		l.program.End()
	}
}

// addressInLine finds the URL in a line that a server prints.
var addressInLine = regexp.MustCompile(`https?://[^\s"'<>]+`)

// startServer starts a server if it has a command, and fetches its card.
func (r *Run) startServer(ctx context.Context, s *ServerEntry) (*liveServer, error) {
	live := &liveServer{url: s.URL}
	wait, cancel := context.WithTimeout(ctx, r.Wait)
	defer cancel()
	if len(s.Command) > 0 {
		var err error
		if live.program, err = serve.StartProgram(s.Command, s.Dir); err != nil {
			return nil, fmt.Errorf("could not be started: %w", err)
		}
		if live.url == "" {
			live.url, err = live.program.AwaitLine(wait, func(line string) string { return strings.TrimRight(addressInLine.FindString(line), ".,;)/") })
			if err != nil {
				live.endProgram()
				return nil, fmt.Errorf("did not print its URL: %w", err)
			}
		}
	}
	if err := r.fetchCards(wait, live); err != nil {
		live.endProgram()
		return nil, err
	}
	return live, nil
}

// pairDialects are those of which clients are started against servers, the current one first.
var pairDialects = []string{"a2a-1.0", "a2a-0.3"}

// fetchCards fetches the cards of a server, as clients of each dialect get them. A server that answers without a card is
// called all the same.
func (r *Run) fetchCards(ctx context.Context, live *liveServer) error {
	live.cards = map[string][]byte{}
	for _, name := range pairDialects {
		d, err := schema.Load(name)
		if err != nil {
			return err
		}
		text, trouble, err := r.fetchCard(ctx, live.url, d)
		if err != nil {
			return err
		}
		if text == nil {
			live.trouble = trouble
			continue
		}
		root, _ := record.ObserveJSON(text)
		offered, err := harness.DetectDialects(root)
		if err != nil {
			return err
		}
		if live.cards[name] = text; slices.Contains(offered, name) {
			live.dialects = append(live.dialects, name)
		}
	}
	if len(live.cards) > 0 {
		live.trouble = ""
	}
	return nil
}

// fetchCard fetches a card as a client of a dialect does, and waits for a server that does not answer yet. Without a card,
// trouble states what came.
func (r *Run) fetchCard(ctx context.Context, address string, d *schema.Dialect) (text []byte, trouble string, err error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var silent *harness.NoAnswerError
		for _, p := range d.Card.Paths {
			var x *record.Exchange
			if x, err = harness.FetchCard(ctx, operator.Target{URL: strings.TrimSuffix(address, "/") + p, Dialect: d.Name, Version: r.Version}); err == nil {
				return x.Response.Body, "", nil
			}
		}
		if !errors.As(err, &silent) && ctx.Err() == nil {
			return nil, err.Error(), nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, "", fmt.Errorf("does not answer: %w", err)
		}
	}
}

// calibrateClient shows what the exit code and the output of a client mean, by the scripted servers of its dialect.
func (r *Run) calibrateClient(ctx context.Context, c *ClientEntry, d *schema.Dialect) (*record.Calibration, error) {
	r.mu.Lock()
	is := r.shows[c.Name+" "+d.Name]
	if is == nil {
		is = &calibration{}
		r.shows[c.Name+" "+d.Name] = is
	}
	r.mu.Unlock()
	is.once.Do(func() {
		if kept := r.readKeptCalibration(c, d.Name); kept != nil {
			is.is = *kept
			return
		}
		cd, err := schema.LoadClient(d.Name)
		if err != nil {
			is.err = err
			return
		}
		cfg := serve.Config{Dialect: cd, Command: c.Command, Text: r.Text, Second: r.Second, Scenarios: []string{"hello"}, Patience: r.Patience, Dir: c.Dir, Redact: r.redact}
		if r.call != nil {
			cfg.Func = r.call(c)
		}
		t, err := serve.Run(ctx, cfg)
		switch {
		case err != nil:
			is.err = err
		case ctx.Err() != nil:
			is.err = ctx.Err()
		case t.Facts.Calibration == nil:
			is.err = errors.New(t.Facts.Cut)
		default:
			is.is = *t.Facts.Calibration
			r.keepCalibration(c, d.Name, &is.is)
		}
	})
	return &is.is, is.err
}

// keyOf returns the digest of what a pair is run with: if it changes, the pair is run again.
func (r *Run) keyOf(c *ClientEntry, s *ServerEntry) string {
	return hashValues(c, s, r.Text, r.Second, r.Patience, schema.Changes().Latest(), r.Version)
}

// hashValues returns the digest of some values, as JSON.
func hashValues(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // they are texts and lists
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:16]
}

// ensureDir makes the folder of the table.
func ensureDir(dir string) error {
	if err := files.EnsureWritableDir(dir); err != nil {
		return err
	}
	return errors.Join(files.MakeDir(filepath.Join(dir, cellsName)), files.MakeDir(filepath.Join(dir, sidesName)))
}
