package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// printProxyHintIfUnreachable prints how to use the proxy that the environment names, if the server could not be
// reached without it.
func printProxyHintIfUnreachable(w io.Writer, t conform.Target, o *conform.Outcome) {
	if o == nil || o.Report.Verdict != report.Unreachable {
		return
	}
	if hint := describeUnusedProxy(t); hint != "" {
		fmt.Fprintln(w, "hint: "+hint)
	}
}

// describeUnusedProxy names the variable with the proxy that other programs would use for a target; ""
// if there is none, or if the run used it.
func describeUnusedProxy(t conform.Target) string {
	to, err := url.Parse(t.URL)
	if err != nil || t.Proxy != "" {
		return ""
	}
	if via, err := httpproxy.FromEnvironment().ProxyFunc()(to); via == nil && err == nil {
		return ""
	}
	name := strings.ToUpper(to.Scheme) + "_PROXY"
	if os.Getenv(name) == "" {
		name = strings.ToLower(name)
	}
	return "the variable " + name + " names a proxy, which is used only with --proxy env"
}
