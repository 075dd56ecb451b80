package conversation

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// A message counts unless the server refused it itself: an agent that fails, or is too slow, got it.
func TestRefusals(t *testing.T) {
	reply := func(status int, ended record.Ended, names ...string) *Reply {
		x := &record.Exchange{Ended: ended}
		if status > 0 {
			x.Response.Head = []byte(fmt.Sprintf("HTTP/1.1 %d X\r\n\r\n", status))
		}
		return &Reply{Exchange: x, Answer: binding.Answer{Names: names}}
	}
	for name, c := range map[string]struct {
		reply *Reply
		want  bool
	}{
		"invalid params":     {reply(200, record.EOF, "InvalidParams"), true},
		"HTTP 400":           {reply(400, record.EOF), true},
		"no connection":      {reply(0, record.NoDial), true},
		"an internal error":  {reply(200, record.EOF, "InternalError"), false},
		"an unknown error":   {reply(200, record.EOF), false},
		"HTTP 500":           {reply(500, record.EOF), false},
		"no answer":          {reply(0, record.Reset), false},
		"an answer too late": {reply(0, record.Timeout), false},
		"half of an answer":  {reply(200, record.Timeout, "InvalidParams"), false},
	} {
		if got := c.reply.isRefusal(); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
