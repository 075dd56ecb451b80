package schema

import "testing"

// The words of a protocol are those of its members, values, methods and paths, and no texts for people.
func TestWords(t *testing.T) {
	d, err := Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	words := d.Words()
	for _, want := range []string{"messageId", "TASK_STATE_COMPLETED", "SendMessage", "jsonrpc", "supportedInterfaces", "JSONRPC", "pushNotificationConfigs", "pageToken"} {
		if !words[want] {
			t.Errorf("%s is no word of %s", want, d.Title)
		}
	}
	for word := range words {
		for _, c := range word {
			if c == ' ' || c == '\n' {
				t.Errorf("%q has white space", word)
			}
		}
	}
}
