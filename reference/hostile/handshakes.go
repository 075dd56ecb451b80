package hostile

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"time"
)

// handshakes of TLS that should not, or do not, succeed.
var handshakes = []Server{
	{Name: "bad-certificate", Area: "transport", Doc: "a certificate that nobody signed", Verdict: Unreachable, Says: "certificate",
		https: true, wrap: newTLSWrapperNamedMarkup(time.Hour, "127.0.0.1"), corrupt: (*request).passThrough},
	{Name: "expired-certificate", Area: "transport", Doc: "a certificate that has expired", Verdict: Unreachable, Says: "certificate",
		https: true, wrap: newTLSWrapperNamedMarkup(-time.Hour, "127.0.0.1"), corrupt: (*request).passThrough},
	{Name: "foreign-certificate", Area: "transport", Doc: "a certificate of another host", Verdict: Unreachable, Says: "certificate",
		https: true, wrap: newTLSWrapperNamedMarkup(time.Hour, "192.0.2.1"), corrupt: (*request).passThrough},
	{Name: "slow-handshake", Area: "transport", Doc: "takes the greeting of TLS and says nothing", Verdict: Unreachable, Flags: shortTimeout,
		https: true, serve: func(_ context.Context, c net.Conn) { readToEnd(c) }},
	{Name: "dripping-handshake", Area: "transport", Doc: "answers the greeting of TLS byte by byte", Verdict: Unreachable, Flags: shortTimeout,
		https: true, serve: func(ctx context.Context, c net.Conn) {
			writeSlowly(ctx, c, "\x16\x03\x03\x40\x00"+string(make([]byte, 1<<14)), time.Second)
		}},
	{Name: "plain-behind-https", Area: "transport", Doc: "speaks plain HTTP where TLS is due", Verdict: Unreachable,
		https: true, serve: func(_ context.Context, c net.Conn) { writeText(c, okJSON+"Content-Length: 2\r\n\r\n{}"); readToEnd(c) }},
}

// newTLSWrapperNamedMarkup serves TLS with a certificate of its own making, valid for the given
// time from now on.
func newTLSWrapperNamedMarkup(valid time.Duration, host string) func(net.Listener) net.Listener {
	return newTLSWrapper(valid, host, pkix.Name{CommonName: "<script>window.pwned=1</script>\x1b[31m"})
}

// newTLSWrapper is secured with a name.
func newTLSWrapper(valid time.Duration, host string, name pkix.Name) func(net.Listener) net.Listener {
	return func(l net.Listener) net.Listener {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err)
		}
		leaf := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: name,
			NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(valid), IPAddresses: []net.IP{net.ParseIP(host)}}
		der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &key.PublicKey, key)
		if err != nil {
			panic(err)
		}
		return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}})
	}
}
