package broker

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/a2a-conform/a2a-conform/schema"
)

// The files that a connection to a broker needs are read by schema.ReadFile, which is
// bounded in size and time, and again at each connection: they may have been renewed.

// withCredentials shows a broker the credentials of a file.
func withCredentials(file string) nats.Option {
	read := func() (o nats.Options, err error) {
		text, err := schema.ReadFile(file, schema.MaxCredential)
		if err != nil {
			return o, err
		}
		return o, nats.UserCredentialBytes(text)(&o)
	}
	token := func() (string, error) {
		o, err := read()
		if err != nil {
			return "", err
		}
		jwt, err := o.UserJWT()
		if err == nil && strings.Count(jwt, ".") < 2 { // the library takes any text for a token
			err = errors.New("a token has three parts, with dots between them")
		}
		if err != nil {
			err = fmt.Errorf("%s contains no credentials: %w", file, err)
		}
		return jwt, err
	}
	sign := func(nonce []byte) ([]byte, error) {
		o, err := read()
		if err != nil {
			return nil, err
		}
		return o.SignatureCB(nonce)
	}
	return func(o *nats.Options) error {
		if _, err := token(); err != nil { // which is waited for as if the broker did not answer
			return fmt.Errorf("--nats-creds: %w", err)
		}
		return nats.UserJWT(token, sign)(o)
	}
}

// withAuthorities trusts the authorities of a PEM file.
func withAuthorities(file string) nats.Option {
	return withAuthorityPEM(func() ([]byte, error) { return schema.ReadFile(file, schema.MaxAuthorities) }, file)
}

// withAuthorityPEM trusts the authorities of a text in PEM; name is its source in errors.
func withAuthorityPEM(read func() ([]byte, error), name string) nats.Option {
	authorities := func() (*x509.CertPool, error) {
		text, err := read()
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s contains no certificate in PEM form", name)
		}
		return pool, nil
	}
	return func(o *nats.Options) error {
		if _, err := authorities(); err != nil {
			return err
		}
		requireTLS(o)
		o.RootCAsCB = authorities
		return nil
	}
}

// withClientCert shows a broker a certificate of ours.
func withClientCert(cert, key string) nats.Option {
	pair := func() (tls.Certificate, error) { return schema.ReadKeyPair(cert, key) }
	return func(o *nats.Options) error {
		if _, err := pair(); err != nil {
			return err
		}
		requireTLS(o)
		o.TLSCertCB = pair
		return nil
	}
}

// requireTLS has a connection speak TLS.
func requireTLS(o *nats.Options) {
	if o.TLSConfig == nil {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	o.Secure = true
}
