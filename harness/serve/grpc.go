package serve

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// overGRPC is the name of the binding, in both dialects.
const overGRPC = "GRPC"

// grpcMedia is the media type of calls and answers.
const grpcMedia = "application/grpc"

// newGRPCFace makes an interface of gRPC. Its address is what clients of gRPC take: HOST:PORT without a scheme.
func (s *stage) newGRPCFace() face {
	_, address, _ := strings.Cut(s.bases[0], "://")
	return face{binding: overGRPC, form: s.form, url: address}
}

// servesGRPC reports whether the play has an interface of gRPC.
func (s *stage) servesGRPC() bool {
	return slices.ContainsFunc(s.faces, func(f face) bool { return f.binding == overGRPC })
}

// isGRPCAt reports whether a request is a call of gRPC at the origin of an interface, whatever service it names.
func (s *stage) isGRPCAt(f *face, x *record.Exchange, base string) bool {
	return f.binding == overGRPC && base == s.bases[f.origin] && x.HTTP2 != nil && (record.IsGRPC(x.Request.MediaType()) || binding.IsCalledPath(s.findBinding(f), x))
}

// inGRPC reports whether the call is one of gRPC.
func (c *call) inGRPC() bool { return c.face.binding == overGRPC }

// encodeMessage writes a result as a message of gRPC, with its prefix.
func (c *call) encodeMessage(v any) []byte {
	text := encodeJSON(v)
	payload, err := binding.EncodeReply(c.findBinding(c.face), c.op, text)
	if err != nil {
		panic(fmt.Errorf("%w: %.200s", err, text)) // of a script
	}
	return record.FrameGRPC(payload)
}

// sendMessages answers by messages of gRPC and the status OK.
func (c *call) sendMessages(messages ...[]byte) {
	c.a.beginPieces(http.StatusOK, listTypeFields(grpcMedia))
	for _, m := range messages {
		if !c.a.writePiece(m) {
			return
		}
	}
	c.a.endPieces(record.Field{Name: "grpc-status", Value: "0"})
}

// sendStatus refuses a call of gRPC by a status with details. One that comes before every message is in the only block of
// fields.
func (c *call) sendStatus(name, text string, details any) {
	fields := c.writeStatus(name, text, details)
	if len(c.a.m.Head) > 0 {
		c.a.endPieces(fields...)
		return
	}
	c.a.writeWhole(http.StatusOK, append(listTypeFields(grpcMedia), fields...), nil)
}

// writeStatus returns the fields that state a status of gRPC.
func (c *call) writeStatus(name, text string, details any) []record.Field {
	code := max(0, slices.Index(record.GRPCCodes, name))
	fields := []record.Field{{Name: "grpc-status", Value: strconv.Itoa(code)}, {Name: "grpc-message", Value: strings.ReplaceAll(url.PathEscape(text), "+", "%2B")}}
	list, _ := details.([]any)
	if len(list) == 0 {
		return fields
	}
	packed, err := binding.EncodeStatus(c.findBinding(c.face), encodeJSON(object{"code": code, "message": text, "details": list}))
	if err != nil {
		panic(err) // of a script
	}
	return append(fields, record.Field{Name: "grpc-status-details-bin", Value: base64.RawStdEncoding.EncodeToString(packed)})
}

// chooseGRPCStatus returns the status of an error.
func chooseGRPCStatus(sign schema.ErrorSign) string {
	if len(sign.GRPC) > 0 {
		return sign.GRPC[0]
	}
	return "UNKNOWN"
}

// grpcScripts are the scenarios of gRPC. Those over gRPC are played if a call of gRPC came before.
var grpcScripts = append([]Script{
	{Name: "only-grpc", Twin: "hello", Doc: "The card has one interface, of gRPC, whose address is HOST:PORT without a scheme.", set: setGRPC(nil)},
	{Name: "only-grpc-url", Twin: "hello", OnlyByName: true, Doc: "The card has one interface, of gRPC, whose address is a URL of http.",
		set: setGRPC(nameGRPCByURL)},
	{Name: "only-grpc-tls", Twin: "only-grpc", Over: overGRPC, Needs: []string{WithTLS}, certificate: goodCertificate, Doc: "The card has one interface, of gRPC, whose address is a URL of https. The card is at an address of https, too.",
		set: setGRPC(nameGRPCByURL)},
	{Name: "only-grpc-poll", Twin: "only-grpc", Over: overGRPC, Doc: "The card has one interface, of gRPC. A task works until the third look at it, also if the client asks to wait for its end.", Fault: "a call that was to wait for the end of its task is answered before that",
		set: func(s *stage) {
			setPoll(s, func(*call) bool { return false })
			s.faces = []face{s.newGRPCFace()}
		}},
	{Name: "only-grpc-stream", Twin: "only-grpc", Over: overGRPC, Doc: "The card has one interface, of gRPC, and offers streams. A stream brings five events.",
		set: setGRPC(setGRPCStream)},
	{Name: "only-grpc-stream-slow", Twin: "only-grpc-stream", Also: []string{"only-grpc"}, Over: overGRPC, Doc: "The card has one interface, of gRPC, and offers streams. Their events come half a second apart.",
		set: setGRPC(func(s *stage) {
			setGRPCStream(s)
			s.writeEvents = func(c *call, events [][]byte) {
				c.a.beginPieces(http.StatusOK, listTypeFields(grpcMedia))
				for i, e := range events {
					if i > 0 && !c.waitFor(500*time.Millisecond) || !c.a.writePiece(e) {
						return
					}
				}
				c.a.endPieces(record.Field{Name: "grpc-status", Value: "0"})
			}
		})},
	{Name: "only-grpc-stream-error", Twin: "only-grpc-stream", Also: []string{"only-grpc"}, Over: overGRPC, Doc: "The card has one interface, of gRPC, and offers streams. After two events a stream ends with the status INTERNAL.",
		set: setGRPC(func(s *stage) {
			setGRPCStream(s)
			s.addMarker("error")
			s.writeEvents = func(c *call, events [][]byte) {
				c.a.beginPieces(http.StatusOK, listTypeFields(grpcMedia))
				for _, e := range events[:2] {
					c.a.writePiece(e)
				}
				c.sendError("InternalError", c.formatRefusal())
			}
		})},
}, listGRPCErrorScripts()...)

// setGRPC has the card list one interface, of gRPC.
func setGRPC(more func(s *stage)) func(s *stage) {
	return func(s *stage) {
		s.addMarker("artifact")
		s.faces = []face{s.newGRPCFace()}
		if more != nil {
			more(s)
		}
	}
}

// nameGRPCByURL has the card name the interfaces, of gRPC, by URLs.
func nameGRPCByURL(s *stage) {
	for i := range s.faces {
		s.faces[i].url = s.bases[0]
	}
}

// setGRPCStream has the card offer streams of five events.
func setGRPCStream(s *stage) {
	s.streaming = true
	s.addMarkers("event", 4)
}

// grpcErrors are the errors by which messages are refused over gRPC: all statuses that the dialects use, and in version 1.0
// several reasons with one of them.
var grpcErrors = []string{"InternalError", "InvalidParams", "TaskNotFound", "TaskNotCancelable", "PushNotificationNotSupported", "OperationNotSupported"}

// listGRPCErrorScripts makes the scenarios in which a message is refused over gRPC.
func listGRPCErrorScripts() (out []Script) {
	for _, name := range grpcErrors {
		out = append(out, Script{Name: "only-grpc-error-" + separateWords(name), Twin: "only-grpc", Over: overGRPC, Doc: "The card has one interface, of gRPC. A message is refused by the error " + name + ".",
			set: func(s *stage) {
				s.faces = []face{s.newGRPCFace()}
				refuseMessages(func(c *call) { c.sendError(name, c.formatRefusal()) })(s)
			}})
	}
	return out
}
