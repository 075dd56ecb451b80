package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/google/uuid"
)

// checkWebhook reports mistakes before the webhook listens. target is the URL of the server that
// has to reach it.
func checkWebhook(w operator.Webhook, target string) error {
	switch {
	case w == operator.Webhook{}:
		return nil
	case w.Listen == "":
		return usageErrorf("--webhook-url needs --webhook-listen as well: the address at which this program receives what is sent to that URL, such as 0.0.0.0:8443")
	case (w.Cert == "") != (w.Key == ""):
		return usageErrorf("--webhook-cert and --webhook-key belong together; one of them is missing")
	}
	host, _, err := net.SplitHostPort(w.Listen)
	if err != nil {
		return usageErrorf("--webhook-listen is %q, which is not HOST:PORT; write it like 127.0.0.1:0", w.Listen)
	}
	if ip := net.ParseIP(host); w.URL == "" && (host == "" || ip != nil && ip.IsUnspecified()) {
		return usageErrorf("--webhook-listen %s receives on every address of this machine; give --webhook-url, the URL under which the server reaches it", w.Listen)
	}
	if w.URL == "" {
		if at, err := url.Parse(target); err == nil && isLoopback(host) && !isLoopback(at.Hostname()) {
			return usageErrorf("--webhook-listen %s cannot be reached from %s; give --webhook-url, the URL under which the server reaches it", w.Listen, at.Host)
		}
		return nil
	}
	u, err := url.Parse(w.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return usageErrorf("--webhook-url is %q, which is not an http or https URL without query; write it like https://hooks.example.com/a2a", w.URL)
	}
	if u.User != nil {
		return usageErrorf("--webhook-url contains a user or password, and reports would show it")
	}
	return nil
}

// readWebhookCert reads the operator's certificate for the webhook before anything is sent.
func readWebhookCert(w operator.Webhook) (*tls.Certificate, error) {
	if w.Cert == "" {
		return nil, nil
	}
	cert, err := schema.ReadKeyPair(w.Cert, w.Key)
	if err != nil {
		return nil, usageErrorf("--webhook-cert and --webhook-key: %v", err)
	}
	return &cert, nil
}

// openWebhook starts the webhook; nil if the operator wants none.
func (t *target) openWebhook(started time.Time, redact *redact.Redactor, given *tls.Certificate) (*client.Receiver, error) {
	w := t.Webhook
	cfg := client.ReceiverConfig{Listen: w.Listen, URL: w.URL, Started: started, Redact: redact}
	switch {
	case w == operator.Webhook{} && !t.Bundled:
		return nil, nil
	case w == operator.Webhook{}: // The bundled server accepts any certificate on its own host.
		cert, err := webhookCertificate()
		if err != nil {
			return nil, fmt.Errorf("a certificate for the webhook: %w", err)
		}
		cfg.Listen, cfg.Cert = "127.0.0.1:0", cert
	default:
		cfg.Cert = given
	}
	r, err := client.Receive(cfg)
	if err != nil {
		return nil, usageErrorf("--webhook-listen %s: %v", cfg.Listen, err)
	}
	return r, nil
}

// webhookCertificate returns a certificate for loopback that is valid as long as the process
// runs.
var webhookCertificate = sync.OnceValues(func() (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial := uuid.New()
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial[:]),
		Subject:      pkix.Name{CommonName: "webhook"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
})
