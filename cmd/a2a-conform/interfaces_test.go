package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/reference"
)

// Endpoints are given without the name of a binding once, and by each name once.
func TestReadEndpoints(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"http://x/", "http://x/ map[]"},
		{"http://x/?a=b", "http://x/?a=b map[]"},
		{"HTTP+JSON=http://x/?a=b JSONRPC=http://y/ http://z/", "http://z/ map[HTTP+JSON:http://x/?a=b JSONRPC:http://y/]"},
		{"GRPC=localhost:50051", " map[GRPC:localhost:50051]"},
		{"http://x/ http://y/?token=secret", "twice without the name of a binding; name the binding in all but one of them, like --rpc HTTP+JSON=http://y/?…"},
		{"JSONRPC=http://x/ JSONRPC=http://y/", "--rpc JSONRPC= is given twice"},
		{"JSONRPC=", "has no URL (is a variable empty?)"},
		{"=http://x/", "names no binding before the equals sign"},
	} {
		e, err := readEndpoints(strings.Fields(c.given))
		got := fmt.Sprint(e.any, " ", e.by)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.given, got, c.want)
		}
	}
}

// The flag and the file say the same, the flag wins, and mistakes of either send nothing.
func TestInterfacesOfTheOperator(t *testing.T) {
	here(t)
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	write := func(text string) {
		if err := os.WriteFile("c.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("target: " + server.URL() + "\ninterfaces: {JSONRPC: 'http://127.0.0.1:1/'}\ntrustHosts: [agent.example.com]\n")
	var target conform.Target
	if _, err := config.Read("c.yaml", &target); err != nil || target.Interfaces["JSONRPC"] != "http://127.0.0.1:1/" || len(target.TrustHosts) != 1 {
		t.Fatalf("%v, %v", target.Interfaces, err)
	}
	if code, out, errs := command(t, "run", "--config", "c.yaml", "--rpc", "JSONRPC="+server.URL(), "--run", "A2A03-SEND-002", "--quiet"); code != 3 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	} else if want := "JSONRPC at " + server.URL() + ", what the card lists at agent.example.com"; !strings.Contains(errs, want) {
		t.Errorf("it does not say %q: %s", want, errs)
	}
	if code, out, errs := command(t, "run", "--config", "c.yaml", "--binding", "JSONRPC", "--run", "A2A03-SEND-002", "--quiet"); code != 4 {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for _, c := range [][]string{
		{"did you mean JSONRPC?", "--rpc", "JSONRP=http://127.0.0.1:1"},
		{"unknown binding", "--dialect", "a2a-0.1", "--rpc", "soap=http://127.0.0.1:1"},
		{"is not the name of a host", "--trust-host", "https://agent.example.com"},
		{"--trust-host is empty", "--trust-host", ""},
	} {
		code, out, errs := command(t, append([]string{"run", "http://127.0.0.1:1"}, c[1:]...)...)
		if code != 2 || !strings.Contains(errs, c[0]) {
			t.Errorf("%v: exit %d\n%s%s", c, code, out, errs)
		}
	}
	write("interfaces:\n  JSONRPC:\n")
	if _, err := config.Read("c.yaml", &target); err == nil || !strings.Contains(err.Error(), "c.yaml:2: interfaces.JSONRPC has no URL") {
		t.Error(err)
	}
}
