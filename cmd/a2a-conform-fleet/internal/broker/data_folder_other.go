//go:build !unix

package broker

import "io/fs"

// checkOwner accepts every folder: the mode does not state who may write to it there.
func checkOwner(string, fs.FileInfo) error { return nil }
