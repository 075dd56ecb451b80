package script

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// run gives a command to bash with a curl that prints its arguments.
func run(t *testing.T, command string) []string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("this test runs commands of reports by bash: install bash")
	}
	script := `curl() { printf '%s\0' "$@"; case " $* " in *" @- "*) cat;; esac; }` + "\n" + command
	cmd := exec.Command(bash, "-c", script)
	cmd.Env = []string{"A2A_TOKEN=s3cret", "A2A_X_API_KEY=k3y", "LC_ALL=C.UTF-8"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bash: %v in\n%s", err, command)
	}
	return strings.Split(string(out), "\x00")
}

func TestCurlQuotes(t *testing.T) {
	for name, body := range map[string]string{
		"plain":         `{"jsonrpc":"2.0","id":1}`,
		"quotes":        `it's "so" \ 'quoted'`,
		"shell":         "$(id) `id` $HOME ; rm -rf / & | > x < y * ? [a] {b,c} ~ ! # \\",
		"file":          "@/etc/passwd",
		"option":        "--output=/tmp/x",
		"controls":      "a\x1b[31m\r\n\tb\x7f\u009b1",
		"bidi":          "a\u202eb1",
		"invalid UTF-8": "a\xff1\xc3",
		"lines":         "{\n  \"a\": 1\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			x := reportstest.Post(body, "200 OK", "application/json", "", 0)
			command, note := Curl(x, false)
			if note != "" {
				t.Fatal(note)
			}
			if safetext.Visible(command) != command {
				t.Errorf("the command cannot be copied from a page: %q", command)
			}
			args := run(t, command)
			if got := after1(args, "--data-raw"); got != body {
				t.Errorf("the shell passes %q, want %q", got, body)
			}
			if got := after1(args, "--url"); got != x.URL {
				t.Errorf("the shell passes the URL %q, want %q", got, x.URL)
			}
		})
	}
}

func after1(args []string, flag string) string {
	for i := range args[:len(args)-1] {
		if args[i] == flag {
			return args[i+1]
		}
	}
	return "nothing"
}

func TestCurlSecrets(t *testing.T) {
	x := reportstest.Post(`{"key":"⟦secret:x-api-key⟧'$HOME'⟦secret:$(id)⟧"}`, "200 OK", "application/json", "", 0)
	command, _ := Curl(x, true)
	args := run(t, command)
	if !strings.Contains(strings.Join(args, "\n"), "\nAuthorization: Bearer s3cret\n") {
		t.Errorf("the token is not taken from the environment: %q", args)
	}
	if got, want := after1(args, "--data-raw"), `{"key":"k3y'$HOME'"}`; got != want {
		t.Errorf("the shell passes %q, want %q", got, want)
	}
	if !strings.Contains(command, " -k ") {
		t.Errorf("it verifies what the run did not: %s", command)
	}
}

func TestCurlNUL(t *testing.T) {
	body := "100% \\ a\x00b'\n\xff$HOME"
	command, _ := Curl(reportstest.Post(body, "200 OK", "application/json", "", 0), false)
	out := strings.Join(run(t, command), "\x00")
	if !strings.HasSuffix(out, "\x00@-\x00"+body) {
		t.Errorf("the shell passes %q, want the body %q", out, body)
	}
}

func TestCurlDeclines(t *testing.T) {
	for name, change := range map[string]func(*record.Exchange){
		"another scheme": func(x *record.Exchange) { x.URL = "file:///etc/passwd" },
		"not a URL":      func(x *record.Exchange) { x.URL = "\x7f:" },
		"not sent":       func(x *record.Exchange) { x.Request.Head = nil },
		"recipe":         func(x *record.Exchange) { x.Request.Recipe = &record.Recipe{} },
		"large":          func(x *record.Exchange) { x.Request.Body = make([]byte, 1<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			x := reportstest.Post("{}", "200 OK", "application/json", "", 0)
			change(x)
			if command, note := Curl(x, false); command != "" || note == "" {
				t.Errorf("got %q and %q, want no command and a note", command, note)
			}
		})
	}
}
