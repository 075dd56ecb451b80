package schema

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe is read as far as its writer writes, and a silent writer is not awaited for long.
func TestFilesThatArePipes(t *testing.T) {
	dir := t.TempDir()
	pipe := func(name string) string {
		file := filepath.Join(dir, name)
		if err := syscall.Mkfifo(file, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	writer := func(file string) *os.File {
		w, err := os.OpenFile(file, os.O_RDWR, 0) // which does not wait for a reader
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	silent := pipe("silent")
	defer writer(silent).Close()
	began := time.Now()
	if _, err := ReadFile(silent, MaxFile); err == nil || !strings.Contains(err.Error(), "sent nothing") {
		t.Errorf("a silent writer: got %v", err)
	}
	if took := time.Since(began); took > 2*FileWait {
		t.Errorf("a silent writer was awaited for %v", took)
	}
	drips := pipe("drips")
	drop := writer(drips)
	defer drop.Close()
	go func() {
		for tick := time.NewTicker(FileWait / 8); ; <-tick.C {
			if _, err := drop.WriteString("x"); err != nil {
				return
			}
		}
	}()
	began = time.Now()
	if _, err := ReadFile(drips, MaxFile); err == nil || !strings.Contains(err.Error(), "next to nothing") {
		t.Errorf("a writer of a byte now and then: got %v", err)
	}
	if took := time.Since(began); took > 2*FileWait {
		t.Errorf("a writer of a byte now and then was awaited for %v", took)
	}
	if text, err := ReadFile(pipe("without a writer"), MaxFile); err != nil || len(text) > 0 {
		t.Errorf("no writer: got %q, %v", text, err)
	}
	r, w, err := os.Pipe() // as a shell makes it for <(command)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		w.WriteString("late: ")
		w.WriteString("but whole\n")
		w.Close()
	}()
	if text, err := ReadFile("/dev/fd/"+strconv.Itoa(int(r.Fd())), MaxFile); err != nil || string(text) != "late: but whole\n" {
		t.Errorf("a pipe of a shell: got %q, %v", text, err)
	}
	endless := pipe("endless")
	all := writer(endless)
	defer all.Close()
	go func() {
		for {
			if _, err := all.WriteString(strings.Repeat("x", 1<<10)); err != nil {
				return
			}
		}
	}()
	if _, err := ReadFile(endless, MaxFile); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a pipe without end: got %v", err)
	}
}
