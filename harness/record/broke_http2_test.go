package record

import "testing"

// A server that leaves HTTP/2 has answered, and one that says nothing, or that it took no call, has not.
func TestBrokeHTTP2(t *testing.T) {
	settings := HTTP2Frame{Type: "SETTINGS"}
	for _, c := range []struct {
		name    string
		ended   Ended
		trouble string
		frames  []HTTP2Frame
		want    bool
	}{
		{"it leaves the protocol", Reset, HTTP2Trouble + "DATA came before the head of the response", []HTTP2Frame{settings, {Type: "DATA", Stream: 1}}, true},
		{"it resets the stream", Reset, "", []HTTP2Frame{settings, {Type: "RST_STREAM", Stream: 1, Code: "INTERNAL_ERROR"}}, true},
		{"it refuses the stream", Reset, "", []HTTP2Frame{settings, {Type: "RST_STREAM", Stream: 1, Code: "REFUSED_STREAM"}}, false},
		{"it says goodbye with an error", Reset, "", []HTTP2Frame{settings, {Type: "GOAWAY", Code: "PROTOCOL_ERROR"}}, true},
		{"it says goodbye", Reset, "", []HTTP2Frame{settings, {Type: "GOAWAY", Code: "NO_ERROR"}}, false},
		{"it floods", Limit, "", []HTTP2Frame{settings}, true},
		{"it sends a head without a status", EOF, "", []HTTP2Frame{settings, {Type: "HEADERS", Stream: 1}}, true},
		{"it is silent", Timeout, "", []HTTP2Frame{settings}, false},
		{"it is gone", Reset, "the connection closed before the head of a response", []HTTP2Frame{settings}, false},
		{"we give up", Reset, "", []HTTP2Frame{settings, {Type: "RST_STREAM", Sent: true, Stream: 1, Code: "INTERNAL_ERROR"}}, false},
		{"it speaks another protocol", Reset, HTTP2Trouble + "a 0x50 frame was announced", []HTTP2Frame{{Type: "0x50"}}, false},
		{"nothing came", Reset, "", nil, false},
	} {
		x := &Exchange{Dir: Out, Ended: c.ended, Trouble: c.trouble, HTTP2: &HTTP2{Frames: c.frames}}
		if got := x.BrokeHTTP2(); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if (&Exchange{Ended: Limit}).BrokeHTTP2() || (*Exchange)(nil).BrokeHTTP2() {
		t.Error("an exchange without HTTP/2 broke it")
	}
}

// A stream that is reset because of load limits calls, unless an answer had begun.
func TestResetForLoad(t *testing.T) {
	for code, want := range map[string][2]bool{"REFUSED_STREAM": {true, true}, "ENHANCE_YOUR_CALM": {true, false}, "INTERNAL_ERROR": {}, "CANCEL": {}} {
		x := &Exchange{Dir: Out, Ended: Reset, HTTP2: &HTTP2{Frames: []HTTP2Frame{{Type: "RST_STREAM", Stream: 1, Code: code}}}}
		if limits, repeatable := x.ResetForLoad(); [2]bool{limits, repeatable} != want {
			t.Errorf("%s: got %v, %v", code, limits, repeatable)
		}
		x = &Exchange{Dir: Out, Ended: Reset, HTTP2: x.HTTP2, Response: Message{Head: []byte("HTTP/2 200\r\n\r\n")}}
		if limits, _ := x.ResetForLoad(); limits {
			t.Errorf("%s after the head of an answer limits calls", code)
		}
	}
	if limits, _ := (&Exchange{}).ResetForLoad(); limits {
		t.Error("an exchange without HTTP/2 limits calls")
	}
}
