// Package layout has what all HTML pages share: the style sheet, the script, the policy that allows a
// browser only these two, bars, filter chips, and the templates that several pages call.
package layout

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"strings"
)

//go:embed report.css
var CSS string

// Script is all that runs in a page. The page can be read without it.
//
//go:embed page.js
var Script string

//go:embed shared.html.tmpl
var sharedFiles embed.FS

// ParseTemplates reads the templates of a page, with those that all pages share and the functions
// that they call. A mistake in them is a mistake of this program, and it panics.
func ParseTemplates(files fs.FS, functions template.FuncMap) *template.Template {
	t := template.Must(template.New("page").Funcs(template.FuncMap{"spans": SplitCode}).Funcs(functions).ParseFS(sharedFiles, "*.tmpl"))
	return template.Must(t.ParseFS(files, "*.tmpl"))
}

// StyleAndScriptCSP is a policy that also lets a browser run the one script in a page.
func StyleAndScriptCSP(style, script string) string {
	return strings.Replace(CSPAllowingOnlyStyle(style), "; base-uri", "; script-src '"+cspSHA256Source(script)+"'; base-uri", 1)
}

// cspSHA256Source names a style sheet or a script in a policy.
func cspSHA256Source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// CSPAllowingOnlyStyle lets a browser use the one style sheet in a page, and nothing more.
func CSPAllowingOnlyStyle(style string) string {
	return "default-src 'none'; style-src '" + cspSHA256Source(style) + "'; base-uri 'none'; form-action 'none'"
}
