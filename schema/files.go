package schema

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Bounds of the files that an operator gives. What is larger is none of them.
const (
	MaxFile        = 512 << 10 // bytes of a configuration, of stimuli, waivers, certificates
	MaxCredential  = 64 << 10  // bytes of a credential
	MaxSchema      = 1 << 20   // bytes of a JSON Schema
	MaxAuthorities = 4 << 20   // bytes of certificate authorities; those of a system are several hundred
)

// OpenFile opens a file of the operator's for reading. A pipe that nobody writes to
// is empty, and not awaited.
func OpenFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// ReadFile reads a file of the operator's that has at most so many bytes. It
// waits for nobody: what has no end, or no beginning, is refused.
func ReadFile(name string, most int) ([]byte, error) {
	f, err := OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%s is a folder; name a file in it", name)
	case err != nil:
		return nil, err
	case len(text) > most:
		return nil, fmt.Errorf("%s is larger than %d KiB, too large for a file of this kind; name the right file, or shorten it", name, most>>10)
	}
	return text, nil
}
