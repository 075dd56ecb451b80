package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/google/uuid"
)

const (
	largeText = 10 << 20 // bytes of text in one part
	deepData  = 20_000   // arrays, one inside the other
)

// heavy sends a very large message and a very deep one, and looks after each
// whether the server still serves.
var heavy = Scenario{
	Name: "heavy", Doc: "a text of 10 MB and data 20,000 levels deep",
	Class: Exclusive, Risk: schema.Heavy, Ops: []string{"send", "get"}, Sends: 4,
	Play: func(c *Conversation) {
		// A mark holds the place of what makes a message heavy: the text costs less
		// memory so, and the standard encoder does not go as deep as the data.
		const mark = "heavy-part"
		o := c.say("quick")
		o.Text = mark
		c.weigh("large", fmt.Sprintf("a text part of %d bytes", largeText), o, mark, bytes.Repeat([]byte("Ave. "), largeText/5))
		if c.Writer.DataPart == nil {
			c.NotSent(Step{Name: "deep", Op: "send"}, "", "messages of this protocol have no part for data")
			return
		}
		o = c.say("quick")
		o.Parts = []map[string]any{c.Writer.DataPart(mark)}
		c.weigh("deep", fmt.Sprintf("a data part of %d nested arrays", deepData), o, `"`+mark+`"`,
			append(bytes.Repeat([]byte("["), deepData), bytes.Repeat([]byte("]"), deepData)...))
	},
}

// weigh sends a heavy message and sees whether the server is alive. One that
// was refused in words never reached the agent, so that any answer of the
// server will do; after any other outcome the agent itself has to answer.
func (c *Conversation) weigh(name, what string, o dialect.Outgoing, mark string, weight []byte) {
	body, err := json.Marshal(c.Request(name, "send", o))
	if err != nil {
		panic(fmt.Sprintf("a request of ours cannot be written: %v", err))
	}
	body = bytes.Replace(body, []byte(mark), weight, 1)
	sum := sha256.Sum256(body)
	r := c.Raw(Step{Name: name, Role: wire.Probe, Op: "send", Task: o.Task, Ctx: o.Context, Fresh: true,
		Recipe: &wire.Recipe{Generator: what, Size: len(body), SHA256: hex.EncodeToString(sum[:])}}, body)
	alive := Step{Name: name + "-alive", Role: wire.Alive, Op: "send", Fresh: true}
	refused := r.Answered() && !r.IsStream() && (r.Status()/100 == 4 || r.Root != nil && r.Root.At("/error") != nil && !r.OK())
	if refused {
		alive.Op = "get"
		c.Call(alive, dialect.Outgoing{Task: uuid.NewString()})
		return
	}
	c.Call(alive, c.say("quick"))
}
