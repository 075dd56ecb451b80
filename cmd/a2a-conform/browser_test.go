//go:build browser

package main

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/a2a-conform/a2a-conform/reference/hostile"
)

// browsers are the names under which Chromium is installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"}

// browse opens a new browser. Its absence is a failure: whoever asks for the
// tests of the browser must have one.
func browse(t *testing.T) context.Context {
	t.Helper()
	file := ""
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			file = path
			break
		}
	}
	if file == "" {
		t.Fatalf("there is none of %v; install Debian's chromium", browsers)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(file), chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(stop)
	return ctx
}

// The report on a server that sends markup in every text executes nothing, asks
// nobody for anything, and can be read.
func TestReportInTheBrowser(t *testing.T) {
	for _, s := range hostile.Servers() {
		if !strings.HasPrefix(s.Name, "markup-") {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			server, err := s.Start()
			if err != nil {
				t.Fatal(err)
			}
			run := newChild(t, "run", server.URL, "--timeout", "5s")
			run.Run()
			server.Close()
			inspect(t, filepath.Join(run.Dir, "a2a-report", "report.html"))
		})
	}
}

func inspect(t *testing.T, file string) {
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	ctx := browse(t)
	var lock sync.Mutex
	var happened []string
	note := func(what string) {
		lock.Lock()
		defer lock.Unlock()
		happened = append(happened, what)
	}
	address := (&url.URL{Scheme: "file", Path: file}).String()
	listen := func(event any) {
		switch e := event.(type) {
		case *page.EventJavascriptDialogOpening:
			note("a dialog: " + e.Message)
		case *runtime.EventExceptionThrown:
			note("a script: " + e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address {
				note("a request: " + e.Request.URL)
			}
		}
	}
	if err := chromedp.Listen(ctx, listen); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
	const rows = `[...document.querySelectorAll("article.row")].filter(e => e.checkVisibility()).length`
	title, heading := ask[string](t, ctx, `document.title`), ask[string](t, ctx, `document.querySelector("h1").innerText`)
	areas, shown := ask[int](t, ctx, `document.querySelectorAll("section.area").length`), ask[int](t, ctx, rows)
	handlers := ask[int](t, ctx, `[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on"))).length`)
	active := ask[int](t, ctx, `document.querySelectorAll("script[src], script ~ script, iframe, object, embed, img, foreignObject, use, form, link, base").length`)
	// Links lead to places on the page, to our scripts beside it, and to the texts of the protocols.
	away := ask[int](t, ctx, `[...document.querySelectorAll("a")].filter(a => !/^(#|reproduce\/[A-Z0-9-]+\.sh$|https:\/\/github\.com\/a2aproject\/A2A\/blob\/v|https:\/\/www\.jsonrpc\.org\/specification$)/.test(a.getAttribute("href"))).length`)
	for _, script := range ask[[]string](t, ctx, `[...document.links].map(a => a.getAttribute("href")).filter(a => a.startsWith("reproduce"))`) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(script))); err != nil {
			t.Error(err)
		}
	}
	// All that opens is opened, and the first links on the page are followed: all
	// are alike.
	ask[int](t, ctx, `[...document.querySelectorAll("summary"), ...[...document.links].filter(a => a.getAttribute("href").startsWith("#")).slice(0, 30)].map(e => e.click()).length`)
	pwned := ask[string](t, ctx, `String(window.pwned)`)
	for _, b := range barriers(t, ctx) {
		t.Errorf("axe-core: %s: %s: %q", b.ID, b.Help, b.Nodes)
	}
	lock.Lock()
	defer lock.Unlock()
	if len(happened) > 0 || pwned != "undefined" {
		t.Errorf("the page did something: %q, window.pwned is %s", happened, pwned)
	}
	if handlers+active+away > 0 {
		t.Errorf("the page has %d elements with handlers, %d active elements, %d links that lead away", handlers, active, away)
	}
	if heading == "" || !strings.Contains(strings.ToLower(title), strings.ToLower(heading)) || strings.ContainsAny(title, "\x1b\x07") {
		t.Errorf("the title is %q, the heading %q", title, heading)
	}
	if areas == 0 || shown == 0 {
		t.Errorf("%d areas show %d requirements", areas, shown)
	}
}

// ask evaluates an expression in the page. Its policy stops the page's scripts,
// not those of the one who drives the browser.
func ask[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// A page that does act is noticed: the test above can fail.
func TestBrowserNotices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(`<title>x</title><main>`+hostile.Markup+`</main>`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := browse(t)
	if err := chromedp.Do(ctx, chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String())); err != nil {
		t.Fatal(err)
	}
	if pwned := ask[int](t, ctx, `window.pwned`); pwned != 1 {
		t.Errorf("window.pwned is %d", pwned)
	}
}
