package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// pemFiles writes a client certificate of its own authority and its key.
func pemFiles(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a client"}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return pemFile(t, "CERTIFICATE", der), pemFile(t, "PRIVATE KEY", secret), pool
}

func pemFile(t *testing.T, kind string, der []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The TLS options reach the connection, and what was negotiated is recorded.
func TestTLS(t *testing.T) {
	cert, key, clients := pemFiles(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Client", "none")
		if c := r.TLS.PeerCertificates; len(c) > 0 {
			w.Header().Set("X-Client", c[0].Subject.CommonName)
		}
	}))
	server.TLS = &tls.Config{ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: clients}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // some handshakes are meant to fail
	server.StartTLS()
	defer server.Close()
	ca := pemFile(t, "CERTIFICATE", server.Certificate().Raw)
	for _, c := range []struct {
		name     string
		target   operator.Target
		client   string // "" if the handshake fails
		verified bool
	}{
		{"an unknown authority", operator.Target{}, "", false},
		{"--ca", operator.Target{Credentials: operator.Credentials{CA: ca}}, "none", true},
		{"--insecure", operator.Target{Credentials: operator.Credentials{InsecureSkipVerify: true}}, "none", false},
		{"--client-cert", operator.Target{Credentials: operator.Credentials{CA: ca, Cert: cert, Key: key}}, "a client", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.target.URL, c.target.Dialect = server.URL, "a2a-0.1"
			talk, err := Run(t.Context(), c.target, nothing)
			if err != nil {
				t.Fatal(err)
			}
			x := talk.Transcript.Exchanges[0]
			if got := x.Response.Header().Get("X-Client"); got != c.client {
				t.Errorf("the server met %q, want %q (%s)", got, c.client, x.Trouble)
			}
			if c.client == "" {
				if x.Answered() || !strings.Contains(strings.Join(talk.Transcript.Facts.Tried, "\n"), "--ca FILE") {
					t.Errorf("tried %q", talk.Transcript.Facts.Tried)
				}
				return
			}
			f := x.TLS
			if f == nil || f.Version != "TLS 1.3" || f.CipherSuite == "" || f.ServerName != "127.0.0.1" || f.Issuer == "" || f.NotAfter == "" || f.Verified != c.verified {
				t.Errorf("recorded %+v", f)
			}
			if talk.Transcript.Facts.Insecure != c.target.InsecureSkipVerify {
				t.Error("--insecure is not recorded")
			}
		})
	}
	t.Run("--client-key of another", func(t *testing.T) {
		_, other, _ := pemFiles(t)
		_, err := Run(t.Context(), operator.Target{URL: server.URL, Credentials: operator.Credentials{Cert: cert, Key: other}}, nothing)
		if err == nil || !strings.Contains(err.Error(), "--client-cert and --client-key") {
			t.Errorf("got %v", err)
		}
	})
}
