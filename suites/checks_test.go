package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A trial is a check with its parameters and conversations about it, each
// named after the verdict it must lead to: "pass", "fail", "inconclusive", …,
// with more words behind where there are several.
type trial struct {
	check, with string
	said        map[string]string
}

// try judges every conversation; the texts of the failures are kept in a golden
// file, since a maker of a server reads them first of all. The dialect may be
// changed before.
func try(t *testing.T, area string, trials []trial, change ...func(*schema.Dialect)) {
	var texts strings.Builder
	for _, tr := range trials {
		names := make([]string, 0, len(tr.said))
		for n := range tr.said {
			names = append(names, n)
		}
		slices.Sort(names)
		with := tr.with
		if with == "" {
			with = "{}"
		}
		d := judgetest.Dialect(t, fmt.Sprintf("  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., every: thing, check: %s, with: %s}\n", tr.check, with))
		for _, f := range change {
			f(d)
		}
		for _, name := range names {
			t.Run(tr.check+" "+name, func(t *testing.T) {
				c := verdict.NewDecider(d, judgetest.Transcript(t, tr.said[name]), suites.Checks(), nil)
				r := c.Result("ZZ99-X-001")
				want, _, _ := strings.Cut(name, ":")
				got := string(r.Verdict)
				if r.Verdict == report.Pass && len(r.Findings) > 0 {
					got = "finding"
				}
				if got != want {
					t.Errorf("%s (%s)", got, r.Reason)
				}
				text := r.Reason
				if len(r.Findings) > 0 {
					text = r.Findings[0].Text
				}
				if want != "pass" {
					fmt.Fprintf(&texts, "%s %s %s\n\t%s\n", tr.check, tr.with, name, text)
				}
			})
		}
	}
	if !t.Failed() {
		judgetest.Golden(t, "testdata/failures/"+area+".golden", texts.String())
	}
}

// told is a step that was answered by a JSON text.
func told(step, sent, got string) string {
	return fmt.Sprintf("%s\n  > %s\n  < 200 application/json %s\n", step, sent, got)
}

const (
	okReply    = `{"jsonrpc":"2.0","id":"t","result":{"number":"7","now":{"phase":"ready"}}}`
	twinOK     = "b/twin send role=twin\n  < 200 application/json " + okReply + "\n"
	twinNo     = "b/twin send role=twin\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"error\":{\"code\":-32001,\"message\":\"no\"}}\n"
	theProbe   = "b/p send role=probe twin=twin invalid"
	validProbe = "b/p send role=probe twin=twin"
)

func rpcError(id string, code int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, id, code)
}
