package schema

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// Bounds of the files that an operator gives. What is larger is none of them.
const (
	MaxFile        = 512 << 10     // bytes of a configuration, of stimuli, waivers, certificates
	MaxCredential  = 64 << 10      // bytes of a credential
	MaxSchema      = shape.MaxSize // bytes of a JSON Schema
	MaxAuthorities = 4 << 20       // bytes of certificate authorities; those of a system are several hundred
)

// FileWait is how long the writer of a pipe may have us wait, in all, for each pipeStride bytes.
const (
	FileWait   = 4 * time.Second
	pipeStride = 64 << 10
)

// File is a file of the operator's that is open for reading.
type File struct {
	f      *os.File
	pipe   bool
	waited time.Duration // for the present stride of a pipe
	got    int           // bytes of that stride
}

// OpenFile opens a file of the operator's for reading. A pipe that has no writer is
// empty, and one whose writer is silent, or sends a byte now and then, ends with an error
// after FileWait.
func OpenFile(name string) (*File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, &fs.PathError{Op: path.Op, Path: showName(name), Err: path.Err}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &File{f: f, pipe: !info.Mode().IsRegular() && !info.IsDir()}, nil
}

// showName returns the name of a file in one line of an error; a configuration of somebody else may
// have chosen it.
func showName(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		name = strings.Trim(strconv.Quote(name), `"`)
	}
	return shorten.Middle(name, 100, 100, "…")
}

// Read reads from the file. It implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if !f.pipe {
		return f.f.Read(p)
	}
	began := time.Now()
	f.f.SetReadDeadline(began.Add(FileWait - f.waited)) // a device that has no deadline does not wait either
	n, err := f.f.Read(p)
	f.waited += time.Since(began)
	if f.got += n; f.got >= pipeStride {
		f.waited, f.got = 0, 0
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("%s: whoever writes to this pipe has sent nothing, or next to nothing, for %v", showName(f.f.Name()), FileWait)
	}
	return n, err
}

// Stat describes the file. It implements fs.File.
func (f *File) Stat() (fs.FileInfo, error) { return f.f.Stat() }

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// ReadFile reads a file of the operator's that has at most so many bytes. It
// does not wait for long: what has no end, or no beginning, is refused.
func ReadFile(name string, most int) ([]byte, error) {
	f, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%s is a folder; name a file in it", showName(name))
	case err != nil:
		return nil, err
	case len(text) > most:
		return nil, fmt.Errorf("%s is larger than %d KiB, too large for a file of this kind; name the right file, or shorten it", showName(name), most>>10)
	}
	return text, nil
}

// AddToSystemAuthorities returns the certificate authorities of the system with those of a text in PEM; nil if the text has
// no certificate.
func AddToSystemAuthorities(text []byte) *x509.CertPool {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil
	}
	return pool
}

// ReadKeyPair reads a certificate and its key from files in PEM.
func ReadKeyPair(cert, key string) (tls.Certificate, error) {
	certText, err := ReadFile(cert, MaxFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	keyText, err := ReadFile(key, MaxFile)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(certText, keyText)
	if err != nil {
		err = fmt.Errorf("%s and %s: %w", showName(cert), showName(key), err)
	}
	return pair, err
}
