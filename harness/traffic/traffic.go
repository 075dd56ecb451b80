// Package traffic reads recordings of conversations between a client and a server of others. It finds out what each
// exchange is: the operation, the role that it has in its conversation, and the conversation. The result is a record for
// each side, which is judged like that of a run. The package is pure: it sends nothing and knows no clock.
package traffic

import (
	"cmp"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Passed is one exchange between a client and a server that are both of others, seen from both sides.
type Passed struct {
	In         *record.Exchange // what the client sent and was given (Dir In); nil if only the server's side was recorded
	Out        *record.Exchange // what the server was sent and answered (Dir Out); the bytes are the same unless an intermediary of ours changed them; nil if nothing was passed on
	Connection int              // number of the client's connection, 0 if it is unknown: a caller is a connection, a credential (its digest) or a context
	// Credentials are header fields that were removed from the heads when it was recorded: what they say is removed wherever else it is.
	Credentials http.Header
}

// firstSeen returns the exchange as the side nearest to the client saw it; nil if it has none.
func (p Passed) firstSeen() *record.Exchange { return cmp.Or(p.In, p.Out) }

// Recording is traffic, in the order of its requests.
type Recording struct {
	Source   string            // "proxy", or the program that wrote the file, as it names itself
	Target   string            // the URL of the server without secrets in its path; "" if the recording has several or none
	Dialects []*schema.Dialect // candidates, of which Recognise chooses by what it sees: the version header, the names of methods, the card
	Started  time.Time         // when the recording began
	Cards    [][]byte          // cards that were known before, as the client was given them
	Passed   []Passed
	Others   []Passed // what passed besides and is not judged; its secrets are removed from what is
	Cut      bool     // things happened before and after: ids whose creation was not seen are old
	Dropped  int      // exchanges that passed and were not recorded
	Notes    []string // what is worth knowing about how it was recorded
}

// Halves are the records of the two sides, sealed, with a play for each conversation. A step has the same name in both.
type Halves struct {
	Server *record.Transcript // what the server was sent, and what it answered; nil if there is nothing of it
	Client *record.Transcript // what the client sent, and what it was given; nil if there is nothing of it
	Notes  []string           // what did not pass, what was left out, and what was left as it is
}
