package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/a2a-conform/a2a-conform/reference/hostile"
)

// silent makes sure that nothing a server said acts on the terminal. The output
// is no terminal here, so no escape sequence is ours.
func silent(t *testing.T, c *child) {
	t.Helper()
	for name, text := range map[string]string{"stdout": c.Printed.String(), "stderr": c.Errors.String()} {
		noControls(t, name, text)
		if line := hostile.Obeyed(text); line != "" {
			t.Errorf("a CI runner takes a command from %s: %q", name, line)
		}
	}
}

var controls = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]")

func noControls(t *testing.T, name, text string) {
	t.Helper()
	if at := controls.FindStringIndex(text); at != nil {
		t.Errorf("%s holds a control character: %q", name, text[max(0, at[0]-40):min(len(text), at[1]+40)])
	}
}

// inert makes sure that nothing in the reports acts on who reads them.
func inert(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"report.json", "junit.xml", "summary.md", "report.html"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		noControls(t, name, string(text))
		if name != "report.html" {
			if line := hostile.Obeyed(string(text)); line != "" {
				t.Errorf("a CI runner takes a command from %s: %q", name, line)
			}
			continue
		}
		scripts := 0
		for z := nethtml.NewTokenizer(bytes.NewReader(text)); z.Next() != nethtml.ErrorToken; {
			tok := z.Token()
			if tok.Type != nethtml.StartTagToken && tok.Type != nethtml.SelfClosingTagToken {
				continue
			}
			if tok.Data == "script" {
				scripts++
			}
			if tok.Data == "script" && len(tok.Attr) > 0 || tok.Data == "img" || tok.Data == "iframe" || tok.Data == "foreignObject" {
				t.Errorf("report.html holds %s", tok)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Key, "on") || strings.Contains(a.Val, "javascript:") {
					t.Errorf("report.html holds %s", tok)
				}
			}
		}
		if scripts != 1 { // which is ours, and the only one that the page's policy lets run
			t.Errorf("report.html has %d scripts", scripts)
		}
	}
}

// keepsSecret makes sure that a secret is in nothing that a run wrote, in none
// of the disguises in which the echoing servers send it.
func keepsSecret(t *testing.T, c *child, secrets ...string) {
	t.Helper()
	forms := map[string]string{} // and what the disguise is called
	for disguise, of := range hostile.Disguises {
		for _, secret := range secrets {
			forms[of(secret)] = disguise
		}
	}
	look := func(name, text string) {
		t.Helper()
		for i, read := range []string{text, html.UnescapeString(text), strings.ReplaceAll(text, `\\`, `\`), spelledOut(text)} {
			if i > 0 && read == text {
				continue
			}
			for form, disguise := range forms {
				if at := strings.Index(read, form); at >= 0 {
					t.Errorf("%s (%d) shows the secret as %s: %.300q", name, i, disguise, read[max(0, at-60):min(len(read), at+len(form)+60)])
					return
				}
			}
		}
	}
	look("stdout", c.Printed.String())
	look("stderr", c.Errors.String())
	filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			return nil
		}
		look(filepath.Base(path), string(text))
		if strings.HasSuffix(path, ".har") {
			for _, raw := range rawTexts(t, text) {
				look("a message in the transcript", raw)
			}
		}
		return nil
	})
}

var piece = regexp.MustCompile(`"x-piece": ?"((?:[^"\\]|\\.)*)"|(?m:^data: (.)$)`)

// spelledOut is what the pieces in a text make together.
func spelledOut(text string) string {
	var b strings.Builder
	if !strings.Contains(text, "x-piece") && !strings.Contains(text, "data: ") {
		return ""
	}
	for _, m := range piece.FindAllStringSubmatch(html.UnescapeString(text), -1) {
		var s string
		if m[2] != "" {
			s = m[2]
		} else if json.Unmarshal([]byte(`"`+m[1]+`"`), &s) != nil {
			continue
		}
		b.WriteString(s)
	}
	return b.String()
}

// rawTexts are all texts in a transcript that are kept as base64.
func rawTexts(t *testing.T, har []byte) (out []string) {
	var doc any
	if err := json.Unmarshal(har, &doc); err != nil {
		t.Errorf("transcript.har: %v", err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, m := range v {
				walk(m)
			}
		case []any:
			for _, m := range v {
				walk(m)
			}
		case string:
			if text, err := base64.StdEncoding.DecodeString(v); err == nil && len(v) > 8 {
				out = append(out, string(text))
			}
		}
	}
	walk(doc)
	return out
}
