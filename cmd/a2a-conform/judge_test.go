package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// judge judges one requirement on a run, or on the folder that a script left, and says
// what is wrong with any other.
func TestJudge(t *testing.T) {
	dir := here(t)
	broken := served(t, "final-missing")
	if code, out, errs := command(t, append([]string{"run", broken, "--quiet"}, finalMissing...)...); code != 1 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	kept := func(name string, files map[string]string) string {
		folder := filepath.Join(dir, name)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	const about = `{"format":1,"requirement":"A2A01-STR-012","started":"2026-01-01T00:00:00Z","origin":"http://127.0.0.1:1","facts":{"dialect":"a2a-0.1","rpc":"http://127.0.0.1:1/","stimuli":{}},` +
		`"plays":[{"scenario":"stream","subject":{},"attempt":1,"steps":[{"name":"subscribe","role":"main","op":"stream","exchange":1}]}],"calls":[{"direction":"out","url":"http://127.0.0.1:1/","head":"UE9TVCAvIEhUVFAvMS4xDQoNCg=="}]`
	silent := map[string]string{record.KeptFile: about + "}", "1.answer": "", "1.request": "{}", "1.end": "curl: (7) no\nurl http://127.0.0.1:1/\ntime 0.1\ncode 7\n"}
	with := func(name, text string) map[string]string {
		out := map[string]string{name: text}
		for n, was := range silent {
			if _, other := out[n]; !other {
				out[n] = was
			}
		}
		return out
	}
	pipe := kept("pipe", with("1.answer", ""))
	os.Remove(filepath.Join(pipe, "1.answer"))
	if err := syscall.Mkfifo(filepath.Join(pipe, "1.answer"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a run":                 {[]string{"A2A01-STR-012", "a2a-report"}, 1, "FAIL A2A01-STR-012"},
		"what was not judged":   {[]string{"A2A01-PUSH-014", "a2a-report"}, 2, "UNDECIDED"},
		"another id":            {[]string{"A2A01-STR-12", "a2a-report"}, 2, "did you mean A2A01-STR-012?"},
		"no folder":             {[]string{"A2A01-STR-012", "nowhere"}, 2, "nowhere"},
		"a file":                {[]string{"A2A01-STR-012", "a2a-report/report.json"}, 2, "is not a folder"},
		"one argument":          {[]string{"A2A01-STR-012"}, 2, "judge takes the id"},
		"an empty folder":       {[]string{"A2A01-STR-012", kept("empty", nil)}, 2, record.KeptFile + " is missing"},
		"nobody":                {[]string{"A2A01-STR-012", kept("silent", silent)}, 2, "UNREACHABLE"},
		"of another script":     {[]string{"A2A01-STR-013", kept("silent", silent)}, 2, "the script for A2A01-STR-012"},
		"no JSON":               {[]string{"A2A01-STR-012", kept("prose", with(record.KeptFile, "a text"))}, 2, "run the script again"},
		"another format":        {[]string{"A2A01-STR-012", kept("later", with(record.KeptFile, strings.Replace(about, `"format":1`, `"format":9`, 1)+"}"))}, 2, "its format is 9"},
		"a step without a call": {[]string{"A2A01-STR-012", kept("beyond", with(record.KeptFile, strings.Replace(about, `"exchange":1`, `"exchange":7`, 1)+"}"))}, 2, "names call 7 of 1"},
		"no such dialect":       {[]string{"A2A01-STR-012", kept("foreign", with(record.KeptFile, strings.Replace(about, "a2a-0.1", "../../etc", 1)+"}"))}, 2, "etc"},
		"a call that goes on":   {[]string{"A2A01-STR-012", kept("half", with("1.end", "url http://x/\n"))}, 2, "1.end"},
		"a pipe":                {[]string{"A2A01-STR-012", pipe}, 2, "1.answer is not a file"},
		"too much":              {[]string{"A2A01-STR-012", kept("large", with("1.answer", strings.Repeat("x", 10<<20)))}, 2, "1.answer is larger than"},
		"too much about it":     {[]string{"A2A01-STR-012", kept("wide", with(record.KeptFile, about+strings.Repeat(" ", 3<<20)+"}"))}, 2, record.KeptFile + " is larger than"},
		"no stream":             {[]string{"A2A01-STR-012", kept("odd", with("1.answer", "HTTP/1.1 200 OK\r\n\r\n\x00\xff"))}, 2, ""},
		"commands":              {[]string{"A2A01-STR-012", kept("evil", with("1.end", "::error::x\n##[error]\x1b[31m\ncode 7\n"))}, 2, "UNREACHABLE"},
		"digits that are none":  {[]string{"A2A01-STR-012", kept("digits", with("ids", "$(id)"))}, 2, "twelve digits"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := command(t, append([]string{"judge"}, c.args...)...)
			if code != c.code || !strings.Contains(out+errs, c.says) || strings.Contains(out+errs, "\x1b") || strings.Contains(out+errs, "##[") {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, c.code, c.says, out, errs)
			}
		})
	}
}
