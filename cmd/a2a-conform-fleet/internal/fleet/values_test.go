package fleet

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// decoders are the functions that may decode what somebody else wrote, and what that is.
var decoders = map[string]string{
	"DecodeBounded": "every value of the broker", "decodeVector": "verdicts, before DecodeBounded has them", "openEvidence": "evidence",
	"ParseEntry": "an entry of a list or of the queue, whose size is bounded by then", "removeMember": "an entry", "NewTarget": "an entry",
	"splitJSON": "a list that the operator names", "readAddress": "the address of the embedded broker, in its folder",
}

// Nothing of the broker is decoded but by the one function that bounds and checks it.
func TestOneReaderOfTheStore(t *testing.T) {
	t.Parallel()
	packages := map[string][]string{"json": {"Unmarshal", "NewDecoder"}, "yaml": {"Unmarshal", "NewDecoder"}, "gzip": {"NewReader"}, "zip": {"NewReader"}, "gob": {"NewDecoder"}}
	seen := map[string]bool{}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				s, ok := c.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, _ := s.X.(*ast.Ident)
				switch {
				case of != nil && slices.Contains(packages[of.Name], s.Sel.Name):
					seen[f.Name.Name] = true
					if decoders[f.Name.Name] == "" {
						t.Errorf("%s: %s calls %s.%s: values of the broker are decoded by broker.Decode alone", file, f.Name.Name, of.Name, s.Sel.Name)
					}
				case s.Sel.Name == "GetBytes" || s.Sel.Name == "GetString" || s.Sel.Name == "WatchAll" || s.Sel.Name == "GetFile":
					t.Errorf("%s: %s calls %s, which reads without a bound", file, f.Name.Name, s.Sel.Name)
				}
				return true
			})
		}
	}
	if !seen["DecodeBounded"] || !seen["ParseEntry"] {
		t.Error("the test does not find what decodes:", seen)
	}
}

// zipOf is evidence with files that somebody chose.
func zipOf(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Deflate})
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// spoilt is a way in which somebody else who can write to the broker spoils what is kept of a target.
type spoilt struct {
	name  string
	spoil func(ctx context.Context, t *testing.T, f *Fleet, target agentlist.Target) error
	names string // what the summary says of it
	shown int    // of four targets, how many are shown
}

// putResult writes a result of the first round as text.
func putResult(key func(agentlist.Target) string, text func(agentlist.Target) string) func(context.Context, *testing.T, *Fleet, agentlist.Target) error {
	return func(ctx context.Context, t *testing.T, f *Fleet, target agentlist.Target) error {
		// The library refuses some keys that the broker takes.
		_, err := f.conn.JetStream.Publish(ctx, "$KV.a2a-fleet-results."+key(target), []byte(text(target)))
		return err
	}
}

// putLatest writes a changed latest result.
func putLatest(change func(l *Latest)) func(context.Context, *testing.T, *Fleet, agentlist.Target) error {
	return func(ctx context.Context, t *testing.T, f *Fleet, target agentlist.Target) error {
		l, _, found, err := broker.Get[Latest](ctx, f.conn, f.latest, target.ID)
		if err != nil || !found {
			return fmt.Errorf("%v %w", found, err)
		}
		change(&l)
		_, err = f.latest.Put(ctx, target.ID, broker.Encode(l))
		return err
	}
}

func putEvidence(text func(*testing.T) []byte) func(context.Context, *testing.T, *Fleet, agentlist.Target) error {
	return func(ctx context.Context, t *testing.T, f *Fleet, target agentlist.Target) error {
		l, _, found, err := broker.Get[Latest](ctx, f.conn, f.latest, target.ID)
		if err != nil || !found {
			return fmt.Errorf("%v %w", found, err)
		}
		_, err = f.evidence.PutBytes(ctx, evidenceName(target.ID, l.Evidence), text(t))
		return err
	}
}

func ofTarget(round string) func(agentlist.Target) string {
	return func(t agentlist.Target) string { return round + "." + t.ID }
}

func textOf(s string) func(agentlist.Target) string {
	return func(agentlist.Target) string { return s }
}

// nested is JSON with so many lists in one another.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

var manySpoilt = []spoilt{
	{"a value that is no JSON", putResult(ofTarget("000001"), textOf("no JSON")), "it cannot be read", 3},
	{"a value that is not UTF-8", putResult(ofTarget("000001"), textOf("{\"verdict\":\"\xff\"}")), "it is not UTF-8", 3},
	{"a value of a million bytes that grows", putResult(ofTarget("000001"), textOf(`{"full":{"changes":[`+strings.Repeat(`{},`, 330_000)+`{}]}}`)), "more than 20000 values", 3},
	{"lists in lists", putResult(ofTarget("000001"), textOf(nested(19_000))), "it cannot be read", 3},
	{"a verdict that is none", putResult(ofTarget("000001"), textOf(`{"verdict":"splendid","at":"2026-01-01T00:00:00Z","tries":1,"run":"a"}`)), "no verdict", 3},
	{"the year 9999", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"9999-01-01T00:00:00Z","tries":1,"run":"a"}`)), "9999-01-01", 3},
	{"a value that is cut short", putResult(ofTarget("000001"), textOf(`{"verdict":"conf`)), "it cannot be read", 3},
	{"a value that is null", putResult(ofTarget("000001"), textOf(`null`)), "no verdict", 3},
	{"a number in the place of a verdict", putResult(ofTarget("000001"), textOf(`{"verdict":1,"at":"2026-01-01T00:00:00Z","tries":1,"run":"a"}`)), "it cannot be read", 3},
	{"a text in the place of a count", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":"1","run":"a"}`)), "it cannot be read", 3},
	{"a count beyond all numbers", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":1e400,"run":"a"}`)), "it cannot be read", 3},
	{"a count of many tries", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":999999999,"run":"a"}`)), "tries is 999999999", 3},
	{"the year 1", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"0001-01-01T00:00:00Z","tries":1,"run":"a"}`)), "0001-01-01", 3},
	{"a time below zero", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"-0001-01-01T00:00:00Z","tries":1,"run":"a"}`)), "it cannot be read", 3},
	{"a run that took less than no time", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":1,"run":"a","took":-5}`)), "took is -1", 3},
	{"a run that is a path", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":1,"run":"../../x"}`)), "run is", 3},
	{"a result of round 0", putResult(ofTarget("000000"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":1,"run":"a"}`)), "no number of a round", 4},
	{"a result of round -1", putResult(ofTarget("-00001"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":1,"run":"a"}`)), "no number of a round", 4},
	{"a key of a target in capitals", putResult(func(t agentlist.Target) string { return "000001." + strings.ToUpper(t.ID) }, textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":1,"run":"a"}`)), "not ROUND.TARGET", 4},
	{"a key of 2,000 characters", putResult(func(agentlist.Target) string { return "000001." + strings.Repeat("a", 2000) }, textOf(`{}`)), "not ROUND.TARGET", 4},
	{"a key with a NUL", putResult(func(agentlist.Target) string { return "000001.a\x00b" }, textOf(`{}`)), "not ROUND.TARGET", 4},
	{"a key with an escape", putResult(func(agentlist.Target) string { return "000001.a\x1b[31mb" }, textOf(`{}`)), "not ROUND.TARGET", 4},
	{"a vector that is a path", putLatest(func(l *Latest) { l.Vector = "../../x" }), "which is no name", 3},
	{"a URL of 100 KB", putLatest(func(l *Latest) { l.Details.URL = "http://a.test/" + strings.Repeat("a", 100<<10) }), "url", 3},
	{"a count below zero", putResult(ofTarget("000001"), textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":-7,"run":"a"}`)), "tries is -7", 3},
	{"a key with slashes", putResult(func(agentlist.Target) string { return "000001.a/b/c" }, textOf(`{"verdict":"conformant","at":"2026-01-01T00:00:00Z","tries":1,"run":"a"}`)), "not ROUND.TARGET", 4},
	{"a key with many dots", putResult(func(agentlist.Target) string { return "000001.a.b.c" }, textOf(`{}`)), "not ROUND.TARGET", 4},
	{"evidence in another folder", putLatest(func(l *Latest) { l.Evidence = "000001.../../x" }), "which is no name", 3},
	{"a latest result of a round to come", putLatest(func(l *Latest) { l.Round = "000900" }), "of round 000900", 3},
	{"a latest result of the last round of all", putLatest(func(l *Latest) { l.Round = "999999" }), "no number of a round", 3},
	{"more changes than are kept", putLatest(func(l *Latest) { l.Details.Changes = make([]report.Change, 200) }), "number of changes", 3},
	{"evidence that is no archive", putEvidence(func(*testing.T) []byte { return []byte("none") }), "evidence cannot be read", 4},
	{"evidence with a file twice", putEvidence(func(t *testing.T) []byte { return zipOf(t, reportFile, "{}", reportFile, "{}") }), "is not expected", 4},
	{"evidence with another file", putEvidence(func(t *testing.T) []byte { return zipOf(t, "../../evil", "x", reportFile, "{}", transcriptFile, "{}") }), "is not expected", 4},
	{"evidence that grows", putEvidence(func(t *testing.T) []byte {
		return zipOf(t, reportFile, strings.Repeat(" ", 30<<20), transcriptFile, "{}")
	}), "is not expected", 4},
	{"evidence with a report of something else", putEvidence(func(t *testing.T) []byte { return zipOf(t, reportFile, `{"a":1}`, transcriptFile, "{}") }), "not a report", 4},
	{"a round with a number far away", func(ctx context.Context, t *testing.T, f *Fleet, _ agentlist.Target) error {
		_, err := f.rounds.Put(ctx, roundKey+"899999", broker.Encode(Round{ID: "899999", Began: time.Now(), Catalogue: Catalogue()}))
		return err
	}, "far away", 4},
	{"the last round of all", func(ctx context.Context, t *testing.T, f *Fleet, _ agentlist.Target) error {
		_, err := f.rounds.Put(ctx, roundKey+"999999", broker.Encode(Round{ID: "999999", Began: time.Now(), Catalogue: Catalogue()}))
		return err
	}, "no number of a round", 4},
	{"a round whose catalogue is a wildcard", func(ctx context.Context, t *testing.T, f *Fleet, _ agentlist.Target) error {
		_, err := f.rounds.Put(ctx, roundKey+"000002", broker.Encode(Round{ID: "000002", Began: time.Now(), Catalogue: ">"}))
		return err
	}, "catalogue is", 4},
}

// A value of the broker that somebody else wrote costs its own target, and is named; all others are
// reported as usual, and the next round puts it right.
func TestOneBadValueCostsItsTarget(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	for _, c := range manySpoilt {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := aBroker(t, broker.Server{})
			f := connected(t, data, "test")
			ctx := t.Context()
			targets := some(t, 4)
			s := &stub{verdict: map[string]report.Verdict{targets[0].URL: report.Fail, targets[1].URL: report.Fail}}
			round := func() {
				if _, err := f.Add(ctx, "v1", targets); err != nil {
					t.Fatal(err)
				}
				if err := worker("w", s.judge, t).Work(ctx, f); err != nil {
					t.Fatal(err)
				}
			}
			round()
			if err := c.spoil(ctx, t, f, targets[0]); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			g := connected(t, data, "report") // which has read nothing before
			o, err := Site{Dir: dir}.Write(ctx, g)
			if err != nil {
				t.Fatal(err)
			}
			if named := strings.Join(o.Unreadable, "\n"); !strings.Contains(named, c.names) || len(o.Unreadable) != 1 {
				t.Errorf("got %q, want one line with %q", named, c.names)
			}
			shown := map[string]report.RunVerdict{}
			for _, one := range o.Targets {
				shown[one.URL] = one.Latest.Verdict
			}
			if len(shown) != c.shown || shown[targets[1].URL] != report.Nonconformant || shown[targets[3].URL] != report.Conformant {
				t.Errorf("got %v, want the other targets", shown)
			}
			text, err := os.ReadFile(filepath.Join(dir, files.MarkdownFile))
			if err != nil || !strings.Contains(string(text), "unreadable in the broker") {
				t.Errorf("the summary does not name it: %s %v", text, err)
			}
			noneOutside(t, dir, targets)
			if _, err := g.Status(ctx, 5); err != nil {
				t.Error(err)
			}
			round()
			rounds, err := f.Rounds(ctx)
			if err != nil || len(rounds) != 2 || rounds[1].ID > "000003" || rounds[1].Finished == nil || rounds[1].Results != 4 {
				t.Errorf("the next round: %s %v", broker.Encode(rounds), err)
			}
			if o, err = (Site{Dir: dir}).Write(ctx, connected(t, data, "again")); err != nil || len(o.Targets) != 4 {
				t.Errorf("after the next round %d targets are shown: %v", len(o.Targets), err)
			}
		})
	}
}

// noneOutside makes sure that a site has no file but those of its targets.
func noneOutside(t *testing.T, dir string, targets []agentlist.Target) {
	t.Helper()
	may := map[string]bool{fleetpage.PageFile: true, fleetpage.ListFile: true, files.MarkdownFile: true}
	for _, one := range targets {
		may[filepath.Join(pagesFolder, one.ID+".html")] = true
	}
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name, _ := filepath.Rel(dir, path); err == nil && !d.IsDir() && !may[name] {
			t.Errorf("%s was written; only %v may be", name, slices.Sorted(maps.Keys(may)))
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// The table of mechanisms names every spoilt value.
func TestSpoiltValuesAreListed(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range manySpoilt {
		if row := fmt.Sprintf("\n| %s | `%s` |\n", c.name, c.names); strings.Count(string(text), row) != 1 {
			t.Errorf("docs/hostile.md does not have this line once:%s", row)
		}
	}
}
