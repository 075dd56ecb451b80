package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var opensslBlock = regexp.MustCompile("(?s)```sh openssl\n(.*?)```")

// TestCertificates has other programs check certificates: openssl, by the lines that the
// guide shows, and the library of Sigstore; with keys of ours, of ssh-keygen and of openssl.
func TestCertificates(t *testing.T) {
	bin := t.TempDir()
	program := filepath.Join(bin, "a2a-conform")
	build(t, "../..", "./cmd/a2a-conform", program)
	guide, err := os.ReadFile("../../docs/certify.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := opensslBlock.FindStringSubmatch(string(guide))
	if lines == nil {
		t.Fatal("the guide does not show how to check a certificate with openssl")
	}
	for name, make := range map[string]string{
		"Ed25519":               program + " keygen acme --kind ed25519",
		"P-256":                 program + " keygen acme --kind p256",
		"Ed25519 of openssl":    "openssl genpkey -algorithm ed25519 -out acme.key && openssl pkey -in acme.key -pubout -out acme.pub",
		"P-256 of openssl":      "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out acme.key && openssl pkey -in acme.key -pubout -out acme.pub",
		"Ed25519 of ssh-keygen": "ssh-keygen -q -t ed25519 -N '' -C qa@acme -f acme && mv acme acme.key",
		"P-256 of ssh-keygen":   "ssh-keygen -q -t ecdsa -b 256 -N '' -C qa@acme -f acme && mv acme acme.key",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			shell := func(script string) (string, error) {
				cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			must := func(script string) string {
				t.Helper()
				out, err := shell(script)
				if err != nil {
					t.Fatalf("%s: %v\n%s", script, err, out)
				}
				return out
			}
			must(make)
			must(program + " run --self --dialect a2a-0.1 --quiet --sign acme.key --out .")
			must(program + " verify certificate.zip --key acme.pub --allow-bundled")
			if strings.Contains(name, "ssh-keygen") {
				if strings.HasPrefix(name, "Ed25519") {
					return // whose public key ssh-keygen does not write in PEM form
				}
				must("ssh-keygen -e -m PKCS8 -f acme.pub > pem.pub && mv pem.pub acme.pub")
			}
			if out := must(lines[1]); !strings.Contains(out, "Signature Verified Successfully") {
				t.Errorf("openssl: %s", out)
			}
			sigstore, err := filepath.Abs("js10/certificate.mjs")
			if err != nil {
				t.Fatal(err)
			}
			must("node " + sigstore + " envelope acme.pub")

			must(`mkdir x && cd x && unzip -q ../certificate.zip && sed -i 's/"payload": "./"payload": "f/' envelope.dsse.json && cp envelope.dsse.json ../changed`)
			if out, err := shell("node " + sigstore + " changed acme.pub"); err == nil {
				t.Errorf("Sigstore accepts a changed statement: %s", out)
			}
			must("cd x && rm ../certificate.zip && zip -q ../certificate.zip envelope.dsse.json report.json transcript.har.gz report.html")
			if out, err := shell(lines[1]); err == nil {
				t.Errorf("openssl accepts a changed statement: %s", out)
			}
			if out, err := shell(program + " verify certificate.zip --key acme.pub --allow-bundled"); err == nil || !strings.Contains(out, "refused: the signature is wrong") {
				t.Errorf("a changed statement: %v\n%s", err, out)
			}
		})
	}
}
