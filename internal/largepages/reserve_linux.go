package largepages

import "syscall"

// hugePage is MADV_HUGEPAGE of madvise(2).
const hugePage = 14

// Reserve lets the next so many bytes that the heap grows by come in large pages. It takes
// no memory: the heap gives the bytes back with the next collection, before any was
// touched, and uses their place from then on.
func Reserve(bytes int) {
	_ = syscall.Madvise(make([]byte, bytes), hugePage) // a system without large pages refuses
}
