package serve

import (
	"net/http"
)

// cards are the scenarios about the card.
var cards = []Script{
	{Name: "card-broken-html", Twin: "hello", Doc: "The address of the card answers by a web page.",
		Fault: "the card is a web page", set: func(s *stage) {
			s.onCard = func(a *Answer, q *Request) {
				a.Whole(http.StatusOK, jsonFields("text/html; charset=utf-8"), []byte("<!DOCTYPE html><title>Welcome</title><h1>It works!</h1>\n"))
			}
		}},
}
