package main

import (
	"os"
	"strings"
	"testing"
)

// The numbers of the mistakes that are made in another way than by a command line alone.
const (
	proxiedRun     = 33 // an HTTP proxy is set, and not asked for
	interruptedRun = 62
)

// runOf is a command line of run.
func runOf(url string, args ...string) []string { return append([]string{"run", url}, args...) }

// mistakenAddresses are mistakes in the address of a server that is healthy, or not there.
func mistakenAddresses(s *mistaken) []mistake {
	narrow := []string{"--run", "A2A10-DISC-001"}
	mapped := "http://[::ffff:127.0.0.1]" + s.agent[len("http://127.0.0.1"):] // in brackets, and there on every machine
	return []mistake{
		{1, runOf(s.agent, "--bearer-evn", "X")},
		{2, runOf(s.agent, "--formt", "json")},
		{3, []string{"rnu", s.agent}},
		{4, runOf("localhost:43710")},
		{4, runOf("agents.test:43710")},
		{4, runOf(strings.TrimPrefix(s.agent, "http://"), narrow...)},
		{4, runOf(s.agent[len("http://127.0.0.1"):], narrow...)},
		{4, runOf("http:/agents.test")},
		{5, append([]string{strings.TrimPrefix(s.agent, "http://")}, narrow...)},
		{5, []string{"agents.test:43710"}},
		{6, runOf("ws://localhost:43710")},
		{7, runOf(s.agent+"/", narrow...)},
		{8, runOf(s.agent+"/.well-known/agent-card.json", narrow...)},
		{9, runOf(s.below + "/agents/echo/.well-known/agent-card.json")},
		{9, runOf(s.below + "/agents/echo")},
		{10, runOf(s.agent+"/rpc", narrow...)},
		{11, runOf("http://127.0.0.1:1")},
		{12, runOf("http://no-such-host.test")},
		{13, runOf(mapped, narrow...)},
		{14, runOf("http://::1:43710")},
		{14, runOf("2001:db8::1")},
	}
}

// mistakenServers are servers that are not what the user thinks, or that need something.
func mistakenServers(s *mistaken) []mistake {
	return []mistake{
		{15, runOf(s.page)},
		{16, runOf(s.redirect)},
		{17, runOf(s.refusing)},
		{17, runOf(s.refusing, "--quiet")},
		{18, runOf(s.guarded)},
		{18, runOf(s.guarded, "--quiet", "--gate", "no-failures")},
		{19, runOf(s.guardedOlder)},
		{20, runOf(s.guarded, "--bearer-env", "WRONG_TOKEN")},
		{21, runOf(s.away)},
		{22, runOf(s.cut)},
		{23, runOf(s.old)},
		{24, runOf(s.hang, "--timeout", "200ms", "--deadline", "3s")},
		{25, runOf(s.secure)},
		{26, runOf("http" + s.secure[len("https"):])},
		{27, runOf("https" + s.page[len("http"):])},
		{28, runOf(s.grpc)},
		{29, runOf(s.overGRPC)},
		{30, runOf(s.dead)},
		{31, runOf(s.internal)},
		{32, runOf(s.unspecified)},
	}
}

// mistakenFlags are mistakes in the other words of a command line.
func mistakenFlags(s *mistaken) []mistake {
	narrow := []string{"--run", "A2A10-DISC-001"}
	return []mistake{
		{proxiedRun, runOf("http://agents.test")},
		{34, []string{"run"}},
		{34, runOf("")},
		{35, runOf(s.agent, s.page)},
		{35, []string{"probe", s.agent, s.page}},
		{35, runOf(s.agent, "--header", "Authorization:", "Bearer", typedToken)},
		{36, runOf(s.agent, "--dialect", "1.0")},
		{36, runOf(s.agent, "--dialect", "a2a-1")},
		{37, runOf(s.agent, "--dialect", "a2a-0.3")},
		{38, runOf(s.agent, "--level", "must", "--run", "A2A10-DISC-001")},
		{39, runOf(s.agent, "--dialect", "a2a-1.0", "--area", "streaming")},
		{40, runOf(s.agent, "--run", "A2A10-SEND-999")},
		{41, []string{"explain", "SEND-014"}},
		{41, []string{"explain", "DATA-014"}},
		{41, []string{"explain"}},
		{41, runOf(s.agent, "--run", "SEND-014")},
		{42, []string{"explain", "a2a10-send-014"}},
		{43, runOf(s.agent, "--gate", "nofailures")},
		{44, runOf(s.agent, "--gate", "baseline=nope.json")},
		{45, runOf(s.agent, "--timeout", "30")},
		{46, runOf(s.agent, "--bearer", typedToken)},
		{47, runOf(s.agent, "--bearer-env", typedToken)},
		{47, runOf(s.agent, "--bearer-env", "$A2A_TOKEN")},
		{47, runOf(s.agent, "--bearer-env", "A2A_TOKEN")},
		{48, runOf(s.agent, "-v")},
		{48, runOf(s.agent, "-k")},
		{48, runOf(s.agent, "-o", "reports")},
		{48, runOf(s.agent, "-kv")},
		{48, runOf(s.agent, "-u", "a:b")},
		{48, runOf(s.agent, "-L")},
		{49, runOf("http://u:p@127.0.0.1:1")},
		{50, runOf("./agent-card.json")},
		{51, runOf(s.agent, "--binding", "json-rpc")},
		{52, runOf(s.agent, "--binding", "grpc")},
		{53, runOf(" "+s.agent+" ", narrow...)},
		{53, append([]string{" " + s.agent + " "}, narrow...)},
		{interruptedRun, runOf(s.agent, "--dialect", "a2a-1.0")},
	}
}

// mistakenFiles are mistakes in files, which it writes to the folder of the test.
func mistakenFiles(t *testing.T, dir string) []mistake {
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	config := func(name, text string) []string {
		return []string{"run", "--config", write(name, "target: http://127.0.0.1:1\n"+text)}
	}
	return []mistake{
		{54, config("c54.yaml", "stimulus: {}\n")},
		{55, config("c55.yaml", "declares: {never: [asks]}\n")},
		{56, config("c56.yaml", "auth: {bearer: "+configuredSecret+"}\n")},
		{57, config("c57.yaml", "declares:\n\tnever: [ask]\n")},
		{58, []string{"fleet", "run", "--file", write("agents.yaml", "agents:\n  - target: http://127.0.0.1:1\n    name: 503\n")}},
		{59, []string{"matrix", "nope"}},
		{60, []string{"diff", dir + "/empty", dir + "/earlier"}},
		{60, []string{"diff", dir + "/earlier", dir + "/earlier"}},
		{61, []string{"call", "earlier", "9999"}},
		{63, []string{"keygen", "acme"}},
		{63, []string{"keygen", "acme"}},
	}
}
