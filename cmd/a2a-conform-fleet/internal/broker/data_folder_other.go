//go:build !unix

package broker

import "io/fs"

// checkOwner accepts every folder: who may write to it is not told by a mode there.
func checkOwner(string, fs.FileInfo) error { return nil }
