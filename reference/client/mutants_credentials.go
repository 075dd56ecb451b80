package client

import (
	"fmt"
	"net/http"
	"strings"
)

// credentialMutants show credentials in the wrong way, or carry them too far.
var credentialMutants = []mutant{
	{name: "credentials-with-send-only", variant: "polling", summary: "shows its credentials with messages alone",
		habit: editRequests(func(c *call, r *http.Request) {
			if c.op != send && c.op != stream {
				removeCredentials(r, c)
			}
		})},
	{name: "credentials-never", summary: "shows no credentials",
		habit: editRequests(func(c *call, r *http.Request) { removeCredentials(r, c) })},
	{name: "extended-card-without-credentials", variant: "extended", summary: "asks for the extended card without credentials",
		habit: editRequests(func(c *call, r *http.Request) {
			if c.op == extendedCard {
				removeCredentials(r, c)
			}
		})},
	{name: "credentials-in-metadata", summary: "puts its token into the metadata of messages too",
		habit: func(h *habits) { h.beforeSending = putCredentialsIntoMetadata }},
	{name: "credentials-with-card", summary: "shows its credentials when it asks for the public card",
		habit: func(h *habits) { h.credentialsEverywhere = true }},
	{name: "credentials-first-alternative", summary: "looks at the first of alternative requirements alone",
		habit: func(h *habits) { h.firstAlternative = true }},
	{name: "credentials-first-scheme", summary: "shows one credential where the card demands two together",
		habit: func(h *habits) { h.firstScheme = true }},
	{name: "basic-as-bearer", summary: "shows user and password as Bearer",
		habit: func(h *habits) { h.allBearer = true }},
	{name: "token-without-scheme", variant: "extended", summary: "shows its token without the word Bearer",
		habit: editRequests(func(_ *call, r *http.Request) {
			if token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is {
				r.Header.Set("Authorization", token)
			}
		})},
	{name: "keys-in-header", summary: "shows API keys in a header, wherever the card wants them",
		habit: func(h *habits) { h.keysInHeader = true }},
	{name: "token-from-elsewhere", summary: "asks a usual address for its token, whatever the card names",
		habit: func(h *habits) { h.guessesTokenURL = true }},
	{name: "credentials-by-http", summary: "shows its credentials at an interface of plain HTTP, though the card came by TLS",
		habit: func(h *habits) { h.credentialsByHTTP = true }},
	{name: "pkce-ignored", dialect: "a2a-1.0", variant: "reporting", summary: "goes through the authorization code flow without PKCE",
		habit: func(h *habits) { h.withoutProofKey = true }},
	{name: "https-becomes-http", summary: "calls the interfaces of the card by plain HTTP",
		habit: func(h *habits) { h.httpsBecomesHTTP = true }},
	{name: "credentials-printed", summary: "prints the credentials that it shows",
		habit: func(h *habits) { h.beforeSending = printCredentials }},
	{name: "redirect-with-credentials", summary: "follows redirects to other origins, with its credentials",
		habit: func(h *habits) { h.leavesOrigin, h.carriesCredentials = true, true }},
	{name: "redirect-with-message", summary: "follows redirects to other origins, with the message",
		habit: func(h *habits) { h.leavesOrigin = true }},
	{name: "redirect-becomes-get", summary: "follows 301, 302 and 303 by GET",
		habit: func(h *habits) { h.postBecomesGet = true }},
}

// editRequests makes a habit of editing requests that have their credentials.
func editRequests(edit func(c *call, r *http.Request)) func(*habits) {
	return func(h *habits) { h.afterCredentials = edit }
}

// removeCredentials takes every credential out of a request.
func removeCredentials(r *http.Request, c *call) {
	r.Header.Del("Authorization")
	r.Header.Del("Cookie")
	for _, shown := range c.session.chooseCredentials(c.op) {
		if shown.kind == keyScheme {
			r.Header.Del(shown.name)
			q := r.URL.Query()
			q.Del(shown.name)
			r.URL.RawQuery = q.Encode()
		}
	}
}

// putCredentialsIntoMetadata puts the credentials that are demanded into the metadata of a message.
func putCredentialsIntoMetadata(c *call) {
	if m := c.getMessage(); m != nil {
		for _, shown := range c.session.chooseCredentials(c.op) {
			m["metadata"] = object{"token": shown.value}
		}
	}
}

// printCredentials prints the credentials of a call.
func printCredentials(c *call) {
	for _, shown := range c.session.chooseCredentials(c.op) {
		fmt.Fprintf(c.session.options.Stderr, "%s: %s\n", shown.name, shown.value)
	}
}
