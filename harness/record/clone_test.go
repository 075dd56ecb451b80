package record

import (
	"reflect"
	"testing"
)

// A copy has every exported member of an exchange.
func TestCloneHasAllMembers(t *testing.T) {
	x := &Exchange{ID: 1, Dir: In, URL: "u", Conn: 2, Start: 3, End: 4, Ended: EOF, Trouble: "t", Attempts: []Attempt{{}}, Request: Message{Head: []byte("h")}, Response: Message{Head: []byte("r")},
		TLS: &TLS{}, HTTP2: &HTTP2{}, Closed: &Closing{}, Canaries: []Sighting{{}}, Gaps: &Gaps{}}
	was, is := reflect.ValueOf(x).Elem(), reflect.ValueOf(x.Clone()).Elem()
	for i := range was.NumField() {
		f := was.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		if was.Field(i).IsZero() {
			t.Errorf("the test does not set %s", f.Name)
		}
		if !reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) {
			t.Errorf("the copy has another %s", f.Name)
		}
	}
	if (*Exchange)(nil).Clone() != nil {
		t.Error("there is a copy of nothing")
	}
}
