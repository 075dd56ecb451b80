package serve

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// exchanges are the scenarios about HTTP.
var exchanges = []Script{
	scriptRedirect(http.StatusTemporaryRedirect), scriptRedirect(http.StatusPermanentRedirect), scriptRedirect(http.StatusFound),
	{Name: "answer-lost", Twin: "hello", Doc: "The connection is reset before the first message is answered; the others are answered.", Fault: "a message is not answered",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) {
				if c.nth == 1 {
					c.newDoneTask()
					c.a.cutConnection(true)
					return
				}
				c.sendTask(c.newDoneTask())
			}
		}},
	{Name: "silent", Twin: "hello", Doc: "A message is never answered.", Fault: "a message is not answered",
		set: func(s *stage) {
			s.on[sendingMessages] = func(c *call) { c.a.waitTime(time.Hour) }
		}},
	{Name: "busy", Twin: "hello", Doc: "The first call is refused by HTTP 429 and the second by 503, both with Retry-After: 2; the others are answered.",
		set: func(s *stage) {
			s.addMarker("artifact")
			calls := 0
			s.intercept = func(c *call) bool {
				c.mu.Lock()
				calls++
				n := calls
				c.mu.Unlock()
				if n > 2 {
					return false
				}
				status := http.StatusTooManyRequests
				if n == 2 {
					status = http.StatusServiceUnavailable
				}
				c.a.writeWhole(status, append(listTypeFields("text/plain"), record.Field{Name: "Retry-After", Value: "2"}), []byte("busy\n"))
				return true
			}
		}},
}

// framings are the scenarios about the framing of answers: each answers a message as hello does, in a way of its own.
var framings = []Script{
	scriptFraming("chunks", "in chunks of a few bytes", func(c *call, text []byte) {
		c.a.beginPieces(http.StatusOK, listTypeFields(c.chooseMediaType()))
		for piece := range slices.Chunk(text, 5) {
			c.a.writePiece(piece)
		}
		c.a.endPieces()
	}),
	scriptFraming("trailer", "in chunks that a trailer follows", func(c *call, text []byte) {
		c.a.beginPieces(http.StatusOK, append(listTypeFields(c.chooseMediaType()), record.Field{Name: "Trailer", Value: "X-Conform-Sum"}))
		c.a.writePiece(text)
		c.a.endPieces(record.Field{Name: "X-Conform-Sum", Value: strconv.Itoa(len(text))})
	}),
	scriptFraming("close", "without a length, and ended by the end of the connection", func(c *call, text []byte) {
		c.a.beginUntilClose(http.StatusOK, listTypeFields(c.chooseMediaType()))
		c.a.writePiece(text)
		c.a.endPieces()
	}),
	scriptFraming("interim", "after an interim answer (103)", func(c *call, text []byte) {
		c.a.writeInterim(http.StatusEarlyHints, []record.Field{{Name: "Link", Value: "</style.css>; rel=preload"}})
		c.sendText(http.StatusOK, text)
	}),
	scriptFraming("gzip", "compressed, if the client takes that", func(c *call, text []byte) {
		if !strings.Contains(strings.Join(c.q.Header.Values("Accept-Encoding"), ","), "gzip") {
			c.sendText(http.StatusOK, text)
			return
		}
		c.a.writeCompressed(http.StatusOK, listTypeFields(c.chooseMediaType()), text)
	}),
	scriptFraming("names", "with header names in small and in capital letters", func(c *call, text []byte) {
		c.a.writeWhole(http.StatusOK, []record.Field{{Name: "content-type", Value: c.chooseMediaType()}, {Name: "CACHE-CONTROL", Value: "no-store"}}, text)
	}),
}

// scriptFraming makes a scenario whose answer to a message leaves in a way of its own.
func scriptFraming(name, how string, answer func(c *call, text []byte)) Script {
	return Script{Name: "framing-" + name, Twin: "hello", Doc: "The answer of hello comes " + how + ".",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.on[sendingMessages] = func(c *call) { answer(c, c.encodeNewTask()) }
		}}
}

// moved is what the paths begin with to which calls are redirected.
const moved = "/moved"

// addMovedFaces serves the interfaces to which calls are redirected: at an origin, and on no card.
func (s *stage) addMovedFaces(origin int) {
	for _, f := range []face{s.newRPCFace(), s.newRESTFace()} {
		f.path, f.hidden, f.origin = moved+f.path, true, origin
		s.faces = append(s.faces, f)
	}
}

// scriptRedirect makes a scenario in which calls are redirected to another path of the same origin.
func scriptRedirect(status int) Script {
	return Script{Name: "redirect-" + strconv.Itoa(status), Twin: "hello", Doc: "Calls are redirected by " + strconv.Itoa(status) + " to another path of the same origin, and answered there.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.addMovedFaces(0)
			s.intercept = func(c *call) bool {
				if c.face.hidden {
					return false
				}
				c.a.writeWhole(status, []record.Field{{Name: "Location", Value: moved + c.q.Target}}, nil)
				return true
			}
		}}
}
