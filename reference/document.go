package reference

import "net/http"

// document serves what is fetched by GET. The name tells mutants what it is.
func (s *Server) document(name string, read func(*http.Request) (status int, body any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := s.newReply(r)
		x.document = name
		x.status, x.body = read(r)
		x.write(w)
	}
}
