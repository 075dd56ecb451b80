package peers

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// gatewayProgram is a gateway of Debian.
type gatewayProgram struct {
	name  string
	start func(dir, file string) *exec.Cmd
	wrap  string // around the configuration of the guide, in which %s is that
}

// asRoot has nginx stay root if it is started so: its other user may not enter the folders of the test.
var asRoot = map[bool]string{true: "user root; "}[os.Getuid() == 0]

var gatewayPrograms = []gatewayProgram{
	{"nginx", func(dir, file string) *exec.Cmd { return exec.Command("/usr/sbin/nginx", "-p", dir, "-c", file) },
		asRoot + "worker_processes 1; daemon off; pid nginx.pid; error_log stderr;\nevents { worker_connections 256; }\nhttp {\naccess_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;\n%s}\n"},
	{"haproxy", func(_, file string) *exec.Cmd { return exec.Command("/usr/sbin/haproxy", "-db", "-f", file) }, "global\n  maxconn 200\n%s"},
	{"caddy", func(_, file string) *exec.Cmd {
		return exec.Command("/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", file)
	}, "%s"},
}

// readConfiguration returns the configuration of a gateway that docs/gateways.md has.
func readConfiguration(t *testing.T, name string) string {
	t.Helper()
	guide, err := os.ReadFile("../../docs/gateways.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + name + "\n(.*?)```").FindSubmatch(guide)
	if found == nil {
		t.Fatalf("docs/gateways.md has no configuration of %s", name)
	}
	return string(found[1])
}

// change is a part of a configuration and what takes its place.
type change struct{ from, to string }

// The servers before which gateways are judged: the bundled one, in a variant, and those on public SDKs.
const onGo, onJS = "SDK of Go", "SDK of JavaScript"

// gatewayCase is a gateway before a server, and what is found.
type gatewayCase struct {
	gateway, title, server string
	changes                []change
	names                  []string // requirements that fail or have a finding, some with a binding; none but the usual findings without one
}

// inAll are the bindings that each server has.
const inAll = "JSON-RPC, HTTP+JSON, gRPC"

// changes of configurations that make them wrong.
var (
	nginxCache   = []change{{"map $http_via", "proxy_cache_path cache keys_zone=z:1m;\nmap $http_via"}, {"    proxy_buffering off;\n", "    proxy_cache z; proxy_cache_key $request_uri; proxy_ignore_headers Vary;\n"}}
	nginxCard    = []change{{"    proxy_http_version 1.1;\n", "    proxy_http_version 1.1;\n    sub_filter '\"name\":\"Reference' '\"name\":\"Our'; sub_filter_types application/json;\n"}}
	nginxBuffers = []change{{"    proxy_buffering off;\n", "    sub_filter one two; sub_filter_types text/event-stream;\n"}, {"proxy_http_version 1.1", "proxy_http_version 1.0"}}
	nginxVersion = []change{{"    proxy_http_version 1.1;\n", "    proxy_http_version 1.1;\n    proxy_set_header A2A-Version \"\";\n"}, {"    grpc_read_timeout 1h;\n", "    grpc_read_timeout 1h;\n    grpc_set_header A2A-Version \"\";\n"}}
	nginxTimes   = []change{{"proxy_read_timeout 1h", "proxy_read_timeout 1s"}, {"grpc_read_timeout 1h", "grpc_read_timeout 1s"}}
	nginxLimit   = []change{{"client_max_body_size 16m", "client_max_body_size 1m"}, {"client_max_body_size 16m", "client_max_body_size 1m"}}
	nginxTrailer = []change{{"grpc_pass grpc://", "proxy_http_version 1.1; proxy_pass http://"}}
	nginxBare    = []change{{"    proxy_set_header Via $via;\n", ""}, {"    proxy_set_header X-A2a-Conform-Hop \"\";\n", ""}}
	haproxyTimes = []change{{"timeout server 1h", "timeout server 1s"}}
	haproxyField = []change{{"  http-request del-header Keep-Alive\n", "  http-request del-header Keep-Alive\n  http-request del-header A2A-Extensions\n"}}
	caddyLimit   = []change{{"  reverse_proxy 127", "  request_body {\n    max_size 1MB\n  }\n  reverse_proxy 127"}}
	caddyField   = []change{{"    flush_interval -1\n", "    flush_interval -1\n    header_down -Etag\n"}}
)

var gatewayCases = []gatewayCase{
	{"nginx", "right", "full", nil, nil},
	{"nginx", "right", onGo, nil, nil},
	{"nginx", "right", onJS, nil, nil},
	{"haproxy", "right", "full", nil, nil},
	{"haproxy", "right", onGo, nil, nil},
	{"haproxy", "right", onJS, nil, nil},
	{"caddy", "right", "full", nil, nil},
	{"caddy", "right", onGo, nil, nil},
	{"caddy", "right", onJS, nil, nil},
	{"nginx", "right, two versions", "two-versions", nil, nil},
	{"nginx", "right, signed", "signed", nil, nil},
	{"nginx", "buffering", "full", nginxBuffers, []string{"GW-STR-004 JSON-RPC, HTTP+JSON: "}},
	{"nginx", "short timeout", "full", nginxTimes, []string{"GW-LIM-003 " + inAll, "GW-STR-005 " + inAll}},
	{"nginx", "body limit", "full", nginxLimit, []string{"GW-LIM-001 " + inAll}},
	{"nginx", "stripped header", "full", nginxVersion, []string{"GW-VER-001 " + inAll, "GW-GRPC-003"}},
	{"nginx", "rewritten card", "signed", nginxCard, []string{"GW-CARD-001"}},
	{"nginx", "stripped trailer", "full", nginxTrailer, []string{"GW-GRPC-001"}},
	{"nginx", "merged Vary", "full", nginxCache, []string{"GW-CACHE-004 card, HTTP+JSON: "}},
	{"nginx", "bare", "full", nginxBare, []string{"GW-VIA-001 JSON-RPC, HTTP+JSON: ", "GW-HDR-001 JSON-RPC, HTTP+JSON: "}},
	{"nginx", "stripped header", onJS, nginxVersion, []string{"GW-VER-001 " + inAll, "GW-ERR-001"}},
	{"nginx", "stripped trailer", onGo, nginxTrailer, []string{"GW-GRPC-001"}},
	{"haproxy", "short timeout", "full", haproxyTimes, []string{"GW-LIM-003 " + inAll}},
	{"haproxy", "short timeout", onGo, haproxyTimes, []string{"GW-LIM-003 " + inAll}},
	{"haproxy", "stripped header", "full", haproxyField, []string{"GW-EXT-001 " + inAll}},
	{"caddy", "body limit", "full", caddyLimit, []string{"GW-LIM-001 " + inAll}},
	{"caddy", "body limit", onJS, caddyLimit, []string{"GW-LIM-001 " + inAll}},
	{"caddy", "stripped header", "full", caddyField, []string{"GW-CACHE-011"}},
}

// few reports whether a case is tried with each change.
func (c *gatewayCase) few() bool {
	return len(c.changes) == 0 || c.gateway == "nginx" && c.title != "bare" && c.server != onJS && c.server != onGo
}

// TestGateways judges gateways of Debian: by the configurations of the guide nothing fails, before the bundled server and before
// those on public SDKs, in each binding, and each wrong configuration is named. A few are tried with each change.
func TestGateways(t *testing.T) {
	bin := t.TempDir()
	build(t, "go10", ".", filepath.Join(bin, "clerk10"))
	urls := map[string]string{onGo: started(t, []string{filepath.Join(bin, "clerk10")}), onJS: started(t, []string{"node", "js10/agent.js"})}
	servers := map[string]*reference.Server{}
	var all sync.WaitGroup
	places := make(chan struct{}, 18) // most of the time is waiting, so that more go on than there are processors
	for _, c := range gatewayCases {
		if testamount.Few() && !c.few() {
			continue
		}
		name, text := strings.Join([]string{c.gateway, c.title, c.server}, ", "), readConfiguration(t, c.gateway)
		for _, change := range c.changes {
			if !strings.Contains(text, change.from) {
				t.Fatalf("%s: the configuration has no %q", name, change.from)
			}
			text = strings.Replace(text, change.from, change.to, 1)
		}
		g := conform.Gateway{Listen: testprocess.HoldAddress(t), Server: urls[c.server]}
		if g.Server != "" {
			g.Header = http.Header{"Authorization": {"Bearer " + token}}
		} else {
			if servers[c.server] == nil {
				server, err := reference.Start(context.Background(), reference.Options{Dialect: "a2a-1.0", Variant: c.server, GRPCAddr: "127.0.0.1:0"})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { server.Close() })
				servers[c.server] = server
			}
			g.Server, g.ServerGRPC, g.Bundled = servers[c.server].URL(), servers[c.server].GRPCAddr(), true
		}
		startGateway(t, &g, c.gateway, text)
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			o, err := conform.RunThrough(context.Background(), g)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			demandNamed(t, name, o.Report, c.names)
		})
	}
	all.Wait()
}

// startGateway starts a gateway before a server, and waits until it listens.
func startGateway(t *testing.T, g *conform.Gateway, name, text string) {
	t.Helper()
	one := testprocess.HoldAddress(t)
	g.URL, g.GRPC = "http://"+one, testprocess.HoldAddress(t)
	if name == "caddy" { // which takes both at one port
		g.GRPC = one
	}
	text = strings.NewReplacer("127.0.0.1:8080", one, "127.0.0.1:8081", g.GRPC, "127.0.0.1:9999", g.Listen).Replace(text)
	p := gatewayPrograms[slices.IndexFunc(gatewayPrograms, func(p gatewayProgram) bool { return p.name == name })]
	dir := t.TempDir()
	file := filepath.Join(dir, "gateway.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, p.wrap, text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := p.start(dir, file)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, log, log, append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		log.Close()
	})
	for _, address := range []string{one, g.GRPC} {
		end := time.Now().Add(20 * time.Second)
		for {
			c, err := net.DialTimeout("tcp", address, time.Second)
			if err == nil {
				c.Close()
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the gateway does not listen at %s: %v", address, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// usualFindings are what right gateways show: none knows the card, and what a program of theirs cannot do.
var usualFindings = map[string][]string{"nginx": {"GW-CARD-004", "GW-FRM-007", "GW-FRM-008"}, "haproxy": {"GW-CARD-004"}, "caddy": {"GW-CARD-004", "GW-FRM-011"}}

// everywhere are requirements that are seen in each binding of a server.
var everywhere = []string{"GW-VER-001", "GW-EXT-001", "GW-VIA-001", "GW-STR-001", "GW-STR-002", "GW-STR-004", "GW-STR-005", "GW-MSG-006", "GW-LIM-001", "GW-LIM-002", "GW-LIM-003", "GW-ERR-006"}

// demandNamed demands that the requirements that are named break, in the bindings that follow them. Without any nothing breaks, and
// what is seen in each binding has been seen there.
func demandNamed(t *testing.T, name string, r *report.Report, named []string) {
	t.Helper()
	broken := map[string]string{}
	for _, result := range r.Results {
		if result.Verdict == report.Fail {
			broken[result.ID] = result.Reason
		} else if len(result.Findings) > 0 {
			broken[result.ID] = result.Findings[0].Text
		}
		if len(named) > 0 {
			continue
		}
		if text, is := broken[result.ID]; is && (result.Verdict == report.Fail || !slices.Contains(usualFindings[strings.SplitN(name, ",", 2)[0]], result.ID)) {
			t.Errorf("%s: %s: %s", name, result.ID, text)
		}
		if slices.Contains(everywhere, result.ID) && !strings.HasPrefix(strings.TrimPrefix(result.Reason, "card, "), inAll+": ") {
			t.Errorf("%s: %s was not seen in each binding: %s, %s", name, result.ID, result.Verdict, result.Reason)
		}
	}
	for _, one := range named {
		id, in, _ := strings.Cut(one, " ")
		if text, is := broken[id]; !is || !strings.HasPrefix(text, in) {
			t.Errorf("%s: %s is not named; what is: %v", name, one, broken)
		}
	}
	if len(named) == 0 && r.Verdict == report.Nonconformant {
		t.Errorf("%s: %s", name, r.Reason)
	}
}
