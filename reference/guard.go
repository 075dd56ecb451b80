package reference

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// Token is the bearer token that the variant guarded accepts.
const Token = "a2a-conform-reference-token"

// guard refuses calls without the token (A2A 0.1.0, section 4.4). The card is
// for everybody.
func (s *Server) guard(next http.Handler) http.Handler {
	if !s.variant.guarded {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Header.Get("Authorization") == "Bearer "+Token {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			return
		}
		var call struct {
			ID json.RawMessage `json:"id"`
		}
		id := "null"
		if json.Unmarshal(body, &call) == nil && len(call.ID) > 0 && !strings.ContainsAny(string(call.ID[:1]), "{[tf") {
			id = string(call.ID)
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="a2a-conform"`)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32007,"message":"Authentication required"}}`)
	})
}

var a2a01AccessMutants = inArea("discovery",
	mutant{name: "card-publishes-token", variant: "guarded", summary: "The card holds the real token.",
		reply: func(x *reply) {
			if x.document == "card" {
				put(x.body, "authentication/credentials", `{"token":"`+Token+`"}`)
			}
		}},
)
