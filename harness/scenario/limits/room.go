package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// waitForRoom waits until so many calls can be made at once, and records it if the
// server's rate limit has no room for them.
func waitForRoom(c *conversation.Conversation, calls int) bool {
	pace := c.Client.Pace()
	if limit := pace.Limit(); limit > 0 && limit < calls {
		c.Play.Stop = fmt.Sprintf("the server's rate limit of %d requests leaves no room for %d at the same time", limit, calls)
		return false
	}
	pace.AwaitRoom(c.Context, calls)
	return true
}
