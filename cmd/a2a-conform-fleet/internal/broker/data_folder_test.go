//go:build unix

package broker

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A data folder that others may write to chooses neither the broker nor the files that
// this process reads, and what a folder holds is bounded.
func TestDataFolders(t *testing.T) {
	for name, c := range map[string]struct {
		mode os.FileMode
		gid  int
		want string
	}{
		"one's own":           {0o700, 0, ""},
		"readable by others":  {0o755, 0, ""},
		"of one's own group":  {0o770, os.Geteuid(), ""},
		"writable by a group": {0o770, 12345, "other users may write to"},
		"writable by all":     {0o777, 0, "other users may write to"},
	} {
		data := t.TempDir()
		if os.Geteuid() == 0 {
			if err := os.Chown(data, -1, c.gid); err != nil {
				t.Fatal(err)
			}
		} else if c.gid != 0 {
			continue // only root may give a folder to a group
		}
		if err := os.Chmod(data, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, addressFile), []byte(`{"url":"nats://127.0.0.1:4222","token":"t"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := readAddress(data)
		if c.want == "" && (err != nil || a.URL == "") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
	}
	if data := t.TempDir(); os.Geteuid() == 0 {
		if err := os.Chown(data, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := readAddress(data); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("another user's: got %v", err)
		}
	}
}

// The address of a broker is read within bounds, whatever is in its place.
func TestAddressesAreBounded(t *testing.T) {
	for name, make := range map[string]func(file string) error{
		"a device":                func(file string) error { return os.Symlink("/dev/zero", file) },
		"a pipe without a writer": func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"a sparse file": func(file string) error {
			f, err := os.Create(file)
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Truncate(1 << 40)
		},
	} {
		data := t.TempDir()
		if err := make(filepath.Join(data, addressFile)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := readAddress(data); err == nil {
			t.Errorf("%s: it was read as an address", name)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}
