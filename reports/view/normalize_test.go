package view

import (
	"strings"
	"testing"
)

func TestBoundIsStable(t *testing.T) {
	once := boundText(strings.Repeat("x", 1<<20), keptExcerpt)
	if len(once) > keptExcerpt || boundText(once, keptExcerpt) != once {
		t.Errorf("%d bytes are kept, and bounding again changes them", len(once))
	}
}
