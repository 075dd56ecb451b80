//go:build browser

package main

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/serve"
)

// attendInBackground serves a client that is used by hand until the test ends.
func attendInBackground(t *testing.T, at serve.Attached) serve.Addresses {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ready, over := make(chan serve.Addresses, 1), make(chan error, 1)
	at.Listen, at.Ready = "127.0.0.1:0", func(to serve.Addresses) { ready <- to }
	go func() {
		_, err := conform.AttendClient(ctx, conform.ClientTarget{Scenarios: []string{"turns"}}, at)
		over <- err
	}()
	select {
	case to := <-ready:
		t.Cleanup(func() {
			cancel()
			if err := <-over; err != nil {
				t.Error(err)
			}
		})
		return to
	case err := <-over:
		cancel()
		t.Fatal(err)
	}
	return serve.Addresses{}
}

// The page for a client that is used by hand shows what comes by itself, has working buttons, and fits a telephone. Without
// its script, the link does what that does.
func TestAttendedPageInTheBrowser(t *testing.T) {
	for name, c := range map[string]struct {
		onPort, script bool
	}{"page": {false, true}, "page on the one port": {true, true}, "without script": {false, false}} {
		t.Run(name, func(t *testing.T) {
			to := attendInBackground(t, serve.Attached{OnePort: c.onPort})
			address := to.Page
			if c.onPort {
				address = to.PageOnPort
			}
			ctx := browse(t)
			for _, err := range []error{
				send(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !c.script}),
				chromedp.Do(ctx, chromedp.EmulateViewport(390, 800)),
				chromedp.Do(ctx, chromedp.Navigate(address)),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			awaitExpression(t, ctx, `document.querySelector("#now").textContent === "Now: hello"`)
			resp, err := http.Get(to.Card)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if !c.script {
				ask[bool](t, ctx, `document.querySelector("#again").click() || true`)
			}
			awaitExpression(t, ctx, `document.querySelector("#status").textContent.startsWith("hello: request 1, card")`)
			awaitExpression(t, ctx, `document.querySelector("main").textContent.includes("1 request: card")`)
			ask[bool](t, ctx, `document.querySelector("#next").click() || true`)
			awaitExpression(t, ctx, `document.querySelector("#now").textContent !== "Now: hello"`)
			awaitExpression(t, ctx, `document.readyState === "complete" && document.querySelector("#choose-turns") !== null`)
			ask[bool](t, ctx, `(document.body.id = "before", document.querySelector("#choose-turns").click(), true)`)
			awaitExpression(t, ctx, `document.body.id === "" && document.readyState === "complete" && document.querySelector("#now").textContent === "Now: turns"`)
			if wide := ask[int](t, ctx, "document.documentElement.scrollWidth"); wide > 390 {
				t.Errorf("the page is %d pixels wide", wide)
			}
			if c.script { // by which axe-core works
				for _, b := range barriers(t, ctx) {
					t.Errorf("axe-core: %s: %s: %q", b.ID, b.Help, b.Nodes)
				}
			}
		})
	}
}

// awaitExpression waits until an expression is true in the page, which may be another page by then.
func awaitExpression(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	var last error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if err == nil && is {
			return
		}
		last = err
	}
	t.Fatalf("%s is not true (%v)", expression, last)
}
