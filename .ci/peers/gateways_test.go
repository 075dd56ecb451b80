package peers

import (
	"context"
	"fmt"
	"maps"
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

// server is a server before which gateways are judged: the bundled one, in a variant, or an agent on a public SDK.
type server struct {
	name    string
	variant string
	program []string
}

// The agents on public SDKs. That of Go serves one version and sends no Vary about versions, so that nothing of its own can be merged.
// Its SDK signs no card, so that the agent does; the one of JavaScript signs its card anew for each caller.
var (
	full        = server{"bundled", "full", nil}
	signed      = server{"bundled, signed", "signed", nil}
	twoVersions = server{"bundled, two versions", "two-versions", nil}
	onGo        = server{"SDK of Go", "", []string{"clerk10"}}
	signedGo    = server{"SDK of Go, signed", "", []string{"clerk10", "--signed"}}
	onJS        = server{"SDK of JavaScript", "", []string{"node", "js10/agent.js"}}
	signedJS    = server{"SDK of JavaScript, signed", "", []string{"node", "js10/agent.js", "--signed"}}
	bothJS      = server{"SDK of JavaScript, two versions", "", []string{"node", "js10/agent.js", "--both"}}
)

var (
	eachServer  = []server{full, onGo, onJS}
	eachSigned  = []server{signed, signedGo, signedJS}
	eachVersion = []server{twoVersions, bothJS}
)

// configuration is one of a gateway, before servers, and what is found.
type configuration struct {
	gateway, title string
	servers        []server
	changes        []change
	names          []string // requirements that fail or have a finding, some with a binding; none but the usual findings without one
}

// inAll are the bindings that each server has.
const inAll = "JSON-RPC, HTTP+JSON, gRPC"

// changes of configurations that make them wrong. Only nginx can rewrite a card and lose fields after the content: haproxy and caddy
// of Debian have no directive for that, and pass such fields on even from HTTP/1.1 to HTTP/2. haproxy has no buffer for answers, caddy
// no cache, and the cache of haproxy stores no answer to a request with Authorization, such as each of the agents that ask for a token.
var (
	nginxCache   = []change{{"map $http_via", "proxy_cache_path cache keys_zone=z:1m;\nmap $http_via"}, {"    proxy_buffering off;\n", "    proxy_cache z; proxy_cache_key $request_uri; proxy_ignore_headers Vary;\n"}}
	nginxCard    = []change{{"    proxy_http_version 1.1;\n", "    proxy_http_version 1.1;\n    sub_filter '\"name\":\"' '\"name\":\"Our '; sub_filter_types application/json;\n"}}
	nginxBuffers = []change{{"    proxy_buffering off;\n", "    sub_filter one two; sub_filter_types text/event-stream;\n"}, {"proxy_http_version 1.1", "proxy_http_version 1.0"}}
	nginxVersion = []change{{"    proxy_http_version 1.1;\n", "    proxy_http_version 1.1;\n    proxy_set_header A2A-Version \"\";\n"}, {"    grpc_read_timeout 1h;\n", "    grpc_read_timeout 1h;\n    grpc_set_header A2A-Version \"\";\n"}}
	nginxTimes   = []change{{"proxy_read_timeout 1h", "proxy_read_timeout 1s"}, {"grpc_read_timeout 1h", "grpc_read_timeout 1s"}}
	nginxLimit   = []change{{"client_max_body_size 16m", "client_max_body_size 1m"}, {"client_max_body_size 16m", "client_max_body_size 1m"}}
	nginxTrailer = []change{{"grpc_pass grpc://", "proxy_http_version 1.1; proxy_pass http://"}}
	nginxBare    = []change{{"    proxy_set_header Via $via;\n", ""}, {"    proxy_set_header X-A2a-Conform-Hop \"\";\n", ""}}
	haproxyTimes = []change{{"timeout server 1h", "timeout server 1s"}}
	haproxyField = []change{{"  http-request del-header Keep-Alive\n", "  http-request del-header Keep-Alive\n  http-request del-header A2A-Extensions\n"}}
	haproxyLimit = []change{{"  http-request del-header Keep-Alive\n", "  http-request del-header Keep-Alive\n  http-request deny deny_status 413 if { req.hdr_val(content-length) gt 1048576 }\n"}}
	haproxyCache = []change{{"frontend agents\n", "cache answers\n  total-max-size 4\n  max-age 60\nfrontend agents\n"}, {"backend agent\n", "backend agent\n  http-request cache-use answers\n  http-response del-header Vary\n  http-response cache-store answers\n"}}
	caddyBuffers = []change{{"    header_up +Via \"{http.request.proto} caddy\"\n", "    header_up +Via \"{http.request.proto} caddy\"\n    buffer_responses\n"}, {"    flush_interval -1\n", "    buffer_responses\n"}}
	caddyTimes   = []change{{"h2c://127.0.0.1:9999 {\n", "127.0.0.1:9999 {\n    transport http {\n      versions h2c 2\n      response_header_timeout 1s\n    }\n"}, {"    flush_interval -1\n", "    flush_interval -1\n    transport http {\n      response_header_timeout 1s\n    }\n"}}
	caddyLimit   = []change{{"  reverse_proxy 127", "  request_body {\n    max_size 1MB\n  }\n  reverse_proxy 127"}}
	caddyField   = []change{{"    flush_interval -1\n", "    flush_interval -1\n    header_up -A2A-Extensions\n    header_down -Etag\n"}}
)

var configurations = []configuration{
	{"nginx", "right", eachServer, nil, nil},
	{"nginx", "right", eachSigned, nil, nil},
	{"nginx", "right", eachVersion, nil, nil},
	{"haproxy", "right", eachServer, nil, nil},
	{"caddy", "right", eachServer, nil, nil},
	{"nginx", "buffering", eachServer, nginxBuffers, []string{"GW-STR-004 JSON-RPC, HTTP+JSON: "}},
	{"nginx", "short timeout", eachServer, nginxTimes, []string{"GW-LIM-003 " + inAll, "GW-STR-005 " + inAll}},
	{"nginx", "body limit", eachServer, nginxLimit, []string{"GW-LIM-001 " + inAll}},
	{"nginx", "stripped header", []server{full, onGo, onJS}, nginxVersion, []string{"GW-VER-001 " + inAll, "GW-GRPC-003"}},
	{"nginx", "rewritten card", eachSigned, nginxCard, []string{"GW-CARD-001"}},
	{"nginx", "rewritten card", []server{full, onGo, onJS}, nginxCard, []string{"GW-CARD-003"}},
	{"nginx", "stripped trailer", eachServer, nginxTrailer, []string{"GW-GRPC-001"}},
	{"nginx", "merged Vary", eachServer, nginxCache, []string{"GW-CACHE-004 card, HTTP+JSON: "}},
	{"nginx", "merged Vary", []server{bothJS}, nginxCache, []string{"GW-CACHE-004 card, HTTP+JSON: ", "GW-VER-003"}}, // whose own card depends on the version
	{"nginx", "bare", eachServer, nginxBare, []string{"GW-VIA-001 JSON-RPC, HTTP+JSON: ", "GW-HDR-001 JSON-RPC, HTTP+JSON: "}},
	{"haproxy", "short timeout", eachServer, haproxyTimes, []string{"GW-LIM-003 " + inAll}},
	{"haproxy", "stripped header", eachServer, haproxyField, []string{"GW-EXT-001 " + inAll}},
	{"haproxy", "body limit", eachServer, haproxyLimit, []string{"GW-LIM-001 JSON-RPC, HTTP+JSON: "}}, // a call of gRPC does not state its length before
	{"haproxy", "merged Vary", eachVersion, haproxyCache, []string{"GW-CACHE-004 card, HTTP+JSON: "}},
	{"caddy", "buffering", eachServer, caddyBuffers, []string{"GW-STR-004 " + inAll}},
	{"caddy", "short timeout", eachServer, caddyTimes, []string{"GW-LIM-003 JSON-RPC, HTTP+JSON: "}}, // caddy has no such limit for HTTP/2
	{"caddy", "body limit", eachServer, caddyLimit, []string{"GW-LIM-001 " + inAll}},
	{"caddy", "stripped header", []server{full, onJS}, caddyField, []string{"GW-EXT-001 JSON-RPC, HTTP+JSON: ", "GW-CACHE-011"}},
	{"caddy", "stripped header", []server{onGo}, caddyField, []string{"GW-EXT-001 JSON-RPC, HTTP+JSON: "}}, // which sends no ETag
}

// isFew reports whether a configuration before a server is tried with each change: the right ones, and those of nginx before the
// bundled server. The rest is tried with .ci/full.
func isFew(c *configuration, s server) bool {
	if len(c.changes) == 0 {
		return s.name != signedGo.name && s.name != signedJS.name && s.name != bothJS.name
	}
	return c.gateway == "nginx" && c.title != "bare" && s.program == nil && !slices.Contains(c.names, "GW-CARD-003")
}

// TestGateways judges gateways of Debian: by the configurations of the guide nothing fails, before the bundled server and before
// those on public SDKs, in each binding, and each wrong configuration is named. A few are tried with each change.
func TestGateways(t *testing.T) {
	running := map[string]conform.Gateway{} // by the server, what calls it
	var all sync.WaitGroup
	places := make(chan struct{}, 18) // most of the time is waiting, so that more go on than there are processors
	for _, c := range configurations {
		text := readConfiguration(t, c.gateway)
		for _, change := range c.changes {
			if !strings.Contains(text, change.from) {
				t.Fatalf("%s, %s: the configuration has no %q", c.gateway, c.title, change.from)
			}
			text = strings.Replace(text, change.from, change.to, 1)
		}
		for _, s := range c.servers {
			if testamount.LeavesOut(isFew(&c, s)) {
				continue
			}
			if _, is := running[s.name]; !is {
				running[s.name] = startServer(t, s)
			}
			name, g := strings.Join([]string{c.gateway, c.title, s.name}, ", "), running[s.name]
			g.Listen = testprocess.HoldAddress(t)
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
	}
	all.Wait()
}

// startServer starts a server, and returns how it is called.
func startServer(t *testing.T, s server) conform.Gateway {
	t.Helper()
	if s.program == nil {
		started, err := reference.Start(context.Background(), reference.Options{Dialect: "a2a-1.0", Variant: s.variant, GRPCAddr: "127.0.0.1:0"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { started.Close() })
		return conform.Gateway{Server: started.URL(), ServerGRPC: started.GRPCAddr(), Bundled: true}
	}
	command := slices.Clone(s.program)
	if command[0] != "node" {
		program := filepath.Join(t.TempDir(), command[0])
		build(t, "go10", ".", program)
		command[0] = program
	}
	g := conform.Gateway{Server: started(t, command)}
	if !slices.Contains(command, "--both") { // which anybody may call
		g.Credentials.Header = http.Header{"Authorization": {"Bearer " + token}}
	}
	return g
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
	t.Logf("%s: %s; what fails or has a finding: %s", name, r.Verdict, strings.Join(slices.Sorted(maps.Keys(broken)), " "))
	if len(named) == 0 && r.Verdict == report.Nonconformant {
		t.Errorf("%s: %s", name, r.Reason)
	}
}
