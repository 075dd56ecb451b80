package layout

import (
	"github.com/a2a-conform/a2a-conform/reports/view"
)

type Cell struct {
	Kind view.Kind
	N    int
}

// Chips are what the list can be narrowed by.
type Chips struct {
	Kinds    []Chip
	Levels   []Chip
	Subjects []Chip
}

// Chip is one of them: Value is what the script compares.
type Chip struct {
	Name, Value, Class string
	N                  int
}
