package conform_test

import (
	"errors"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
)

// A target without URL is a mistake, also of a program that meant the bundled
// server by it.
func TestTargetWithoutURL(t *testing.T) {
	for _, target := range []conform.Target{{}, {Behaviour: conform.Behaviour{Bundled: true}}, {Dialect: "a2a-0.3", Endpoint: conform.Endpoint{Card: "http://127.0.0.1:1/card.json"}}, {Endpoint: conform.Endpoint{RPC: "http://127.0.0.1:1"}}} {
		var mistake *conform.UsageError
		if o, err := conform.Run(t.Context(), target); o != nil || !errors.As(err, &mistake) {
			t.Errorf("Run(%+v): %v, %v", target, o, err)
		}
		if p, err := conform.Probe(t.Context(), target, conform.Probing{}); p != nil || !errors.As(err, &mistake) {
			t.Errorf("Probe(%+v): %v, %v", target, p, err)
		}
	}
}
