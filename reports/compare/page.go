package compare

import (
	"embed"
	"html/template"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

//go:embed matrix.html.tmpl diff.html.tmpl
var compareFiles embed.FS

// compareTemplate parses the templates when the first page is made.
var compareTemplate = sync.OnceValue(func() *template.Template { return layout.ParseTemplates(compareFiles, nil) })

// formatStartTime is the time at which a run began.
func formatStartTime(r *report.Report) string { return r.Run.StartedAt.UTC().Format(time.DateTime) }
