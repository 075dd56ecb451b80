package conversation

import (
	"testing"
)

func TestArrangeQuery(t *testing.T) {
	order := []string{"contextId", "status"}
	for address, want := range map[string]string{
		"http://h/tasks":                           "http://h/tasks",
		"http://h/tasks?":                          "http://h/tasks?",
		"http://h/tasks?status=a&contextId=b%26":   "http://h/tasks?contextId=b%26&status=a",
		"http://h/tasks?k=1&status=a&status=b&z=2": "http://h/tasks?k=1&z=2&status=a&status=b",
	} {
		if got := arrangeQuery(address, order); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := arrangeQuery(address, nil); got != address {
			t.Errorf("without an order got %s, want %s", got, address)
		}
	}
}
