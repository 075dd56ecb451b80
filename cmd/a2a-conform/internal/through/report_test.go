package through

import (
	"compress/gzip"
	"io"
	"os"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/brief"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
)

// The whole report about a gateway is as before. The record is that of nginx 1.22 before the bundled server, without the conversations
// of large messages and some others, so that there are undecided requirements as well. The configuration is the one of
// docs/gateways.md without `Via` and with two fields that it removes or does not: `A2A-Version` and the one that `Connection` names.
func TestReportGolden(t *testing.T) {
	file, err := os.Open("testdata/nginx.har.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	har, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := conform.Replay(har)
	if err != nil {
		t.Fatal(err)
	}
	o.Report.Target.Kind = o.Transcript.Facts.Kind // as in the report of the run itself

	// The catalogue of servers changes more often than that of gateways.
	o.Report.Tool.Version, o.Report.Tool.Catalogue, o.Report.Advice = "1.0.0", "sha256:0", nil
	for name, render := range map[string]func(io.Writer) error{
		"nginx.txt":      func(w io.Writer) error { reports.Terminal(w, o.Report, false); return nil },
		"nginx.json":     func(w io.Writer) error { return reports.JSON(w, o.Report) },
		"nginx.html":     func(w io.Writer) error { return html.WriteReport(w, o.Report, o.Transcript) },
		"nginx.md":       func(w io.Writer) error { return reports.Markdown(w, o.Report) },
		"nginx.brief.md": func(w io.Writer) error { return brief.Write(w, o.Report, o.Transcript) },
	} {
		t.Run(name, func(t *testing.T) { reportstest.Golden(t, name, reportstest.Render(t, render)) })
	}
}
