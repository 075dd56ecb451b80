package judge

import (
	"github.com/a2a-conform/a2a-conform/schema/shape"
)

type givenShapes struct{ text string }

// Given is the schema that the operator gave, compiled; nil if there is none.
func (c *Case) Given() *shape.Shapes {
	s := c.Transcript.Facts.Schema
	if s == nil {
		return nil
	}
	shapes, _ := c.Dialect.Once(givenShapes{s.Text}, func() any {
		compiled, err := shape.Compile(s.File, []byte(s.Text))
		if err != nil { // it was refused before anything was sent
			return (*shape.Shapes)(nil)
		}
		return compiled
	}).(*shape.Shapes)
	return shapes
}
