package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The paths of the interfaces, none of which is the root: a client that posts there has not read
// the card.
const (
	rpcPath  = "/agent/rpc"
	restPath = "/agent/rest"
)

// The names of the bindings, in both dialects.
const (
	jsonRPC  = "JSONRPC"
	httpJSON = "HTTP+JSON"
)

// stage is the scripted server of one play.
type stage struct {
	form    form
	dialect *schema.Dialect
	// dialects are those of all faces, by name.
	dialects map[string]*schema.Dialect
	ids      *operator.IDs
	bases    []string // of the origins; the second is there in every play
	pace     float64  // by which waits are multiplied
	dead     string   // the base of an address at which nothing listens
	canaries *canaries

	streaming bool
	faces     []face
	cardAt    []string                          // further addresses of the card
	places    map[string]place                  // by their addresses
	onCard    func(a *answerWriter, q *request) // instead of the card
	editCard  func(card object)

	secureKeys bool         // the keys of signatures are at the second origin
	keysAt     string       // the address of the keys of signatures; "" for none
	keys       *signingKeys // by which the card is signed; nil unless WithKeys is granted

	on map[string]func(c *call) // what answers an operation, instead of the plain agent
	// intercept answers any call before all else; false if it does not.
	intercept    func(c *call) bool
	editResult   func(c *call, v any) any       // changes each result, and the data of each event
	editEnvelope func(e object)                 // changes each envelope
	writeEvents  func(c *call, events [][]byte) // writes the events of a stream, if not as most servers do
	// bring brings notifications to the first webhook that the client registers; nil for none.
	bring   func(c *courier, t *task)
	courier *courier                 // nil unless WithWebhook is granted
	newID   func(what string) string // makes the ids of tasks and contexts, if they are special
	markers []record.Marker          // all of them are there before the client is started

	mu     sync.Mutex
	tasks  map[string]*task
	order  []*task
	calls  map[string]int // by operation
	writes *protoForm     // how the client wrote its last message, if not like the text
}

// scaleTime returns a time of the script, at the pace of the play.
func (s *stage) scaleTime(d time.Duration) time.Duration {
	if s.pace == 0 {
		return d
	}
	return time.Duration(float64(d) * s.pace)
}

// setStage makes the scripted server of a play, for the origins at which it is reached.
func setStage(script *Script, d *schema.Dialect, ids *operator.IDs, bases []string, dead string) *stage {
	s := &stage{form: forms[d.Name], dialect: d, dialects: map[string]*schema.Dialect{d.Name: d}, ids: ids, bases: bases, dead: dead,
		on: map[string]func(*call){}, tasks: map[string]*task{}, calls: map[string]int{}}
	s.faces = []face{s.newRPCFace(), s.newRESTFace()}
	s.secureKeys = script.secureKeys
	s.dropUnknownFaces()
	if staged, is := s.form.(stagedForm); is {
		staged.prepareStage(s)
	}
	if script.set != nil {
		script.set(s)
	}
	s.dropUnknownFaces()
	for i := range s.faces {
		f := &s.faces[i]
		if f.url == "" {
			f.url = s.bases[f.origin] + f.path
		}
		if f.version == "" {
			f.version = f.form.protocolVersion()
		}
		if s.dialects[f.form.dialectName()] == nil {
			if other, err := schema.Load(f.form.dialectName()); err == nil {
				s.dialects[other.Name] = other
			}
		}
	}
	return s
}

// dropUnknownFaces takes away the interfaces of bindings that the dialect does not have.
func (s *stage) dropUnknownFaces() {
	s.faces = slices.DeleteFunc(s.faces, func(f face) bool {
		_, is := s.dialect.Bindings[f.binding]
		return f.binding == httpJSON && !is
	})
}

// newRPCFace makes the interface of JSON-RPC that most plays offer.
func (s *stage) newRPCFace() face { return face{binding: jsonRPC, form: s.form, path: rpcPath} }

// newRESTFace makes the interface of HTTP+JSON that most plays offer.
func (s *stage) newRESTFace() face { return face{binding: httpJSON, form: s.form, path: restPath} }

// addMarker makes a marker for a text, which is named after what carries it.
func (s *stage) addMarker(in string) {
	s.markers = append(s.markers, record.Marker{Word: makeMarkerWord(s.ids.New()), In: in})
}

// addMarkers makes several markers, whose names are numbered from 1.
func (s *stage) addMarkers(in string, n int) {
	for i := range n {
		s.addMarker(numberMarker(in, i))
	}
}

// numberMarker returns the name of one of several markers.
func numberMarker(in string, i int) string { return fmt.Sprintf("%s-%d", in, i+1) }

// buildCard returns the card of the play.
func (s *stage) buildCard() object {
	var shown []face
	for _, f := range s.faces {
		if !f.hidden {
			shown = append(shown, f)
		}
	}
	card := s.form.writeCard(cardFacts{shown, s.streaming})
	if s.editCard != nil {
		s.editCard(card)
	}
	return card
}

// formatAnswer returns what the agent states, with the marker of that name if the play has it.
func (s *stage) formatAnswer(in string) string { return "The answer is " + s.findMarkerWord(in) + "." }

// findMarkerWord returns the marker of that name; "nothing" if the play has none.
func (s *stage) findMarkerWord(in string) string {
	for _, m := range s.markers {
		if m.In == in {
			return m.Word
		}
	}
	return "nothing"
}

// formatNow returns the time as the protocols write it.
func formatNow() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

// encodeJSON writes JSON as most servers do.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it is made of maps, lists and texts
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
