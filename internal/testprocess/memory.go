package testprocess

import "runtime"

// HeldMemory returns how many bytes of memory this process has in use that are no garbage.
func HeldMemory() int64 {
	for range 2 { // pools keep what they have for one collection more
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
