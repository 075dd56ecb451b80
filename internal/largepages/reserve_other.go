//go:build !linux

package largepages

// Reserve does nothing: only Linux is asked for large pages.
func Reserve(int) {}
