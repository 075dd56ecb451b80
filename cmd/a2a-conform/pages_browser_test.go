//go:build browser

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
)

// Every kind of page can be read by everybody: at both sizes, light and dark, axe-core finds
// nothing, nothing is wider than the screen but what scrolls by itself, and no page acts.
func TestKindsOfPages(t *testing.T) {
	dir := t.TempDir()
	judged := func(out string, args ...string) {
		t.Helper()
		c := newChild(t, append(append([]string{"run"}, args...), "--out", filepath.Join(dir, out), "--quiet")...)
		c.Run()
		if code := c.ProcessState.ExitCode(); code != 0 && code != 1 && code != 3 {
			t.Fatalf("%v: exit code %d, %s", args, code, c.Errors.String())
		}
	}
	made := func(args ...string) {
		t.Helper()
		c := newChild(t, args...)
		c.Dir = dir
		c.Run()
		if code := c.ProcessState.ExitCode(); code != 0 && code != 1 {
			t.Fatalf("%v: exit code %d, %s", args, code, c.Errors.String())
		}
	}
	broken := func(dialect, mutant string) string {
		s, err := reference.Start(t.Context(), reference.Options{Dialect: dialect, Mutant: mutant})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s.URL()
	}
	for _, page := range []struct {
		name, file string
		make       func()
		shows      string // that is to be on the page
	}{
		{"conformant", "conformant/report.html", func() {
			judged("conformant", "--self", "--dialect", "a2a-0.1")
		}, `document.querySelector("h1").textContent === "conformant"`},
		{"three bindings", "three/report.html", func() {
			judged("three", "--self", "--dialect", "a2a-1.0")
		}, `document.querySelectorAll("#counts table")[1].rows.length === 4`},
		{"several agents", "agents/report.html", func() {
			judged("agents", "--self", "--dialect", "jaf-0.3", "--agent", "all")
		}, `document.querySelectorAll("button[data-s]").length > 1`},
		{"several dialects", "both/index.html", func() {
			judged("both", "--self", "--dialect", "a2a-0.1,core-schema")
		}, `document.querySelectorAll("main > section").length === 2`},
		{"diff", "diff.html", func() {
			judged("before", "--self", "--dialect", "directory-0.1")
			judged("after", broken("directory-0.1", "register-missing"), "--dialect", "directory-0.1")
			made("diff", "before/report.json", "after/report.json", "--html", "diff.html")
		}, `document.querySelectorAll(".card .badge.fail").length > 0`},
		{"matrix of five", "a2a-matrix/matrix.html", func() {
			judged("m1", "--self", "--dialect", "a2a-0.1")
			for i, mutant := range []string{"final-missing", "get-shows-working"} {
				judged(fmt.Sprintf("m%d", i+2), broken("a2a-0.1", mutant), "--dialect", "a2a-0.1")
			}
			judged("m4", "--self", "--dialect", "a2a-0.3")
			judged("m5", "--self", "--dialect", "a2a-0.1")
			made("matrix", "healthy=m1", "ends streams=m2", "forgets states=m3", "m4", "healthy=m5")
		}, `document.querySelectorAll("#servers tr.row").length === 4 && document.querySelectorAll("#time .turns li").length === 2 && document.querySelectorAll("#d1-differ tbody tr").length > 0`},
	} {
		t.Run(page.name, func(t *testing.T) {
			page.make()
			file := filepath.Join(dir, page.file)
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
			for _, size := range [][2]int64{{1400, 900}, {390, 844}} {
				for _, dark := range []bool{false, true} {
					o := open(t, file, size[0], size[1], dark, "")
					o.picture(t, fmt.Sprintf("%s-%d-%v", strings.ReplaceAll(page.name, " ", "-"), size[0], dark))
					o.is(t, "what it shows", page.shows, true)
					o.is(t, "wider than the screen", `document.documentElement.scrollWidth > innerWidth`, false)
					axe(t, o)
				}
			}
		})
	}
	t.Run("the filter of the matrix", func(t *testing.T) {
		file := filepath.Join(dir, "a2a-matrix", "matrix.html")
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
		const shown = `[...document.querySelectorAll("tr.row")].filter(e => e.checkVisibility()).length`
		o := open(t, file, 1400, 900, false, "")
		click(t, o.ctx, `button[data-k="nonconformant"]`)
		o.is(t, "the broken ones", shown, 2)
		o.is(t, "what is said", `document.getElementById("found").textContent`, "2 of 4 servers")
		keys(t, o.ctx, "/")
		ask[string](t, o.ctx, `document.getElementById("q").value = ""`)
		keys(t, o.ctx, "forgets")
		o.is(t, "one of them", shown, 1)
		o.is(t, "the address", `location.hash`, "#?k=nonconformant&q=forgets")
		// Both lead to the report of the server.
		o.is(t, "links", `["tr.row a", "td a"].map(s => document.querySelector(s).getAttribute("href").startsWith("../m")).join()`, "true,true")
	})
}
