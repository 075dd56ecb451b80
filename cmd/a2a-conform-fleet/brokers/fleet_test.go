//go:build brokers

// Package brokers has a fleet judge with brokers that are processes of their own: a cluster whose
// nodes are killed, servers that ask for credentials, an older one, and a disk that is full.
package brokers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The programs, in a folder of their own.
var fleetProgram, natsProgram string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "fleet")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		fleetProgram, natsProgram = filepath.Join(folder, "a2a-conform-fleet"), filepath.Join(folder, "nats-server")
		for _, b := range []struct{ dir, what, to string }{
			{"..", ".", fleetProgram},
			{"../../../.ci/nats", "github.com/nats-io/nats-server/v2", natsProgram}, // the version that its go.mod pins
		} {
			cmd := exec.Command("go", "build", "-o", b.to, b.what)
			cmd.Dir = b.dir
			if out, err := cmd.CombinedOutput(); err != nil {
				fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
				return 1
			}
		}
		return m.Run()
	}())
}

// patience bounds everything that a test waits for.
const patience = 2 * time.Minute

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// started starts a program. It ends with the test.
func started(t testing.TB, name string, args ...string) *commandtest.Process {
	t.Helper()
	p := commandtest.StartProcess(t, nil, name, args...)
	p.Patience = patience
	return p
}

// fleetOf runs a subcommand of fleet to its end.
func fleetOf(t testing.TB, args ...string) (code int, said string) {
	t.Helper()
	p := started(t, fleetProgram, args...)
	return p.AwaitEnd(), p.Text()
}

// done runs a subcommand of fleet that has to succeed.
func done(t testing.TB, args ...string) string {
	t.Helper()
	code, said := fleetOf(t, args...)
	if code != 0 {
		t.Fatalf("%q: exit code %d\n%s", args, code, said)
	}
	return said
}

// freePort is a port of this machine at which nobody listens now.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// aNATS starts a nats-server with JetStream, and returns its address.
func aNATS(t testing.TB, program, settings string) (p *commandtest.Process, at string) {
	t.Helper()
	dir := t.TempDir()
	at = fmt.Sprintf("127.0.0.1:%d", freePort(t))
	config := fmt.Sprintf("listen: %q\njetstream { store_dir: %q }\n%s", at, filepath.Join(dir, "store"), settings)
	p = started(t, program, "-c", write(t, filepath.Join(dir, "nats.conf"), config))
	p.AwaitText("Server is ready")
	return p, at
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// agents starts so many bundled servers, each at an address of its own, and lists them.
func agents(t testing.TB, n int) (file string, targets []agentlist.Target) {
	t.Helper()
	list := "agents:\n"
	for i := range n {
		s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.3", Addr: fmt.Sprintf("127.1.%d.%d:0", i/250, 1+i%250)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		list += fmt.Sprintf("  - target: %s\n    dialect: a2a-0.3\n    stimuli: plain\n", s.URL())
	}
	file = write(t, filepath.Join(t.TempDir(), "agents.yaml"), list)
	targets, _, err := agentlist.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, targets
}

// aWorker starts a worker that ends when nothing is left.
func aWorker(t testing.TB, args ...string) *commandtest.Process {
	t.Helper()
	return started(t, fleetProgram, append([]string{"work", "--once", "--parallel=2", "--lease=5s", "--allow-network=127.0.0.0/8"}, args...)...)
}

// connected is a connection to a fleet.
func connected(t testing.TB, d broker.ConnectOptions) *fleet.Fleet {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d.Name, d.Log = "test", func(text string) { t.Log("test: " + text) }
	f, err := fleet.Connect(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// roundOf is how far the latest round is.
func roundOf(t testing.TB, f *fleet.Fleet) fleet.RoundStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := f.Status(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Rounds) == 0 {
		return fleet.RoundStatus{}
	}
	return s.Rounds[0]
}

// complete makes sure that a round is over, and that each target has one result in it.
func complete(t testing.TB, f *fleet.Fleet, r fleet.RoundStatus, targets []agentlist.Target) {
	t.Helper()
	outcomes, err := f.Outcomes(t.Context(), r.ID, targets)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Missing || o.GivenUp || o.Verdict != report.Partial { // as it is where no webhook can be called
			t.Errorf("%s: %+v", o.Target.URL, o.Result)
		}
	}
	if r.Finished == nil || r.Results != len(targets) || r.Targets != len(targets) || r.Waiting != 0 {
		t.Errorf("%d targets: %+v", len(targets), r)
	}
}

// streams are those of a fleet, as the broker describes them. Where the node dies that was
// asked, another one is.
func streams(t testing.TB, js jetstream.JetStream) (out []*jetstream.StreamInfo) {
	t.Helper()
	eventually(t, "a list of the streams", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		out = nil
		l := js.ListStreams(ctx)
		for info := range l.Info() {
			out = append(out, info)
		}
		return l.Err() == nil
	})
	return out
}

// storeOf is the JetStream of a broker that exists.
func storeOf(t testing.TB, at string, opts ...nats.Option) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(at, append(opts, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
