// Package testmemory says what memory the processes of our tests may use.
package testmemory

import "runtime/debug"

// Generous has garbage collected less often: tests have memory to spare, and less of it is
// walked. The bundled server's tests, which import nothing of ours, do the same by themselves.
func Generous() { debug.SetGCPercent(400) }
