package record

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"
)

// What has a coding is decoded within bounds, and whatever is wrong with it is told.
func FuzzDecode(f *testing.F) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(`{"jsonrpc":"2.0"}`))
	z.Close()
	for _, body := range [][]byte{packed.Bytes(), packed.Bytes()[:packed.Len()-8], packed.Bytes()[:packed.Len()-1], append(bytes.Clone(packed.Bytes()), "more"...), []byte("no gzip"), {0x1f, 0x8b}} {
		f.Add("gzip", body)
		f.Add("br", body)
	}
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		m := Message{Body: bytes.Clone(body), Framing: Framing{Declared: -1}}
		trouble := m.Decode(coding, true)
		if len(m.Body) > MaxBody {
			t.Errorf("%d bytes are kept", len(m.Body))
		}
		whole := false
		if r, err := gzip.NewReader(bytes.NewReader(body)); err == nil && (coding == "gzip" || coding == "x-gzip") {
			var text bytes.Buffer
			_, err = text.ReadFrom(io.LimitReader(r, MaxBody+1))
			whole = err == nil && bytes.Equal(text.Bytes(), m.Body)
		}
		if !whole && trouble == "" && len(m.Framing.Faults) < 2 {
			t.Errorf("nothing is said of what is wrong: %+v", m.Framing)
		}
	})
}
