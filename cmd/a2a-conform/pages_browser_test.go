//go:build browser

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/forge"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
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
		{"certificate", "signed/certificate.html", func() {
			made("keygen", "signer")
			judged("signed", broken("a2a-0.1", "final-missing"), "--dialect", "a2a-0.1", "--sign", filepath.Join(dir, "signer.key"))
			text, err := os.ReadFile(filepath.Join(dir, "signed", certificate.File))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "signed", certificate.SummaryFile), forge.Open(text)[certificate.SummaryFile], 0o600); err != nil {
				t.Fatal(err)
			}
		}, `document.querySelector("h1").textContent === "NOT CONFORMANT" && document.querySelectorAll("table").length === 2`},
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
			inEachLook(t, file, func(t *testing.T, o *opened, look string) {
				o.picture(t, strings.ReplaceAll(page.name, " ", "-")+"-"+look)
				o.is(t, "what it shows", page.shows, true)
				o.is(t, "wider than the screen", `document.documentElement.scrollWidth > innerWidth`, false)
				axe(t, o)
			})
		})
	}
	t.Run("the filter of the matrix", func(t *testing.T) {
		file := filepath.Join(dir, "a2a-matrix", "matrix.html")
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
		const shown = `[...document.querySelectorAll("#servers tr.row")].filter(e => e.checkVisibility()).length`
		o := open(t, file, 1400, 900, false, "")
		click(t, o.ctx, `button[data-k="nonconformant"]`)
		o.is(t, "the broken ones", shown, 2)
		o.is(t, "what is said", `document.getElementById("found").textContent`, "2 of 4 servers")
		keys(t, o.ctx, "/")
		ask[string](t, o.ctx, `document.getElementById("q").value = ""`)
		keys(t, o.ctx, "forgets")
		o.is(t, "one of them", shown, 1)
		o.is(t, "the address", `location.hash`, "#?k=nonconformant&q=forgets")
		// The requirements in which they differ have a filter of their own.
		const differing = `[...document.querySelectorAll("#d1-differ tbody tr")].filter(e => e.checkVisibility()).length`
		all := ask[int](t, o.ctx, differing)
		click(t, o.ctx, `#d1-differ button[data-r="fail"]`)
		broken := ask[int](t, o.ctx, differing)
		o.is(t, "those that a server breaks", `document.querySelectorAll('#d1-differ tr[data-r~="fail"]').length`, broken)
		if broken == 0 || broken >= all {
			t.Errorf("%d of %d requirements are shown", broken, all)
		}
		o.is(t, "the servers", shown, 1)
		click(t, o.ctx, `#d1-differ button[data-r="fail"]`)
		o.is(t, "after the chip again", differing, all)
		// On a phone the words are whole, and the table scrolls.
		phone := open(t, file, 390, 844, false, "")
		ask[bool](t, phone.ctx, `(document.getElementById("d1-differ").scrollIntoView(), true)`)
		phone.picture(t, "matrix-differ-390")
		phone.is(t, "cells narrower than their words", `[...document.querySelectorAll(".grid td, .grid thead th")].filter(e => e.scrollWidth > e.clientWidth + 1 || e.clientHeight > 200).length`, 0)
		// Both lead to the report of the server.
		o.is(t, "links", `["tr.row a", "td a"].map(s => document.querySelector(s).getAttribute("href").startsWith("../m")).join()`, "true,true")
	})
}

// TestSiteInTheBrowser opens pages of the site of requirements, and searches it as people do.
func TestSiteInTheBrowser(t *testing.T) {
	dir := t.TempDir()
	c := newChild(t, "docs", "--out", filepath.Join(dir, "site"))
	c.Run()
	if code := c.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("exit code %d, %s", code, c.Errors.String())
	}
	for _, page := range []struct{ name, at, shows string }{
		{"index.html", "#q=A2A10-SEND-014", `document.querySelector("#results a").textContent === "A2A10-SEND-014"`},
		{"a2a-1.0.html", "", `document.querySelectorAll("article.row").length > 500`},
		{"A2A10-SEND-014.html", "#failure", `document.querySelectorAll("#failure dt").length > 0`},
		{"A2A10-OWN-001.html", "", `document.querySelectorAll("#related li").length > 10`},
		{"A2A-DISC-000.html", "", `document.querySelector("#test p") !== null`},
	} {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				width, height int64
				dark          bool
				background    string
			}{{1400, 900, false, "rgb(255, 255, 255)"}, {390, 844, true, "rgb(20, 23, 27)"}} {
				o := openSite(t, filepath.Join(dir, "site", page.name), c.width, c.height, c.dark, page.at)
				o.picture(t, fmt.Sprintf("site-%s-%d-%v", strings.TrimSuffix(page.name, ".html"), c.width, c.dark))
				o.is(t, "what it shows", page.shows, true)
				o.is(t, "its background", `getComputedStyle(document.body).backgroundColor`, c.background)
				o.is(t, "wider than the screen", `document.documentElement.scrollWidth > innerWidth`, false)
				axe(t, o)
			}
		})
	}
	t.Run("the search", func(t *testing.T) {
		o := openSite(t, filepath.Join(dir, "site", "index.html"), 1400, 900, false, "")
		const results = `document.querySelectorAll("#results li").length`
		o.is(t, "before", results, 0)
		keys(t, o.ctx, "/")
		o.is(t, "where / leads", `document.activeElement.id`, "q")
		ask[string](t, o.ctx, `document.getElementById("q").value = ""`) // a driver types the key all the same
		keys(t, o.ctx, "a2a10-send-014")
		o.is(t, "an id", `[...document.querySelectorAll("#results a")].map(a => a.getAttribute("href")).join()`, "A2A10-SEND-014.html")
		o.is(t, "its code", `document.querySelector("#results code").textContent`, "role")
		o.is(t, "the address", `location.hash`, "#q=a2a10-send-014")
		ask[string](t, o.ctx, `document.getElementById("q").value = ""`)
		keys(t, o.ctx, "stream state")
		if n := ask[int](t, o.ctx, results); n < 5 || n > 50 {
			t.Errorf("the words find %d", n)
		}
		ask[string](t, o.ctx, `document.getElementById("q").value = ""`)
		keys(t, o.ctx, "no such word at all")
		o.is(t, "what is not there", results, 0)
		o.is(t, "what is said", `document.getElementById("found").textContent.startsWith("0 of ")`, true)
	})
	t.Run("the list", func(t *testing.T) {
		o := openSite(t, filepath.Join(dir, "site", "a2a-1.0.html"), 1400, 900, false, "#A2A10-SEND-014")
		o.is(t, "what the anchor leads to", `(r => r.top >= 0 && r.top < innerHeight)(document.getElementById("A2A10-SEND-014").getBoundingClientRect())`, true)
		const shown = `[...document.querySelectorAll("article.row")].filter(e => e.checkVisibility()).length`
		click(t, o.ctx, `button[data-l="MAY"]`)
		o.is(t, "after a level", shown, ask[int](t, o.ctx, `document.querySelectorAll('article.row[data-l="MAY"]').length`))
	})
}
