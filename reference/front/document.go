package front

import (
	"net/http"
)

// Document serves what is fetched by GET. Mutants know it by its name.
func (s *Server) Document(name string, read func(*http.Request) (status int, body any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := s.newReply(r)
		x.Document = name
		x.Status, x.Body = read(r)
		x.write(w)
	}
}

// Cached is Document with headers that read may set.
func (s *Server) Cached(name string, read func(*http.Request, http.Header) (status int, body any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := s.newReply(r)
		x.Document = name
		x.Status, x.Body = read(r, x.Header)
		x.write(w)
	}
}

func Absent(*http.Request) (int, any) {
	return http.StatusNotFound, map[string]any{"error": "not found"}
}

// OnDocument edits one of the documents.
func OnDocument(name string, edit func(*Reply)) func(*Reply) {
	return func(x *Reply) {
		if x.Document == name {
			edit(x)
		}
	}
}
