package largepages

import (
	"runtime"
	"testing"
)

// What is reserved is not kept: the heap has it back with the next collection.
func TestReservedIsGivenBack(t *testing.T) {
	const reserved = 64 << 20
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	Reserve(reserved)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if after.HeapAlloc > before.HeapAlloc+reserved/2 {
		t.Errorf("%d MiB are in use, and were %d", after.HeapAlloc>>20, before.HeapAlloc>>20)
	}
	if after.HeapSys < reserved {
		t.Errorf("the heap has %d MiB", after.HeapSys>>20)
	}
}
