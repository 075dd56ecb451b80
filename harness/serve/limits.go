package serve

import (
	"strconv"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// limitScripts are the scenarios about how much a client asks for at once.
var limitScripts = []Script{
	{Name: "crowd", Twin: "hello", Dialects: []string{jaf03}, Turns: true, Doc: "The client is given a second text for the same conversation. Each message is answered after a second.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) {
				if c.waitFor(time.Second) {
					c.sendTask(c.newDoneTask())
				}
			}
		}},
	{Name: "busy-soon", Twin: "hello", Dialects: []string{jaf03}, Turns: true, Doc: "The client is given a second text for the same conversation. The answer to the first message states that no call is left for at least two seconds.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) {
				if c.nth == 1 {
					reset := time.Now().Add(3 * time.Second).Unix() // its fraction is lost
					c.a.shared = append(c.a.shared, record.Field{Name: "X-RateLimit-Limit", Value: "1"}, record.Field{Name: "X-RateLimit-Remaining", Value: "0"},
						record.Field{Name: "X-RateLimit-Reset", Value: strconv.FormatInt(reset, 10)}, record.Field{Name: "X-RateLimit-Window", Value: "3"})
				}
				c.sendTask(c.newDoneTask())
			}
		}},
}
