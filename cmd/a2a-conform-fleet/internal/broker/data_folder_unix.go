//go:build unix

package broker

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// The permissions by which others than the owner may write.
const (
	groupWrites  fs.FileMode = 0o020
	othersWrite  fs.FileMode = 0o002
	folderRemedy             = "run: chmod go-w %[1]s"
)

// checkOwner refuses a folder of another user's, and one that others may write to. A group
// that has the number of its owner is that user's own.
func checkOwner(data string, info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mode := info.Mode().Perm()
	switch {
	case int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (number %d), who could choose the broker and the files in it; name a folder of your own", data, owner.Uid)
	case mode&othersWrite != 0, mode&groupWrites != 0 && owner.Gid != owner.Uid:
		return fmt.Errorf("other users may write to %[1]s (mode %[2]o), and could choose the broker and the files in it; "+folderRemedy, data, mode)
	}
	return nil
}
