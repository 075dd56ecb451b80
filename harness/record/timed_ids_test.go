package record

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// A timed id begins with the time, and ends as the random one in its place does, by which a
// nonce is checked.
func TestTimedIDs(t *testing.T) {
	naming := operator.Naming{Nonce: "0123456789abcdef", Salt: "salt"}
	random, timed := naming.IDs("a"), naming.IDs("a")
	for range 3 {
		before := time.Now().UnixMilli()
		want, id := random.New(), timed.NewTimed()
		if randomPart(id) != randomPart(want) || id[14] != '7' || !anUUID.MatchString(id) {
			t.Errorf("the timed form of %s is %s", want, id)
		}
		at, err := strconv.ParseInt(strings.ReplaceAll(id[:13], "-", ""), 16, 64)
		if err != nil || at < before || at > time.Now().UnixMilli() {
			t.Errorf("%s begins with the time %d, not %d (%v)", id, at, before, err)
		}
	}
}
