package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
)

// However a credential is given, it is in nothing that a run says or writes,
// though the server sends it back in every disguise.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	const secret = hostile.Secret
	query := "?access_token=" + url.QueryEscape(secret)
	for i, c := range []struct {
		name    string
		target  string // what is added to the URL
		args    []string
		config  string
		mistake bool // it is refused
		quiet   bool // the server is not asked for what it could echo
	}{
		{name: "bearer-env", args: []string{"--bearer-env", hostile.SecretVariable}},
		{name: "basic-env", args: []string{"--basic-env", "A2A_HOSTILE_BASIC"}},
		{name: "api-key-env", args: []string{"--api-key-env", hostile.SecretVariable}},
		{name: "header", args: []string{"--header", "X-Auth-Token: " + secret}},
		{name: "header Authorization", args: []string{"--header", "Authorization: Bearer " + secret}},
		{name: "header Cookie", args: []string{"--header", "Cookie: sid=" + secret}},
		{name: "header without colon", args: []string{"--header", "X-Auth-Token " + secret}, mistake: true},
		{name: "configuration, from the environment", config: "auth: {bearer: '${" + hostile.SecretVariable + "}'}"},
		{name: "configuration, from a file", config: "auth: {apiKey: 'file:secret.txt'}"},
		{name: "configuration, in the file itself", config: "auth: {bearer: '" + strings.ReplaceAll(secret, "'", "''") + "'}", mistake: true},
		{name: "query", target: query},
		{name: "query of a URL that is none", args: []string{"--rpc", "localhost:9/" + query}, mistake: true},
		{name: "userinfo", args: []string{"--rpc", "http://user:" + url.QueryEscape(secret) + "@127.0.0.1:9/"}, mistake: true},
		{name: "userinfo of a URL that is none", args: []string{"--rpc", "user:" + url.QueryEscape(secret) + "@127.0.0.1:9/"}, mistake: true},
		{name: "plan", args: []string{"--plan", "--dialect", "a2a-0.1", "--bearer-env", hostile.SecretVariable}, quiet: true},
		{name: "no answer", target: query, args: []string{"--rpc", "http://127.0.0.1:1/" + query, "--bearer-env", hostile.SecretVariable}, quiet: true},
	} {
		if testamount.LeavesOut(i%4 == 0) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, err := hostile.EchoesAll.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			run := newChild(t, append([]string{"run", server.URL + "/" + c.target, "--area", "transport,stream,card"}, c.args...)...)
			if c.target != "" && !c.quiet {
				run.Args = append(run.Args, "--rpc", server.URL+"/"+c.target)
			}
			if c.config != "" {
				elsewhere := t.TempDir() // what the operator wrote is not what the run wrote
				file := filepath.Join(elsewhere, "c.yaml")
				c.config = strings.ReplaceAll(c.config, "secret.txt", filepath.Join(elsewhere, "secret.txt"))
				for name, text := range map[string]string{"c.yaml": c.config, "secret.txt": secret} {
					if err := os.WriteFile(filepath.Join(elsewhere, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				run.Args = append(run.Args, "--config", file)
			}
			run.Env = append(run.Env, hostile.SecretVariable+"="+secret, "A2A_HOSTILE_BASIC=somebody:"+secret)
			run.Run()
			run.Check(t)
			if code := run.ProcessState.ExitCode(); (code == 2) != c.mistake {
				t.Errorf("exit %d\n%s%s", code, run.Printed.String(), run.Errors.String())
			}
			keepsSecret(t, run, secret, "somebody:"+secret)
			if c.mistake || c.quiet {
				return
			}
			text, err := os.ReadFile(filepath.Join(run.Dir, "a2a-report", "transcript.har"))
			if err != nil || !strings.Contains(string(text), "⟦secret:") {
				t.Errorf("the transcript shows no sign of the credential: was it sent at all? (%v)", err)
			}
		})
	}
}

// Judging a gateway hides what a run hides: headers that look like credentials, and those in the query of its URL.
func TestSecretsStayOutThroughGateway(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	const secret = hostile.Secret
	server, err := hostile.EchoesAll.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	run := newChild(t, "run", server.URL+"/?access_token="+url.QueryEscape(secret), "--through", server.URL+"/?key="+url.QueryEscape(secret),
		"--header", "X-Auth-Token: "+secret, "--header", "X-Secret: "+secret, "--header", "Cookie: sid="+secret, "--timeout", "1s", "--deadline", "20s")
	run.Run()
	run.Check(t)
	if code := run.ProcessState.ExitCode(); code == 2 {
		t.Errorf("exit %d\n%s%s", code, run.Printed.String(), run.Errors.String())
	}
	keepsSecret(t, run, secret)
	text, err := os.ReadFile(filepath.Join(run.Dir, "a2a-report", "transcript.har"))
	if err != nil || !strings.Contains(string(text), "⟦secret:") {
		t.Errorf("the transcript shows no sign of the credential: was it sent at all? (%v)", err)
	}
}
