package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// describeTrouble returns what ended an exchange in words that do not depend on Go's
// packages. An error that it does not know keeps its own text.
func describeTrouble(err error) string {
	text := err.Error()
	if noRoom := (*noRoomError)(nil); errors.As(err, &noRoom) {
		return text
	}
	if proxy := (*ProxyError)(nil); errors.As(err, &proxy) {
		return proxy.Text
	}
	prefix := ""
	if rest, is := strings.CutPrefix(text, record.HandshakeTrouble); is {
		prefix, text = record.HandshakeTrouble, rest
	}
	return prefix + describeCause(err, text)
}

func describeCause(err error, text string) string {
	var lookup *net.DNSError
	var header tls.RecordHeaderError
	var slow net.Error
	switch why := describeCertificate(err); {
	case errors.Is(err, context.Canceled):
		return "the run ended first"
	case why != "":
		return record.Certificate + why
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return fmt.Sprintf("the host %s cannot be found: its name does not resolve", lookup.Name)
	case errors.As(err, &lookup) && lookup.IsTimeout:
		return fmt.Sprintf("the name of the host %s was not resolved in time", lookup.Name)
	case errors.As(err, &lookup):
		return fmt.Sprintf("the name of the host %s could not be resolved", lookup.Name)
	case errors.As(err, &header):
		return "the server does not speak TLS there"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return "no answer came in time"
	case strings.Contains(text, "no application protocol"):
		return "the server accepts TLS, but no HTTP/1.1 over it: HTTP/2 alone, as at a port of gRPC?"
	}
	return describeSocket(err, text)
}

// describeSocket describes an error of the operating system, or of net/http, about a connection.
func describeSocket(err error, text string) string {
	for _, known := range []struct {
		is   error
		text string
	}{
		{syscall.ECONNREFUSED, "connection refused: is the server running" + portOf(err) + "?"},
		{syscall.ENETUNREACH, "there is no route to the network of the host"},
		{syscall.EHOSTUNREACH, "there is no route to the host"},
		{syscall.ETIMEDOUT, "the connection was not accepted in time"},
		{syscall.ECONNRESET, "the server reset the connection"},
		{syscall.EPIPE, "the server closed the connection before the request had been sent"},
		{net.ErrClosed, "the server closed the connection without an HTTP response"},
		{io.ErrUnexpectedEOF, "the server closed the connection before the end of its answer"},
		{io.EOF, "the server closed the connection without an answer"},
	} {
		if errors.Is(err, known.is) {
			return known.text
		}
	}
	if broken := malformed.FindStringSubmatch(text); broken != nil {
		return "the server sent what is no HTTP response: " + broken[1]
	}
	if strings.Contains(text, "server closed idle connection") {
		return "the server closed the connection without an answer"
	}
	return strings.TrimPrefix(transport.ReplaceAllString(text, ""), "tls: ")
}

// malformed matches the errors of net/http about an answer that it cannot read, and transport what it
// puts before other errors.
var (
	malformed = regexp.MustCompile(`malformed HTTP (?:response|version|status code) (".*")`)
	transport = regexp.MustCompile(`^(net/http: )?(HTTP/1\.x transport connection broken: )?(net/http: |http: )?`)
)

// portOf names the port of a connection that did not come about.
func portOf(err error) string {
	op := (*net.OpError)(nil)
	if !errors.As(err, &op) || op.Addr == nil {
		return ""
	}
	_, port, _ := net.SplitHostPort(op.Addr.String())
	return " on port " + port
}

// describeCertificate returns why a certificate does not hold, to be read after its name; ""
// if the error is about something else.
func describeCertificate(err error) string {
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name):
		return "is not for " + name.Host
	case errors.As(err, &unknown):
		return "is signed by an authority that is not known here"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil && time.Now().Before(invalid.Cert.NotBefore):
		return "is not valid before " + invalid.Cert.NotBefore.UTC().Format(time.DateOnly)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		return "expired on " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly)
	case errors.As(err, &invalid):
		return "does not hold: " + strings.TrimPrefix(invalid.Error(), "x509: ")
	}
	if verify := (*tls.CertificateVerificationError)(nil); errors.As(err, &verify) {
		return "could not be verified: " + strings.ReplaceAll(verify.Err.Error(), "x509: ", "")
	}
	return ""
}

// noRoomError is the end of a call that a server left no room for.
type noRoomError struct {
	cause        error
	unsent, size int
}

func (e *noRoomError) Error() string {
	return fmt.Sprintf("%s; the server gave no room in its flow-control window for %d of the %d bytes of the call", describeTrouble(e.cause), e.unsent, e.size)
}

func (e *noRoomError) Unwrap() error { return e.cause }
