package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// cards are the scenarios about the card.
var cards = []Script{
	{Name: "card-at-host", Twin: "hello", Doc: "The client is given a bare origin, and finds the card there.",
		set: func(s *stage) { s.addMarker("artifact") }},
	{Name: "card-unknown", Twin: "hello", Doc: "The card has members at every level and a capability that no version knows, and two optional extensions.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.editCard = func(card object) {
				addUnknown(card)
				card["capabilities"].(object)["pigeons"] = true
				var offered []any
				for _, uri := range OptionalExtensions {
					offered = append(offered, object{"uri": uri, "description": "Made up for a test."})
				}
				card["capabilities"].(object)["extensions"] = offered
			}
		}},
	{Name: "card-scheme-unknown", Twin: "hello", Asks: []string{combinesSchemes}, Doc: "The card has a security scheme of a kind that no version knows, and that no call needs.", Fault: "a security scheme on the card is of an unknown kind",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.editCard = func(card object) {
				scheme := object{"pigeonRingSecurityScheme": object{"ring": "left"}}
				if s.form.dialectName() == a2a03 {
					scheme = object{"type": "pigeonRing", "ring": "left"}
				}
				card["securitySchemes"] = object{"pigeonRing": scheme}
			}
		}},
	{Name: "card-security", Twin: "hello", Dialects: []string{a2a10}, Spared: []string{a2a10}, Doc: "A second skill of the card demands a token, in the form of the text. No call needs that skill.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.editCard = func(card object) {
				card["securitySchemes"] = object{bearerScheme.name: s.form.writeScheme(bearerScheme)}
				guarded := object{"id": "answer-friends", "name": "Answer friends", "description": "Answers whoever it knows.", "tags": []any{"test"}}
				s.form.demandSchemes(guarded, [][]securityScheme{{bearerScheme}})
				delete(guarded, "securitySchemes") // which are the card's
				card["skills"] = append(card["skills"].([]any), guarded)
			}
		}},
	{Name: "card-bare", Twin: "hello", Doc: "The card has only the members that are required.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.editCard = func(card object) {
				card["capabilities"] = object{}
				delete(card, "preferredTransport")
				delete(card, "additionalInterfaces")
				if s.form.dialectName() == coreSchema {
					maps.DeleteFunc(card, func(name string, _ any) bool {
						return !slices.Contains([]string{"name", "url", "version", "capabilities", "skills"}, name)
					})
				}
			}
		}},
	scriptMovedCard("path", "another path", 0), scriptMovedCard("origin", "another origin", 1),
	{Name: "extended-card", Twin: "hello", Asks: []string{"extended-card"}, Also: []string{"auth-bearer"}, Doc: "There is an extended card, which alone states that the agent streams, and has another name. It is for clients with a token alone.", Grants: []string{record.BearerCanary},
		Do: []adapter.Command{{Do: adapter.GetCard}, {Do: adapter.ExtendedCard}, {Do: adapter.Send}}, ByHand: "Have your application read the extended agent card, if it can.",
		set: func(s *stage) {
			s.addMarker("artifact")
			streams := func(yes bool) func(card object) {
				return func(card object) {
					card["capabilities"].(object)["streaming"] = yes
					if s.form.dialectName() == a2a03 {
						card["supportsAuthenticatedExtendedCard"] = true
					} else {
						card["capabilities"].(object)["extendedAgentCard"] = true
					}
					card["securitySchemes"] = object{bearerScheme.name: s.form.writeScheme(bearerScheme)}
				}
			}
			s.streaming = true
			s.editCard = streams(false)
			s.on["extended-card"] = func(c *call) {
				if c.q.Header.Get("Authorization") == "" { // any token will do
					c.a.writeWhole(http.StatusUnauthorized, append(listTypeFields("text/plain"), record.Field{Name: "WWW-Authenticate", Value: "Bearer"}), []byte("who are you?\n"))
					return
				}
				card := s.buildCard()
				streams(true)(card)
				card["name"] = extendedName
				c.sendResult(card)
			}
		}},
	scriptKeptCard("cached", "The card may be kept for an hour.", "max-age=3600"),
	scriptKeptCard("stale", "The card may be kept, and is out of date at once. Whoever asks for it again and names the one that there is gets an answer without a body (304).", "max-age=0"),
	{Name: "card-moves", Twin: "hello", Doc: "The card may not be kept. Once a message came, the card names other addresses, and the first ones are still served.", Do: sendTwiceByCard, Aided: true,
		ByHand: "Send the message, have your application read the card again, and send the message again.",
		set: func(s *stage) {
			s.addMarker("artifact")
			n := len(s.faces)
			for _, f := range s.faces {
				s.faces = append(s.faces, face{binding: f.binding, form: f.form, path: newPaths[f.binding]})
			}
			s.onCard = func(a *answerWriter, _ *request) {
				shown := s.faces[:n]
				if s.countTasks() > 0 {
					shown = s.faces[n:]
				}
				card := s.form.writeCard(cardFacts{shown, s.streaming})
				a.writeWhole(http.StatusOK, append(listTypeFields("application/json"), record.Field{Name: "Cache-Control", Value: "no-store"}), encodeJSON(card))
			}
		}},
	scriptRefusedCaller(http.StatusUnauthorized, "asks for a token"), scriptRefusedCaller(http.StatusForbidden, "names a right"),
	{Name: "extension-unknown", Twin: "hello", Doc: "The card requires an extension of a made-up URI. Calls that do not activate it are refused.", Dialects: []string{a2a10, a2a03, a2x03}, Spared: []string{a2a03},
		set: func(s *stage) {
			s.addMarker("artifact")
			s.addMarker("error")
			s.editCard = offerExtension(unknownExtension, true)
			s.intercept = func(c *call) bool {
				if strings.Contains(strings.Join(c.q.Header.Values(c.dialect.Card.ExtensionHeader), ","), unknownExtension) {
					return false
				}
				c.sendError(c.chooseExtensionRefusal(), c.formatRefusal())
				return true
			}
		}},
	{Name: "extension-required", Twin: "hello", Asks: []string{hasExtensions}, Doc: "The card requires an extension that the client is to know. Calls that do not activate it are refused. A task works until the third look at it.",
		Needs: []string{WithExtension}, Extensions: []string{knownExtension}, Do: []adapter.Command{{Do: adapter.Send}, lookUp},
		set: func(s *stage) {
			setPoll(s, (*call).wantsToWait)
			s.editCard = offerExtension(knownExtension, true)
			s.intercept = func(c *call) bool {
				name := c.dialect.Card.ExtensionHeader
				if strings.Contains(strings.Join(c.q.Header.Values(name), ","), knownExtension) {
					c.a.shared = append(c.a.shared, record.Field{Name: name, Value: knownExtension})
					return false
				}
				c.sendError(c.chooseExtensionRefusal(), "")
				return true
			}
		}},
	{Name: "extension-ignored", Twin: "hello", Asks: []string{hasExtensions}, Doc: "The card offers an extension that the client is to know. No answer activates it.",
		Needs: []string{WithExtension}, Extensions: []string{knownExtension},
		set: func(s *stage) {
			s.addMarker("artifact")
			s.editCard = offerExtension(knownExtension, false)
		}},
	scriptBrokenCard("not-found", "answers by HTTP 404", func(s *stage, a *answerWriter) {
		a.writeWhole(http.StatusNotFound, listTypeFields("text/plain"), []byte("not here\n"))
	}),
	scriptBrokenCard("error", "answers by HTTP 500", func(s *stage, a *answerWriter) {
		a.writeWhole(http.StatusInternalServerError, listTypeFields("text/plain"), []byte("something went wrong\n"))
	}),
	scriptBrokenCard("html", "answers by a web page", func(s *stage, a *answerWriter) {
		a.writeWhole(http.StatusOK, listTypeFields("text/html; charset=utf-8"), []byte("<!DOCTYPE html><title>Welcome</title><h1>It works!</h1>\n"))
	}),
	scriptBrokenCard("cut", "answers by JSON that is cut off", func(s *stage, a *answerWriter) {
		card := encodeJSON(s.buildCard())
		a.writeWhole(http.StatusOK, listTypeFields("application/json"), card[:len(card)*2/3])
	}),
	scriptBrokenCard("list", "answers by a JSON list", func(s *stage, a *answerWriter) {
		a.writeWhole(http.StatusOK, listTypeFields("application/json"), encodeJSON([]any{s.buildCard()}))
	}),
	scriptBrokenCard("no-interface", "answers by a card without an interface", func(s *stage, a *answerWriter) {
		card := s.buildCard()
		if card["supportedInterfaces"] != nil {
			card["supportedInterfaces"] = []any{}
		}
		delete(card, "url")
		delete(card, "preferredTransport")
		delete(card, "additionalInterfaces")
		a.writeWhole(http.StatusOK, listTypeFields("application/json"), encodeJSON(card))
	}),
	scriptBrokenCard("no-url", "answers by a card whose only address is no URL", func(s *stage, a *answerWriter) {
		card := s.form.writeCard(cardFacts{faces: []face{{binding: jsonRPC, url: "%%not a url%%", version: s.form.protocolVersion()}}})
		a.writeWhole(http.StatusOK, listTypeFields("application/json"), encodeJSON(card))
	}),
}

// scriptRefusedCaller makes a scenario in which the card demands a token, and calls are refused whatever they have.
func scriptRefusedCaller(status int, challenge string) Script {
	return Script{Name: fmt.Sprintf("auth-%d", status), Twin: "hello", Doc: fmt.Sprintf("The card demands a token. Every call is refused by HTTP %d, with a challenge that %s.", status, challenge), Grants: []string{record.BearerCanary},
		set: func(s *stage) {
			s.editCard = s.writeDemands([][]securityScheme{{bearerScheme}})
			s.intercept = func(c *call) bool {
				value := "Bearer"
				if status == http.StatusForbidden {
					value = `Bearer error="insufficient_scope", scope="conform"`
				}
				c.a.writeWhole(status, append(listTypeFields("text/plain"), record.Field{Name: "WWW-Authenticate", Value: value}), []byte("not for you\n"))
				return true
			}
		}}
}

// OptionalExtensions are the extensions of a card that a client may activate, and need not.
var OptionalExtensions = []string{"https://conform.example.com/extensions/optional/v1", "https://conform.example.com/extensions/needless/v1"}

// unknownExtension is an extension that no client has.
const unknownExtension = "https://conform.example.com/extensions/made-up/v1"

// knownExtension is one that the client is to know, if the operator grants it one.
const knownExtension = "https://conform.example.com/extensions/known/v1"

// chooseExtensionRefusal returns the error by which a call is refused that does not activate what the card requires.
func (c *call) chooseExtensionRefusal() string {
	if refusal := "ExtensionSupportRequired"; c.findErrorSign(refusal).Code != 0 {
		return refusal
	}
	return "InvalidRequest"
}

// offerExtension has a card offer an extension, or require it.
func offerExtension(uri string, required bool) func(card object) {
	return func(card object) {
		card["capabilities"].(object)["extensions"] = []any{object{"uri": uri, "description": "Made up for a test.", "required": required}}
	}
}

// extendedName is the name of the agent on its extended card.
const extendedName = "Scripted Agent, extended"

// newPaths are the paths of the interfaces that a card names later.
var newPaths = map[string]string{jsonRPC: "/agent/new/rpc", httpJSON: "/agent/new/rest"}

// sendTwiceByCard has a client get the card before each of two messages.
var sendTwiceByCard = []adapter.Command{{Do: adapter.GetCard}, {Do: adapter.Send}, {Do: adapter.GetCard}, {Do: adapter.Send}}

// scriptKeptCard makes a scenario in which the card may be kept under a condition.
func scriptKeptCard(name, doc, control string) Script {
	return Script{Name: "card-" + name, Twin: "hello", Doc: doc, Do: sendTwiceByCard, Aided: true, ByHand: "Send the message, have your application read the card again, and send the message again.",
		set: func(s *stage) {
			s.addMarker("artifact")
			tag, changed := `"`+s.ids.New()+`"`, time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
			s.onCard = func(a *answerWriter, q *request) {
				fields := []record.Field{{Name: "Cache-Control", Value: control}, {Name: "ETag", Value: tag}, {Name: "Last-Modified", Value: changed}}
				if hasSameCard(q, tag, changed) {
					a.writeWhole(http.StatusNotModified, fields, nil)
					return
				}
				a.writeWhole(http.StatusOK, append(fields, listTypeFields("application/json")...), encodeJSON(s.buildCard()))
			}
		}}
}

// hasSameCard reports whether the sender of a request has the card that there is. Of two conditions the one about the tag
// counts (RFC 9110, section 13.2.2).
func hasSameCard(q *request, tag, changed string) bool {
	if tags := q.Header.Values("If-None-Match"); len(tags) > 0 {
		all := strings.Join(tags, ",")
		return strings.Contains(all, tag) || strings.TrimSpace(all) == "*"
	}
	since, err := http.ParseTime(q.Header.Get("If-Modified-Since"))
	last, _ := http.ParseTime(changed)
	return err == nil && !last.After(since)
}

// scriptMovedCard makes a scenario in which the address of the card redirects to another one.
func scriptMovedCard(name, where string, origin int) Script {
	return Script{Name: "card-redirect-" + name, Twin: "hello", Doc: "The address of the card redirects to " + where + ".", TwoOrigins: origin > 0,
		set: func(s *stage) {
			s.addMarker("artifact")
			at := s.bases[origin] + "/moved/card.json"
			s.cardAt = []string{at}
			s.onCard = func(a *answerWriter, q *request) {
				if q.Path == "/moved/card.json" {
					a.writeWhole(http.StatusOK, listTypeFields("application/json"), encodeJSON(s.buildCard()))
					return
				}
				a.writeWhole(http.StatusFound, []record.Field{{Name: "Location", Value: at}}, nil)
			}
		}}
}

// scriptBrokenCard makes a scenario whose card cannot be used.
func scriptBrokenCard(name, does string, answer func(s *stage, a *answerWriter)) Script {
	return Script{Name: "card-broken-" + name, Twin: "hello", Doc: "The address of the card " + does + ".", Fault: "the address of the card " + does,
		set: func(s *stage) { s.onCard = func(a *answerWriter, _ *request) { answer(s, a) } }}
}

// addUnknown adds members that no version knows to an object and to all that it holds. Objects whose
// members are names of somebody's own stay as they are.
func addUnknown(v any) any {
	switch v := v.(type) {
	case object:
		for name, in := range v {
			if name != "securitySchemes" && name != "metadata" {
				addUnknown(in)
			}
		}
		v["xConformUnknown"] = object{"deep": []any{1, nil, "text"}, "more": object{"id": 7}}
	case []any:
		for _, in := range v {
			addUnknown(in)
		}
	}
	return v
}
