package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reports/certificate"
)

// operand is a place where the operator, or a configuration, names a file.
type operand struct {
	name  string // which is in the sentence, or the file's own name is
	args  []string
	exits []int // codes that are expected beside 2
}

// strangeFile is what may be in the place of a file.
type strangeFile struct {
	name string
	make func(t *testing.T, path string)
}

// configured is a configuration of one line that is written into a file, whose name takes the place of CONFIG.
const configured = "CONFIG "

// listOperands returns all that name a file which is read. FILE is the file, KEY, PUB, CERT, REPORT and HAR are good ones.
func listOperands() []operand {
	run := func(args ...string) []string { return append([]string{"run", target}, args...) }
	config := func(line string) []string {
		return []string{"run", "--config", configured + "target: " + target + "\n" + line}
	}
	fleet := func(args ...string) []string { return append([]string{"fleet"}, append(args, "--data", "fleet")...) }
	nats := func(args ...string) []string {
		return append([]string{"fleet", "status", "--nats", "tls://127.0.0.1:1"}, args...)
	}
	return []operand{
		{name: "--config", args: []string{"run", "--config", "FILE"}},
		{name: "--stimuli", args: run("--stimuli", "FILE")},
		{name: "--schema", args: run("--dialect", "a2a-0.1", "--schema", "FILE")},
		{name: "--waivers", args: run("--waivers", "FILE")},
		{name: "--rerun-failed", args: run("--rerun-failed", "FILE")},
		{name: "--gate", args: run("--gate", "baseline=FILE")},
		{name: "--card", args: run("--card", "FILE")},
		{name: "--card-key", args: run("--card-key", "FILE")},
		{name: "--client-cert", args: run("--client-cert", "FILE", "--client-key", "KEYPEM")},
		{name: "--client-key", args: run("--client-cert", "CERT", "--client-key", "FILE")},
		{name: "--ca", args: run("--ca", "FILE")},
		{name: "--webhook-cert", args: run("--webhook-listen", "127.0.0.1:0", "--webhook-cert", "FILE", "--webhook-key", "KEYPEM")},
		{name: "--webhook-key", args: run("--webhook-listen", "127.0.0.1:0", "--webhook-cert", "CERT", "--webhook-key", "FILE")},
		{name: "--sign", args: run("--sign", "FILE")},
		{name: "probe --config", args: []string{"probe", "--config", "FILE"}},
		{name: "probe --ca", args: []string{"probe", target, "--ca", "FILE"}},
		{name: "cardKey", args: config("cardKey: FILE")},
		{name: "card", args: config("card: FILE")},
		{name: "auth.bearer", args: config(`auth: {bearer: "file:FILE"}`)},
		{name: "auth.basic", args: config(`auth: {basic: "file:FILE"}`)},
		{name: "auth.apiKey", args: config(`auth: {apiKey: "file:FILE"}`)},
		{name: "auth.second.bearer", args: config(`auth: {second: {bearer: "file:FILE"}}`)},
		{name: "auth.low.apiKey", args: config(`auth: {low: {apiKey: "file:FILE"}}`)},
		{name: "webhook.cert", args: config(`webhook: {listen: "127.0.0.1:0", cert: FILE, key: KEYPEM}`)},
		{name: "webhook.key", args: config(`webhook: {listen: "127.0.0.1:0", cert: CERT, key: FILE}`)},
		{name: "replay", args: []string{"replay", "FILE"}},
		{name: "replay --card-key", args: []string{"replay", "HAR", "--card-key", "FILE"}},
		{name: "call", args: []string{"call", "FILE", "1"}},
		{name: "judge", args: []string{"judge", "A2A01-TASK-001", "FILE"}},
		{name: "diff, the older", args: []string{"diff", "FILE", "REPORT"}},
		{name: "diff, the newer", args: []string{"diff", "REPORT", "FILE"}},
		{name: "matrix", args: []string{"matrix", "FILE"}},
		{name: "waivers --from", args: []string{"waivers", "--from", "FILE"}},
		{name: "attest --key", args: []string{"attest", ".", "--key", "FILE"}},
		{name: "verify", args: []string{"verify", "FILE", "--key", "PUB"}, exits: []int{1}},
		{name: "verify --key", args: []string{"verify", "REPORT", "--key", "FILE"}},
		{name: "verify --profile", args: []string{"verify", "REPORT", "--profile", "FILE"}},
		{name: "a key of a profile", args: []string{"verify", "REPORT", "--profile", configured + "keys: [{holder: a, file: FILE}]"}},
		{name: "fleet add --file", args: fleet("add", "--file", "FILE")},
		{name: "fleet work --secrets", args: fleet("work", "--once", "--secrets", "FILE")},
		{name: "the value of a secret", args: fleet("work", "--once", "--secrets", configured+`secrets: {a: {value: "file:FILE", hosts: [a]}}`)},
		{name: "fleet work --ca", args: fleet("work", "--once", "--ca", "FILE")},
		{name: "fleet broker --tls-cert", args: fleet("broker", "--tls-cert", "FILE", "--tls-key", "KEYPEM")},
		{name: "fleet broker --tls-key", args: fleet("broker", "--tls-cert", "CERT", "--tls-key", "FILE")},
		{name: "fleet --nats-ca", args: nats("--nats-ca", "FILE")},
		{name: "fleet --nats-creds", args: nats("--nats-creds", "FILE")},
		{name: "fleet --nats-cert", args: nats("--nats-cert", "FILE", "--nats-key", "KEYPEM")},
		{name: "fleet --nats-key", args: nats("--nats-cert", "CERT", "--nats-key", "FILE")},
	}
}

// linkTo has a path lead to a file.
func linkTo(to string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
}

// pipeFrom makes a pipe with a writer that writes as it likes until the test ends.
func pipeFrom(write func(ctx context.Context, w io.Writer)) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if write == nil {
			return
		}
		w, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0) // which does not wait for a reader
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			write(ctx, w)
		}()
		t.Cleanup(func() {
			end()
			w.Close()
			<-done
		})
	}
}

// writeSlowly writes a byte now and then.
func writeSlowly(ctx context.Context, w io.Writer) {
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
		}
	}
}

// writeForever writes without end.
func writeForever(ctx context.Context, w io.Writer) {
	block := bytes.Repeat([]byte(" "), 1<<16)
	for ctx.Err() == nil {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// strangeFiles are all that may be in the place of a file.
func strangeFiles() []strangeFile {
	return []strangeFile{
		{"a device without end", linkTo("/dev/zero")},
		{"a device that is empty", linkTo("/dev/null")},
		{"memory of the process", linkTo("/proc/self/mem")},
		{"a file that may not be read", linkTo("/proc/self/clear_refs")},
		{"a pipe without a writer", pipeFrom(nil)},
		{"a pipe whose writer is silent", pipeFrom(func(ctx context.Context, _ io.Writer) { <-ctx.Done() })},
		{"a pipe whose writer sends a byte a second", pipeFrom(writeSlowly)},
		{"a pipe without end", pipeFrom(writeForever)},
		{"a sparse file of 100 GB", func(t *testing.T, path string) {
			f, err := os.Create(path)
			if err == nil {
				err = f.Truncate(100 << 30)
			}
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
		}},
		{"a folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"a socket", func(t *testing.T, path string) {
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
		}},
		{"a link to itself", func(t *testing.T, path string) { linkTo(filepath.Base(path))(t, path) }},
		{"a link to nothing", linkTo("nothing")},
		{"an empty file", func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a file that grows while it is read", func(t *testing.T, path string) {
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithCancel(context.Background())
			done := make(chan struct{})
			go func() {
				defer close(done)
				tick := time.NewTicker(10 * time.Millisecond)
				for n := 0; n < 1000; n++ { // 60 MB at most
					select {
					case <-ctx.Done():
						return
					case <-tick.C:
						f.Write(bytes.Repeat([]byte(" "), 1<<16))
					}
				}
			}()
			t.Cleanup(func() {
				end()
				<-done
				f.Close()
			})
		}},
	}
}

// goodFiles are those that operands name beside the strange one, by their placeholders.
func goodFiles(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	signer := newSigning(t, certificate.Ed25519)
	run := filepath.Join(dir, "run") // in which nothing answered
	if code, out, errs := command(t, "run", target, "--out", run); code != 4 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	files := map[string]string{"KEY": signer.key, "PUB": signer.pub, "HAR": filepath.Join(run, "transcript.har"), "REPORT": filepath.Join(run, "report.json")}
	cert, key := pemPair(t)
	for name, text := range map[string][]byte{"CERT": cert, "KEYPEM": key} {
		files[name] = filepath.Join(dir, strings.ToLower(name))
		if err := os.WriteFile(files[name], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// pemPair makes a certificate and its key in PEM.
func pemPair(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// commandLine replaces the placeholders of an operand by files, in a folder of the case's own.
func (o operand) commandLine(t *testing.T, dir, file string, good map[string]string) (args []string) {
	t.Helper()
	pairs := []string{"FILE", file}
	for _, name := range []string{"KEYPEM", "KEY", "PUB", "CERT", "REPORT", "HAR"} {
		pairs = append(pairs, name, good[name])
	}
	replace := strings.NewReplacer(pairs...)
	for _, a := range o.args {
		if text, is := strings.CutPrefix(a, configured); is {
			a = filepath.Join(dir, "config.yaml")
			if err := os.WriteFile(a, []byte(replace.Replace(text)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args = append(args, replace.Replace(a))
	}
	return args
}

// Whatever is in the place of a file that somebody names is read or refused within a bound, with
// a sentence that names the file or the flag.
func TestOpenersOfFiles(t *testing.T) {
	t.Parallel()
	good := goodFiles(t)
	kinds := strangeFiles()
	for i, o := range listOperands() {
		for j, k := range kinds {
			// Every third operand meets one kind each time; .ci/run has a third of all.
			if !testamount.All() && (i+j)%3 != 0 || testamount.LeavesOut((i+j)%len(kinds) == 0 && i%3 == 0) {
				continue
			}
			t.Run(o.name+"/"+k.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				file := filepath.Join(dir, "strange")
				k.make(t, file)
				c := newChild(t, o.commandLine(t, dir, file, good)...)
				c.Stdin = nil
				began := time.Now()
				guard := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
				c.Run()
				guard.Stop()
				took := time.Since(began)
				after := c.Check(t)
				if worked := c.ProcessState.UserTime() + c.ProcessState.SystemTime(); worked > cpuBound {
					t.Errorf("it took %v of a processor", worked)
				}
				if took > 15*time.Second { // as a writer is waited for, on a busy machine
					t.Errorf("it took %v", took)
				}
				code, said := c.ProcessState.ExitCode(), c.Errors.String()+c.Printed.String()
				if code != 2 && !slices.Contains(o.exits, code) {
					t.Errorf("exit %d: %.500s", code, said)
				}
				line, _, _ := strings.Cut(c.Errors.String(), "\n")
				if slices.Contains(o.exits, code) {
					file = "refused: " // as the certificate that it is not
				}
				if flag := o.name[strings.LastIndex(o.name, " ")+1:]; !strings.Contains(said, file) && !strings.Contains(said, flag) {
					t.Errorf("neither %s nor %s is named: %.500s", file, flag, said)
				}
				t.Logf("exit %d, %d MiB, %v: %.300s", code, after.Peak>>20, took.Round(time.Millisecond), fmt.Sprint(line, c.Printed.String()))
			})
		}
	}
}

// The guide names every operand, and every kind of file that may be in its place.
func TestOpenersAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/hostile.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n### What is in the place of a file\n")
	section, _, _ = strings.Cut(section, "\n## ")
	listed := strings.Join(strings.Fields(section), " ")
	for _, o := range listOperands() {
		if !strings.Contains(listed, "`"+o.name+"`") {
			t.Errorf("docs/hostile.md does not name the operand %s", o.name)
		}
	}
	for _, k := range strangeFiles() {
		if strings.Count(section, "\n| "+k.name+" |") != 1 {
			t.Errorf("docs/hostile.md does not have %s in one line of its table", k.name)
		}
	}
}
