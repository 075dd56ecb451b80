//go:build brokers

package brokers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	dir  string
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func anAuthority(t *testing.T, name string) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.file, _ = a.issue(name, a.cert)
	return a
}

// issue writes a certificate and its key. The first one is that of the authority itself.
func (a *authority) issue(name string, c *x509.Certificate) (cert, key string) {
	a.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.key == nil {
		a.key = private
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &private.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return write(a.t, filepath.Join(a.dir, name+".pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))),
		write(a.t, filepath.Join(a.dir, name+".key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})))
}

func (a *authority) leaf(name string, use x509.ExtKeyUsage) (cert, key string) {
	return a.issue(name, &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{use}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
}

// refused makes sure that a command ends with one clear sentence.
func refused(t *testing.T, sentence string, args ...string) {
	t.Helper()
	code, said := fleetOf(t, append([]string{"status"}, args...)...)
	if code != 2 || !strings.HasPrefix(said, "a2a-conform: ") || strings.Count(said, "\n") != 1 || !strings.Contains(said, sentence) {
		t.Errorf("%q: exit code %d, not %q:\n%s", args, code, sentence, said)
	}
}

// round judges one target.
func round(t *testing.T, args ...string) {
	t.Helper()
	file, _ := agents(t, 1)
	done(t, append([]string{"add", "--file", file}, args...)...)
	if w := aWorker(t, args...); w.AwaitEnd() != 0 {
		t.Errorf("the worker ended with %d", w.AwaitEnd())
	}
	if said := done(t, append([]string{"status"}, args...)...); !strings.Contains(said, "1 targets, 1 results, finished") {
		t.Error(said)
	}
}

// A server with TLS, certificates of clients, and a token.
func TestCertificatesAndToken(t *testing.T) {
	ours, others := anAuthority(t, "ours"), anAuthority(t, "others")
	cert, key := ours.leaf("server", x509.ExtKeyUsageServerAuth)
	_, at := aNATS(t, natsProgram, fmt.Sprintf("authorization { token: %q }\ntls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }\n", "right-token", cert, key, ours.file))
	t.Setenv("RIGHT_TOKEN", "right-token")
	t.Setenv("WRONG_TOKEN", "wrong-token")
	mine, mineKey := ours.leaf("client", x509.ExtKeyUsageClientAuth)
	strange, strangeKey := others.leaf("stranger", x509.ExtKeyUsageClientAuth)
	for _, scheme := range []string{"tls://", "nats://"} {
		with := func(ca, cert, key, token string) (args []string) {
			args = []string{"--nats=" + scheme + at}
			for _, f := range []struct{ name, value string }{{"ca", ca}, {"cert", cert}, {"key", key}, {"token-env", token}} {
				if f.value != "" {
					args = append(args, "--nats-"+f.name+"="+f.value)
				}
			}
			return args
		}
		if scheme == "tls://" {
			round(t, with(ours.file, mine, mineKey, "RIGHT_TOKEN")...)
		}
		done(t, append([]string{"status"}, with(ours.file, mine, mineKey, "RIGHT_TOKEN")...)...)
		refused(t, "does not accept the credentials", with(ours.file, mine, mineKey, "WRONG_TOKEN")...)
		refused(t, "does not accept the credentials", with(ours.file, mine, mineKey, "")...)
		refused(t, "shows a certificate that is not trusted", with("", mine, mineKey, "RIGHT_TOKEN")...)
		refused(t, "shows a certificate that is not trusted", with(others.file, mine, mineKey, "RIGHT_TOKEN")...)
		refused(t, "refuses our side of TLS", with(ours.file, "", "", "RIGHT_TOKEN")...)
		refused(t, "refuses our side of TLS", with(ours.file, strange, strangeKey, "RIGHT_TOKEN")...)
		refused(t, "--nats-cert and --nats-key belong together", with(ours.file, mine, "", "RIGHT_TOKEN")...)
		refused(t, "--nats-ca: ", with("absent.pem", mine, mineKey, "RIGHT_TOKEN")...)
		refused(t, "--nats-token-env: the environment variable NO_TOKEN is not set", with(ours.file, mine, mineKey, "NO_TOKEN")...)
		refused(t, "cannot be used", with(ours.file, mine, strangeKey, "RIGHT_TOKEN")...)
		refused(t, "cannot be used", with(mineKey, mine, mineKey, "RIGHT_TOKEN")...)
	}
	// Who asks for TLS does not talk to a server without it.
	_, plain := aNATS(t, natsProgram, "")
	refused(t, "cannot be used", "--nats=tls://"+plain)
}

// identity is a key of NATS, and its name.
type identity struct {
	nkeys.KeyPair
	name string
}

func anIdentity(t *testing.T, make func() (nkeys.KeyPair, error)) identity {
	t.Helper()
	k, err := make()
	if err != nil {
		t.Fatal(err)
	}
	name, err := k.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return identity{k, name}
}

func signed(t *testing.T, c jwt.Claims, by identity) string {
	t.Helper()
	text, err := c.Encode(by)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A server whose users have credentials: a signed statement about a key, and the key.
func TestCredentialsFile(t *testing.T) {
	operator := anIdentity(t, nkeys.CreateOperator)
	var resolved strings.Builder
	account := func(name string, stores int64) identity {
		a := anIdentity(t, nkeys.CreateAccount)
		c := jwt.NewAccountClaims(a.name)
		c.Name = name
		if stores != 0 {
			c.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: stores, Streams: -1, Consumer: -1}
		}
		fmt.Fprintf(&resolved, "%s: %q\n", a.name, signed(t, c, operator))
		return a
	}
	system, store, bare := account("system", 0), account("store", -1), account("bare", 0)
	stranger := anIdentity(t, nkeys.CreateAccount)
	of := jwt.NewOperatorClaims(operator.name)
	of.SystemAccount = system.name
	_, at := aNATS(t, natsProgram, fmt.Sprintf("operator: %q\nsystem_account: %q\nresolver: MEMORY\nresolver_preload: {\n%s}\n", signed(t, of, operator), system.name, &resolved))
	dir := t.TempDir()
	credentials := func(name string, a identity, change func(*jwt.UserClaims)) string {
		u := anIdentity(t, nkeys.CreateUser)
		c := jwt.NewUserClaims(u.name)
		c.Name = name
		if change != nil {
			change(c)
		}
		seed, err := u.Seed()
		if err != nil {
			t.Fatal(err)
		}
		text, err := jwt.FormatUserConfig(signed(t, c, a), seed)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, filepath.Join(dir, name+".creds"), string(text))
	}
	broker := "--nats=nats://" + at
	round(t, broker, "--nats-creds="+credentials("right", store, nil))
	for _, c := range []struct{ file, sentence string }{
		{credentials("forged", stranger, nil), "does not accept the credentials"},
		{credentials("expired", store, func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Minute).Unix() }), "does not accept the credentials"},
		{credentials("elsewhere", bare, nil), "JetStream is not enabled for their account"},
		{credentials("narrow", store, func(c *jwt.UserClaims) { c.Pub.Allow.Add("nothing") }), "the credentials do not allow what a fleet does"},
		{credentials("reader", store, func(c *jwt.UserClaims) { c.Pub.Deny.Add("$KV.>") }), "the credentials do not allow what a fleet does"},
		{write(t, filepath.Join(dir, "none.creds"), "nothing\n"), "cannot be used"},
		{filepath.Join(dir, "absent.creds"), "--nats-creds: "},
	} {
		refused(t, c.sentence, broker, "--nats-creds="+c.file)
	}
	refused(t, "does not accept the credentials", broker)
}
