//go:build brokers

package brokers

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

// aDisk is a small file system of its own, which only root can make.
func aDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=96m,mode=0700", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Fatalf("a tmpfs cannot be mounted: %v\n%s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	return dir
}

// fill writes a file until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A full disk has everybody wait, and the broker says why. It goes on when there is room, also
// where the broker died meanwhile, and nothing is lost.
func TestFullDisk(t *testing.T) {
	for _, dies := range []bool{false, true} {
		name := map[bool]string{false: "the broker lives", true: "the broker dies"}[dies]
		t.Run(name, func(t *testing.T) {
			disk := aDisk(t)
			data := "--data=" + filepath.Join(disk, "fleet")
			brokerProcess := started(t, fleetProgram, "broker", data)
			file, targets := agents(t, 24)
			done(t, "add", "--file", file, data)
			f := connected(t, broker.ConnectOptions{Data: filepath.Join(disk, "fleet")})
			workers := []*commandtest.Process{aWorker(t, data), aWorker(t, data)}
			eventually(t, "some results", func() bool { return roundOf(t, f).Results >= 4 })
			ballast := filepath.Join(disk, "ballast")
			fill(t, ballast)
			brokerProcess.AwaitText("is full: nothing can be stored, and everybody waits; make room, and it goes on")
			for _, w := range workers {
				w.AwaitText("; waiting")
			}
			if dies {
				brokerProcess.Kill()
				brokerProcess.Start()
				eventually(t, "the broker that was started again", func() bool {
					said := brokerProcess.Text()
					return strings.Count(said, "the broker is at ") == 2 || strings.Count(said, "the disk of ") == 2
				})
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			for _, w := range workers {
				if code := w.AwaitEnd(); code != 0 {
					t.Errorf("a worker ended with %d", code)
				}
			}
			complete(t, f, roundOf(t, f), targets)
			t.Logf("%s", brokerProcess.Text())
		})
	}
}
