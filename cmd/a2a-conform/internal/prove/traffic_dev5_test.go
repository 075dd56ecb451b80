package prove

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
)

func TestDevNames(t *testing.T) {
	for _, n := range suites.Checks().Names() {
		fmt.Printf("%s: %s\n", n, suites.Checks()[n].Doc)
	}
}
