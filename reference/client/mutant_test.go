package client_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/client"
)

const extension = "https://extensions.example.com/timing/v1"

func sendTwo(o *client.Options) { o.Second = "and now" }

// giveCommands has the variant reporting do what some commands ask for.
func giveCommands(commands ...string) func(*client.Options) {
	return func(o *client.Options) { o.Context = `{"do":[` + strings.Join(commands, ",") + `]}` }
}

const (
	sendOne    = `{"do":"send","text":"hello"}`
	sendNoWait = `{"do":"send","text":"hello","wait":false}`
	getCard    = `{"do":"card"}`
	lookAtLast = `{"do":"get","task":"last"}`
	cancelLast = `{"do":"cancel","task":"last"}`
)

// whenStreaming answers streams by a function, and everything else as usual.
func whenStreaming(answer func(s *testAgent, w http.ResponseWriter, c receivedCall)) func(*testAgent, http.ResponseWriter, receivedCall) bool {
	return whenCalled("stream", answer)
}

func whenCalled(op string, answer func(s *testAgent, w http.ResponseWriter, c receivedCall)) func(*testAgent, http.ResponseWriter, receivedCall) bool {
	return func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
		if c.op != op {
			return false
		}
		answer(s, w, c)
		return true
	}
}

// streaming is an agent that answers streams with events that are written by a function, in one piece.
func streaming(write func(data string) string) situation {
	return situation{serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.pieces(w, 0, s.body(c, write))
	})}
}

// answering is an agent that answers messages with results.
func answering(result func(s *testAgent) object) situation {
	return situation{serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) { s.reply(w, c, result(s)) })}
}

// refusing is an agent that answers messages with an error.
func refusing(status, code int, header ...string) situation {
	return situation{failing: true, serve: func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
		if c.op != "send" && c.op != "stream" {
			return false
		}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		s.refuse(w, c, status, code)
		return true
	}}
}

// demanding is an agent whose card demands credentials: alternatives of names of schemes.
func demanding(alternatives ...[]string) situation {
	schemes := map[string][2]object{
		"bearer": {{"httpAuthSecurityScheme": object{"scheme": "bearer"}}, {"type": "http", "scheme": "bearer"}},
		"basic":  {{"httpAuthSecurityScheme": object{"scheme": "basic"}}, {"type": "http", "scheme": "basic"}},
		"digest": {{"httpAuthSecurityScheme": object{"scheme": "digest"}}, {"type": "http", "scheme": "digest"}},
		"query":  {{"apiKeySecurityScheme": object{"name": "key", "location": "query"}}, {"type": "apiKey", "name": "key", "in": "query"}},
		"header": {{"apiKeySecurityScheme": object{"name": "X-API-Key", "location": "header"}}, {"type": "apiKey", "name": "X-API-Key", "in": "header"}},
	}
	return situation{
		editCard: func(s *testAgent, card object) {
			definitions, old, current := object{}, []any{}, []any{}
			for _, names := range alternatives {
				demanded := object{}
				for _, name := range names {
					demanded[name] = []string{}
					if definitions[name] = schemes[name][0]; s.hasKinds() {
						definitions[name] = schemes[name][1]
					}
				}
				old, current = append(old, demanded), append(current, object{"schemes": demanded})
			}
			card["securitySchemes"] = definitions
			if card["securityRequirements"] = current; s.hasKinds() {
				card["security"] = old
			}
			if s.isFirst() || s.hasCompletions() {
				var names []string
				for _, alternative := range alternatives {
					names = append(names, map[string]string{"bearer": "Bearer", "basic": "Basic"}[alternative[0]])
				}
				card["authentication"] = object{"schemes": names}
				if alternatives[0][0] == "query" {
					card["authentication"] = object{"schemes": []string{"ApiKey"}, "credentials": `{"name":"X-API-Key"}`}
				}
			}
			card["supportsAuthenticatedExtendedCard"] = true
			card["capabilities"].(object)["extendedAgentCard"] = true
		},
		options: func(o *client.Options) {
			o.Credentials = client.Credentials{Bearer: "the-token", Basic: "user:password", Key: "the-key"}
		},
	}
}

// givingTokens is an agent whose card demands a token of its token endpoint.
func givingTokens() situation {
	out := demanding([]string{"bearer"})
	demand := out.editCard
	out.editCard = func(s *testAgent, card object) {
		demand(s, card)
		flows := object{"clientCredentials": object{"tokenUrl": s.base + "/oauth/token", "scopes": object{}}}
		if card["securitySchemes"] = (object{"bearer": object{"oauth2SecurityScheme": object{"flows": flows}}}); s.hasKinds() {
			card["securitySchemes"] = object{"bearer": object{"type": "oauth2", "flows": flows}}
		}
	}
	out.options = func(o *client.Options) {
		o.Credentials = client.Credentials{ClientID: "the-client", ClientSecret: "the-secret"}
	}
	return out
}

// redirecting is a guarded agent that answers calls with a redirect.
func redirecting(status int, to func(s *testAgent) string) situation {
	out := demanding([]string{"header"})
	out.failing = true
	out.serve = func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
		http.Redirect(w, c.r, to(s), status)
		return true
	}
	return out
}

// changing is an agent whose card is edited.
func changing(edit func(s *testAgent, card object)) situation { return situation{editCard: edit} }

// addTenant gives the interface of the card a tenant.
func addTenant(s *testAgent, card object) {
	i := s.makeInterface("/rpc", "JSONRPC", "1.0")
	i["tenant"] = "Tenant A"
	s.setInterfaces(card, i)
}

// offerREST gives the card an interface of HTTP+JSON alone.
func offerREST(s *testAgent, card object) {
	s.setInterfaces(card, s.makeInterface("/rest", "HTTP+JSON", "1.0"))
}

// situations are all of them, by their names. If nothing else is in one, the agent answers
// as it should.
var situations = map[string]situation{
	"hello":       {},
	"odd text":    {options: func(o *client.Options) { o.Text = "größer" }},
	"turns":       {options: sendTwo},
	"broken card": {failing: true, document: "<html>"},
	"unknown scheme": changing(func(s *testAgent, card object) {
		card["securitySchemes"] = object{"ring": object{"pigeonRingSecurityScheme": object{}}}
		if s.hasKinds() {
			card["securitySchemes"] = object{"ring": object{"type": "pigeonRing"}}
		}
	}),
	"unknown card": changing(func(_ *testAgent, card object) { card["shoeSize"] = 43 }),
	"guarded skill": changing(func(_ *testAgent, card object) {
		card["skills"] = []any{object{"id": "a", "securityRequirements": []any{object{"schemes": object{"token": object{"list": []any{}}}}}}}
	}),
	"order": changing(func(s *testAgent, card object) {
		s.setInterfaces(card, s.makeInterface("/rpc", "JSONRPC", "1.0"), s.makeInterface("/other", "JSONRPC", "1.0"))
	}),
	"foreign": changing(func(s *testAgent, card object) {
		s.setInterfaces(card, s.makeInterface("wss://pigeons.example.com/", "https://bindings.example.com/pigeon", "1.0"), s.makeInterface("/rpc", "JSONRPC", "1.0"))
	}),
	"bindings": changing(func(s *testAgent, card object) {
		s.setInterfaces(card, s.makeInterface("/rest", "HTTP+JSON", "1.0"), s.makeInterface("/rpc", "JSONRPC", "1.0"))
	}),
	"rest": {editCard: offerREST, options: sendTwo},
	"rest extensions": {
		editCard: func(s *testAgent, card object) {
			offerREST(s, card)
			card["capabilities"].(object)["extensions"] = []any{object{"uri": extension}}
		},
		options: func(o *client.Options) { o.Extensions = []string{extension} },
	},
	"grpc": {editCard: offerGRPC},
	"grpc by https": {secure: "good", editCard: func(s *testAgent, card object) {
		s.setInterfaces(card, s.makeInterface(s.base, "GRPC", "1.0"))
		card["capabilities"].(object)["streaming"] = false
	}},
	"grpc error": {editCard: offerGRPC, failing: true, options: giveCommands(sendOne)},
	"rest waiting": {editCard: func(s *testAgent, card object) {
		offerREST(s, card)
		card["capabilities"].(object)["streaming"] = false
	}},
	"rest error": {editCard: offerREST, failing: true, options: giveCommands(sendOne), serve: refusing(http.StatusBadRequest, -32005).serve},
	"rest odd id": {editCard: offerREST, options: giveCommands(sendOne, lookAtLast), serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		task := s.taskIn("completed")
		task["id"] = "a/b"
		s.stream(w, c, s.wrap("task", task))
	})},
	"rest cut": {editCard: offerREST, serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.wrap("task", s.taskIn("working")))
	})},
	"patch": changing(func(s *testAgent, card object) { s.setInterfaces(card, s.makeInterface("/rpc", "JSONRPC", "1.0.1")) }),
	"older": {failing: true, editCard: func(s *testAgent, card object) { s.setInterfaces(card, s.makeInterface("/rpc", "JSONRPC", "0.3")) }},
	"down": changing(func(s *testAgent, card object) {
		s.setInterfaces(card, s.makeInterface("http://127.0.0.1:1/rpc", "JSONRPC", "1.0"), s.makeInterface("/rpc", "JSONRPC", "1.0"))
	}),
	"tenant": changing(addTenant),
	"tenant working": {
		editCard: addTenant,
		serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
			s.reply(w, c, s.wrap("task", s.taskIn("working")))
		}),
	},
	"tenant of other": changing(func(s *testAgent, card object) {
		i := s.makeInterface("/other", "JSONRPC", "1.0")
		i["tenant"] = "Tenant A"
		s.setInterfaces(card, s.makeInterface("/rpc", "JSONRPC", "1.0"), i)
	}),
	"extensions": {
		editCard: func(_ *testAgent, card object) {
			card["capabilities"].(object)["extensions"] = []any{object{"uri": extension, "required": true}, object{"uri": extension + "b"}}
		},
		options: func(o *client.Options) { o.Extensions = []string{extension, extension + "b"} },
	},
	"extensions, short of time": {
		limit: 1500 * time.Millisecond,
		editCard: func(_ *testAgent, card object) {
			card["capabilities"].(object)["extensions"] = []any{object{"uri": extension}}
		},
		options: func(o *client.Options) { o.Extensions = []string{extension} },
	},
	"unknown extension": {failing: true, editCard: func(_ *testAgent, card object) {
		card["capabilities"].(object)["extensions"] = []any{object{"uri": extension, "required": true}}
	}},
	"https":          {secure: "good"},
	"signed":         {signed: "pretty"},
	"forged":         {signed: "changed", failing: true},
	"removed key":    {signed: "removed", secure: "good", failing: true},
	"key by http":    {signed: "known"},
	"unknown issuer": {secure: "unknown issuer", failing: true},
	"other name":     {secure: "other name", failing: true},
	"ended":          {secure: "ended", failing: true},
	"extended card": {
		options: giveCommands(`{"do":"extended-card"}`, sendOne),
		editCard: func(_ *testAgent, card object) {
			card["supportsAuthenticatedExtendedCard"] = true
			card["capabilities"].(object)["extendedAgentCard"] = true
		},
		serve: whenCalled("extended", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
			card := s.card()
			s.setInterfaces(card, s.makeInterface("/other", "JSONRPC", "1.0"))
			s.reply(w, c, card)
		}),
	},
	"bare card":  changing(func(_ *testAgent, card object) { card["capabilities"] = object{} }),
	"fresh card": {options: giveCommands(getCard, sendOne, getCard), control: "max-age=3600"},
	"stale card": {options: giveCommands(getCard, sendOne, getCard, sendOne), control: "max-age=0"},
	"other card": {options: giveCommands(getCard, sendOne, getCard, sendOne), control: "no-store", editCard: func(s *testAgent, card object) {
		if s.counts["stream"] > 0 {
			s.setInterfaces(card, s.makeInterface("/other", "JSONRPC", "1.0"))
		}
	}},
	"moved card":      {cardAt: "/moved/card.json"},
	"no capabilities": changing(func(_ *testAgent, card object) { card["capabilities"] = object{"streaming": false} }),

	"bearer":        demanding([]string{"bearer"}),
	"basic":         demanding([]string{"basic"}),
	"key in query":  demanding([]string{"query"}),
	"tokens":        givingTokens(),
	"both":          demanding([]string{"bearer", "header"}),
	"either":        demanding([]string{"digest"}, []string{"bearer"}),
	"redirect away": redirecting(http.StatusTemporaryRedirect, func(s *testAgent) string { return s.other + "/away" }),
	"redirect 302":  redirecting(http.StatusFound, func(s *testAgent) string { return s.base + "/found" }),

	"message": answering(func(s *testAgent) object { return s.message(s.text("hello")) }),
	"unknown part": answering(func(s *testAgent) object {
		return s.message(s.text("hello"), object{"kind": "hologram", "hologram": "h"})
	}),
	"data list":      answering(func(s *testAgent) object { return s.message(object{"kind": "data", "data": []int{1}}) }),
	"unknown member": answering(func(s *testAgent) object { v := s.taskIn("completed"); v["shoeSize"] = 43; return s.wrap("task", v) }),
	"file": answering(func(s *testAgent) object {
		if s.hasKinds() || s.isFirst() {
			return s.message(object{"kind": "file", "file": object{"bytes": "YQ==", "name": "a.txt"}})
		}
		return s.message(object{"raw": "YQ==", "filename": "a.txt"})
	}),
	"file address": answering(func(s *testAgent) object {
		if s.hasKinds() || s.isFirst() {
			return s.message(object{"kind": "file", "file": object{"uri": s.base + "/notes.txt"}})
		}
		return s.message(object{"url": s.base + "/notes.txt"})
	}),
	"no artifacts": answering(func(s *testAgent) object {
		v := s.taskIn("completed")
		delete(v, "artifacts")
		return s.wrap("task", v)
	}),
	"timestamp": answering(func(s *testAgent) object {
		v := s.taskIn("completed")
		v["status"].(object)["timestamp"] = "2026-01-02T03:04:05Z"
		return s.wrap("task", v)
	}),
	"long": answering(func(s *testAgent) object { return s.message(s.text(strings.Repeat("long ", 20_000))) }),
	"long, short of time": {limit: 1500 * time.Millisecond,
		serve: answering(func(s *testAgent) object { return s.message(s.text(strings.Repeat("long ", 20_000))) }).serve},
	"no length": {serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		w.(http.Flusher).Flush()
		s.reply(w, c, s.wrap("task", s.taskIn("completed")))
	})},
	"no answer": {failing: true, serve: whenCalled("send", func(_ *testAgent, w http.ResponseWriter, _ receivedCall) { fmt.Fprint(w, "{}") })},
	"other id": {failing: true, serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		c.id = "other"
		s.reply(w, c, s.wrap("task", s.taskIn("completed")))
	})},
	"error": refusing(http.StatusOK, -32005),
	"error without id": {failing: true, serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, _ receivedCall) {
		s.refuseWith(w, nil, http.StatusOK, object{"code": -32600, "message": "no"})
	})},
	"error in 404":  refusing(http.StatusNotFound, -32001),
	"unknown error": refusing(http.StatusOK, -32099),
	"error data": {failing: true, serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.refuseWith(w, c.id, http.StatusOK, object{"code": -32602, "message": "no", "data": []int{1}})
	})},
	"error details": {failing: true, serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.refuseWith(w, c.id, http.StatusOK, object{"code": -32602, "message": "no", "data": []object{{"@type": "a"}, {"@type": "b"}}})
	})},
	"401":             refusing(http.StatusUnauthorized, -32000),
	"500":             refusing(http.StatusInternalServerError, -32603),
	"refused version": refusing(http.StatusOK, -32009),
	"refused stream":  refusing(http.StatusOK, -32004),
	"busy":            refusing(http.StatusServiceUnavailable, -32000, "Retry-After", "1000"), // for which no client waits
	"lost answer":     {failing: true, serve: whenCalled("send", func(*testAgent, http.ResponseWriter, receivedCall) { panic(http.ErrAbortHandler) })},
	"short of time": {limit: 1500 * time.Millisecond, serve: answering(func(s *testAgent) object {
		return s.message(object{"kind": "file", "raw": "YQ==", "file": object{"bytes": "YQ=="}})
	}).serve},
	"silent": {failing: true,
		limit:   400 * time.Millisecond,
		options: func(o *client.Options) { o.Timeout = 100 * time.Millisecond },
		serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
			select {
			case <-c.r.Context().Done():
			case <-time.After(2 * time.Second):
			}
		}),
	},

	"comments":   streaming(func(d string) string { return ": ping\n\nevent: message\n: inside\ndata: " + d + "\n\n" }),
	"multi-line": streaming(func(d string) string { return "data: " + strings.Replace(d, ",", ",\ndata: ", 2) + "\n\n" }),
	"CR LF":      streaming(func(d string) string { return "data: " + d + "\r\n\r\n" }),
	"CR":         streaming(func(d string) string { return "data: " + d + "\r\r" }),
	"packed":     streaming(func(d string) string { return "data: " + d + "\n\n" }),
	"no space":   streaming(func(d string) string { return "data:" + d + "\n\n" }),
	"fields":     streaming(func(d string) string { return "id: 7\nretry: 1000\nshoe: 43\ndata: " + d + "\n\n" }),
	"empty":      streaming(func(d string) string { return "event: x\n\ndata: " + d + "\n\nid: 7\n\n" }),
	"mark": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		d := s.events(c)
		s.pieces(w, 0, "\uFEFFdata: "+d[1]+"\n\n", "data: "+d[2]+"\n\n")
	})},
	"split": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		whole := s.body(c, func(d string) string { return "data: " + d + "\n\n" })
		cut := strings.LastIndex(whole, "ß") + 1
		s.pieces(w, 50*time.Millisecond, whole[:cut], whole[cut:])
	})},
	"long event": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.message(s.text(strings.Repeat("long ", 20_000))))
	})},
	"label": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		w = labelled{w}
		s.answer(w, c)
	})},
	"unknown event": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		unknown := object{"weather": object{"rain": true}, "kind": "weather"}
		s.stream(w, c, s.wrap("task", s.taskIn("working")), unknown, s.chunk("größer", false), s.status("completed", true))
	})},
	"slow stream": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.pieces(w, 7*testPause, "data: "+s.events(c)[0]+"\n\n", "data: "+s.events(c)[2]+"\n\n")
	})},
	"error in stream": {failing: true, serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.pieces(w, 0, "data: "+s.events(c)[0]+"\n\n", fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%q,\"error\":{\"code\":-32603,\"message\":\"no\"}}\n\n", c.id))
	})},
	"bare events": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		c.inREST = true // which has no envelope
		s.answer(w, c)
	})},
	"open end": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.wrap("task", s.taskIn("working")), s.chunk("größer", false), s.status("completed", false))
	})},
	"unended": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.pieces(w, 0, "data: "+s.events(c)[0]+"\n\n", "data: "+s.events(c)[1]+"\n")
	})},
	"other id in stream": {failing: true, serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		other := c
		other.id = "other"
		s.pieces(w, 0, "data: "+s.events(c)[0]+"\n\n", "data: "+s.events(other)[1]+"\n\n", "data: "+s.events(c)[2]+"\n\n")
	})},
	"open stream": {
		limit: 400 * time.Millisecond,
		serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
			s.answer(w, c)
			<-c.r.Context().Done()
		}),
	},
	"cut": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.wrap("task", s.taskIn("working")))
	})},
	"cut often": {serve: func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
		if c.op != "stream" && c.op != "subscribe" {
			return false
		}
		s.stream(w, c, s.wrap("task", s.taskIn("working")))
		return true
	}},
	"waiting stream": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.wrap("task", s.taskIn("input-required")))
	})},

	"question": {options: sendTwo, serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		state := "input-required"
		if c.number > 1 {
			state = "completed"
		}
		s.reply(w, c, s.wrap("task", s.taskIn(state)))
	})},
	"limited": {options: sendTwo, serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		reset := s.started.Add(2 * time.Second).Unix()
		if c.number > 1 && time.Now().Unix() < reset {
			s.refuse(w, c, http.StatusTooManyRequests, -32003)
			return
		}
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(reset))
		s.answer(w, c)
	})},
	"payment": {
		options: func(o *client.Options) { o.Extensions = []string{extension + "/x402"} },
		editCard: func(_ *testAgent, card object) {
			card["capabilities"].(object)["extensions"] = []any{object{"uri": extension + "/x402"}}
		},
		serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
			v := s.taskIn("completed")
			if c.number == 1 {
				v = s.taskIn("input-required")
				v["status"].(object)["message"] = object{"kind": "message", "role": "agent", "parts": []any{}, "metadata": object{"x402.payment.required": object{"accepts": []any{object{"scheme": "exact"}}}}}
			}
			s.reply(w, c, s.wrap("task", v))
		}),
	},
	"null members": answering(func(s *testAgent) object {
		v := s.taskIn("completed")
		v["history"], v["metadata"] = nil, nil
		return v
	}),
	"no modes": changing(func(_ *testAgent, card object) { delete(card, "defaultInputModes") }),
	"two artifacts": {serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		other := s.chunk("other", false)
		other["artifact"].(object)["index"] = 1
		s.stream(w, c, s.status("working", false), s.chunk("größer", false), other, s.status("completed", true))
	})},
	"looked up": {options: giveCommands(sendOne, lookAtLast)},
	"listed": {options: giveCommands(`{"do":"list"}`), editCard: func(s *testAgent, card object) {
		s.setInterfaces(card, s.makeInterface("/rpc", "JSONRPC", "1.0"), s.makeInterface("/rest", "HTTP+JSON", "1.0"))
	}},
	"listed without end": {options: giveCommands(`{"do":"list"}`), failing: true, serve: whenCalled("list", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.reply(w, c, object{"tasks": []any{}, "nextPageToken": "again"})
	})},
	"canceled": {options: giveCommands(sendNoWait, cancelLast), serve: whenCalled("cancel", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.reply(w, c, s.taskIn("working"))
	})},
	"left": {limit: 400 * time.Millisecond, options: giveCommands(sendOne, `{"do":"stop","after":1}`), serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.wrap("task", s.taskIn("working")))
		select {
		case <-c.r.Context().Done():
		case <-time.After(2 * time.Second):
		}
	})},
	"resumed": {serve: func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
		if c.op != "stream" && c.op != "subscribe" {
			return false
		}
		if c.op == "stream" {
			s.stream(w, c, s.wrap("task", s.taskIn("working")), s.chunk("grö", false))
			return true
		}
		now := s.taskIn("working")
		now["artifacts"] = []any{object{"artifactId": "a", "parts": []any{s.text("grö")}}}
		s.stream(w, c, s.wrap("task", now), s.chunk("ßer", true), s.status("completed", true))
		return true
	}},
	"unknown state": answering(func(s *testAgent) object { return s.wrap("task", s.taskIn("dreaming")) }),
	"failed":        {failing: true, serve: answering(func(s *testAgent) object { return s.wrap("task", s.taskIn("failed")) }).serve},
	"authorisation": answering(func(s *testAgent) object { return s.wrap("task", s.taskIn("auth-required")) }),
	"works a while": {serve: func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
		if c.op != "get" || time.Since(s.started) > 20*testPause {
			return false
		}
		s.reply(w, c, s.taskIn("working"))
		return true
	}},
	"gone": {failing: true, limit: 400 * time.Millisecond, serve: whenCalled("get", func(s *testAgent, w http.ResponseWriter, c receivedCall) { s.refuse(w, c, http.StatusOK, -32001) })},
}

// labelled writes the media type of streams in other letters and with a parameter.
type labelled struct{ http.ResponseWriter }

func (l labelled) Flush() { l.ResponseWriter.(http.Flusher).Flush() }

func (l labelled) Write(b []byte) (int, error) {
	l.Header().Set("Content-Type", "Text/Event-Stream; charset=utf-8")
	return l.ResponseWriter.Write(b)
}

// situationNames are the names of the situations in which the mutants show; it is hello for those that are
// not listed.
var situationNames = map[string]string{
	"card-decoded-strictly": "unknown card", "scheme-of-unknown-kind-fatal": "unknown scheme", "card-needs-streaming": "bare card", "card-fallback": "broken card",
	"last-interface": "order", "foreign-interface-fatal": "foreign", "rpc-to-other-binding": "bindings", "exact-interface-version": "patch",
	"interface-version-ignored": "older", "first-interface-only": "down", "tenant-of-other-interface": "tenant of other",
	"https-unknown": "https", "tls-any-issuer": "unknown issuer", "tls-any-name": "other name", "tls-any-time": "ended",
	"signatures-ignored": "forged", "served-form-verified": "signed", "removed-key-trusted": "removed key", "keys-by-http": "key by http",
	"tls-1.0-offered": "https", "tls-1.1-at-most": "https", "tls-1.2-at-most": "https",
	"rpc-preferred": "bindings", "rest-path-of-other-version": "rest waiting", "rest-body-labelled-json": "rest", "rest-body-labelled-text": "rest", "rest-get-with-body": "rest waiting",
	"query-in-snake-case": "rest waiting", "query-of-own-name": "rest waiting", "query-value-word": "rest waiting", "message-in-query": "rest",
	"rest-body-of-other-task": "rest cut", "extensions-in-query": "rest extensions", "forms-mixed": "rest",
	"path-not-encoded": "rest odd id", "rest-status-alone": "rest error",
	"grpc-package-of-other-version": "grpc", "grpc-service-of-own-name": "grpc", "grpc-fields-of-draft": "grpc", "grpc-text-in-latin-1": "grpc", "grpc-get-without-id": "grpc",
	"grpc-version-in-message": "grpc", "grpc-without-trailers": "grpc", "grpc-reason-ignored": "grpc error", "grpc-status-ignored": "grpc error",
	"extensions-all-activated": "unknown extension", "extended-card-ignored": "extended card", "extended-card-undeclared": "no capabilities", "stream-undeclared": "no capabilities",
	"webhook-undeclared": "no capabilities", "card-redirect-fatal": "moved card", "file-hangs": "short of time", "streaming-required": "no capabilities",
	"version-with-send-only": "unknown state", "tenant-dropped": "tenant", "tenant-changed": "tenant", "tenant-with-send-only": "tenant working",
	"body-in-latin-1": "odd text", "message-id-reused": "turns", "context-of-application": "question", "context-lost": "turns",
	"answer-starts-task": "question", "ids-in-small-letters": "question", "ids-cut": "question", "task-that-ended": "turns",
	"members-in-snake-case": "turns", "webhook-token-shared": "turns",
	"extension-header-each": "extensions", "extension-header-old": "extensions", "extension-in-params": "extensions", "extension-names": "extensions",
	"extension-in-message-only": "extensions", "extension-once": "extensions", "extension-awaited": "extensions, short of time", "auth-as-failure": "unstreamed authorisation",
	"credentials-with-send-only": "bearer", "credentials-never": "bearer", "extended-card-without-credentials": "bearer", "token-without-scheme": "bearer", "credentials-in-metadata": "bearer",
	"credentials-with-card": "bearer", "credentials-first-alternative": "either", "credentials-first-scheme": "both", "basic-as-bearer": "basic",
	"token-from-elsewhere": "tokens", "credentials-printed": "bearer",
	"keys-in-header": "key in query", "redirect-with-credentials": "redirect away", "redirect-with-message": "redirect away", "redirect-becomes-get": "redirect 302",
	"message-fatal": "message", "unknown-member-fatal": "unknown member", "unknown-part-fatal": "unknown part", "file-with-bytes-fatal": "unstreamed file",
	"artifacts-needed": "no artifacts", "milliseconds-needed": "timestamp", "files-fetched": "file address", "long-body-cut": "long", "long-body-hangs": "long, short of time", "length-needed": "no length",
	"no-answer-is-success": "no answer", "id-not-compared": "other id", "null-id-error-lost": "unstreamed error without id", "http-status-hides-error": "unstreamed error in 404",
	"error-as-success": "error", "unknown-code-as-success": "unknown error", "errors-alike": "unstreamed error", "error-data-needs-object": "unstreamed error data", "data-needs-object": "unstreamed data list",
	"comment-breaks": "comments", "data-lines-are-events": "multi-line", "last-data-line-wins": "multi-line", "crlf-not-a-line-end": "CR LF", "cr-not-a-line-end": "CR",
	"mark-hides-event": "mark", "pieces-decoded-alone": "split", "first-events-of-piece": "packed", "space-after-colon-needed": "no space",
	"other-field-breaks": "fields", "empty-event-parsed": "empty", "long-event-cut": "long event", "stream-label-compared": "label",
	"unknown-event-fatal": "unknown event", "waits-for-close": "open stream", "refused-stream-as-empty": "refused stream", "silence-fatal": "slow stream",
	"second-detail-fatal": "unstreamed error details", "status-message-alone": "unstreamed hello", "unended-event-taken": "unended", "events-in-threads": "hello",
	"stream-read-whole": "open stream", "event-id-not-compared": "other id in stream",
	"event-error-skipped": "error in stream", "cut-as-success": "cut", "cut-sends-again": "cut", "resumes-other-task": "cut", "reconnects-at-once": "cut often", "waiting-as-cut": "waiting stream",
	"unknown-state-as-end": "unknown state", "unknown-state-fatal": "unknown state", "any-end-is-done": "failed", "polls-without-end": "failed", "polls-without-pause": "works a while", "polls-when-gone": "gone",
	"fresh-card-fetched": "fresh card", "stale-card-without-condition": "stale card", "unchanged-card-fatal": "stale card", "first-card-stays": "other card",
	"get-by-task-id": "looked up", "lookup-unsupported": "looked up", "cancel-by-message-id": "canceled", "cancels-by-wish": "canceled", "question-as-end": "waiting stream",
	"page-token-changed": "listed", "listed-page-changed": "listed", "requirements-as-lists": "guarded skill", "list-started-over": "listed", "lists-without-end": "listed without end", "stream-left-open": "left", "old-pieces-appended": "resumed",
	"auth-required-as-end": "authorisation", "auth-required-ignored": "authorisation", "no-time-limit": "silent",
	"lookup-by-http-get": "looked up", "key-in-query": "key in query", "completion-text-lost": "unstreamed hello", "context-for-each": "turns",
	"task-id-counted": "turns", "bare-event-fatal": "bare events", "waits-for-final": "open end", "key-as-bearer": "key in query",
	"retries-401": "401", "retries-busy-at-once": "busy", "retries-500-at-once": "500", "retries-refused-version": "refused version",
	"retries-refused-stream": "refused stream", "grpc-https-becomes-http": "grpc by https", "limits-ignored": "limited", "payment-without-task": "payment",
	"null-members-fatal": "null members", "modes-needed": "no modes", "artifacts-by-name": "two artifacts", "codes-of-a2a": "unstreamed error", "webhook-each-time": "question",
	"retries-with-new-id": "lost answer",
}

// runInSituation runs a client in a situation and returns what was seen of it.
func runInSituation(t *testing.T, in situation, dialect, variant, mutant string) (code int, seen string) {
	t.Helper()
	s := &testAgent{situation: in, dialect: dialect}
	s.start(t)
	var out, errs bytes.Buffer
	o := client.Options{URL: s.base, Text: "hello", Dialect: dialect, Variant: variant, Mutant: mutant, Pause: testPause, Stdout: &out, Stderr: &errs}
	o.CA, o.Keys = s.ca, s.keys
	if s.options != nil {
		s.options(&o)
	}
	ctx := t.Context()
	if s.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.limit)
		defer cancel()
	}
	begin := time.Now()
	code = client.Run(ctx, o)
	return code, s.describeRun(code, out.String(), errs.String(), time.Since(begin))
}

func TestEachMutantCanBeSeen(t *testing.T) {
	for _, dialect := range talking {
		for _, m := range client.Mutants(dialect) {
			t.Run(dialect+"/"+m.Name, func(t *testing.T) {
				t.Parallel()
				name := situationNames[m.Name]
				if name == "" {
					name = "hello"
				}
				plain, unstreamed := strings.CutPrefix(name, "unstreamed ")
				in, ok := situations[plain]
				if !ok {
					t.Fatalf("there is no situation %q", name)
				}
				if unstreamed { // for a client that streams if it can
					in.editCard = situations["no capabilities"].editCard
				}
				code, healthy := runInSituation(t, in, dialect, m.Variant, "")
				if (code != 0) != in.failing {
					t.Errorf("the healthy client ends with %d in %q:\n%s", code, name, healthy)
				}
				if _, again := runInSituation(t, in, dialect, m.Variant, ""); again != healthy && !slices.Contains([]string{"works a while"}, name) {
					t.Errorf("the healthy client is seen in two ways in %q:\n%s\n\n%s", name, healthy, again)
				}
				if _, got := runInSituation(t, in, dialect, m.Variant, m.Name); got == healthy {
					t.Errorf("nothing of the mutant is seen in %q:\n%s", name, got)
				}
			})
		}
	}
}
