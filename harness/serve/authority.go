package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The certificates with which an address of TLS is served.
type certificate string

const (
	goodCertificate    certificate = "good"
	foreignCertificate certificate = "unknown-issuer" // of an authority that the client does not know
	renamedCertificate certificate = "wrong-name"     // for another host
	expiredCertificate certificate = "expired"        // that ended yesterday
	mutualCertificate  certificate = "mutual"         // good, at an address that asks for one of the client
)

// otherHost is the host of a certificate with a wrong name.
const otherHost = "other-host.conform.invalid"

// authority is the certificate authority of a run. Its keys are made for the run, and are never written down.
type authority struct {
	text    []byte // its own certificate, in PEM
	servers map[certificate]*tls.Config
	client  tls.Certificate // that a client shows of itself
}

// newAuthority makes an authority and the certificates of the run.
func newAuthority(now time.Time) (*authority, error) {
	known, err := newIssuer("a2a-conform test authority", now)
	if err != nil {
		return nil, err
	}
	foreign, err := newIssuer("a2a-conform foreign authority", now)
	if err != nil {
		return nil, err
	}
	a := &authority{text: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: known.certificate.Raw}), servers: map[certificate]*tls.Config{}}
	here := x509.Certificate{DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, NotBefore: now.Add(-30 * day), NotAfter: now.Add(30 * day)}
	renamed, expired := here, here
	renamed.DNSNames, renamed.IPAddresses = []string{otherHost}, nil
	expired.NotAfter = now.Add(-day)
	for name, of := range map[certificate]struct {
		issuer *issuer
		as     x509.Certificate
	}{goodCertificate: {known, here}, foreignCertificate: {foreign, here}, renamedCertificate: {known, renamed}, expiredCertificate: {known, expired}} {
		pair, err := of.issuer.issueCertificate(of.as, "a2a-conform scripted agent", x509.ExtKeyUsageServerAuth)
		if err != nil {
			return nil, err
		}
		// Without tickets each connection looks at the certificate.
		a.servers[name] = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, SessionTicketsDisabled: true}
	}
	asks := a.servers[goodCertificate].Clone()
	asks.ClientAuth = tls.RequestClientCert // whoever has none gets an answer too
	a.servers[mutualCertificate] = asks
	a.client, err = known.issueCertificate(x509.Certificate{NotBefore: here.NotBefore, NotAfter: here.NotAfter}, "a2a-conform tested client", x509.ExtKeyUsageClientAuth)
	return a, err
}

// giveClientCertificate writes the certificate of the client, and its key, as files for a start.
func (a *authority) giveClientCertificate(task *Task) error {
	key, err := x509.MarshalPKCS8PrivateKey(a.client.PrivateKey)
	if err != nil {
		return err
	}
	task.Cert, task.CertKey = filepath.Join(task.home, "a2a-conform-client.pem"), filepath.Join(task.home, "a2a-conform-client-key.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.client.Certificate[0]})
	return errors.Join(os.WriteFile(task.Cert, text, 0o600), os.WriteFile(task.CertKey, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
}

const day = 24 * time.Hour

// issuer issues certificates.
type issuer struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newIssuer makes an issuer that is trusted by whoever trusts its own certificate.
func newIssuer(name string, now time.Time) (*issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	as := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name, Organization: []string{"a2a-conform"}}, NotBefore: now.Add(-60 * day), NotAfter: now.Add(60 * day),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign}
	text, err := x509.CreateCertificate(rand.Reader, as, as, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("no certificate of an authority could be made: %w", err)
	}
	made, err := x509.ParseCertificate(text)
	return &issuer{made, key}, err
}

// issueCertificate issues a certificate for a subject and a use, with the names and the time of a template.
func (i *issuer) issueCertificate(as x509.Certificate, subject string, use x509.ExtKeyUsage) (pair tls.Certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return pair, err
	}
	as.SerialNumber, as.Subject = serial, pkix.Name{CommonName: subject}
	as.KeyUsage, as.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{use}
	as.BasicConstraintsValid = true
	text, err := x509.CreateCertificate(rand.Reader, &as, i.certificate, key.Public(), i.key)
	if err != nil {
		return pair, fmt.Errorf("no certificate could be made: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key}, nil
}
