package record

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
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

// packBrotli writes a text in the coding of browsers.
func packBrotli(text []byte) []byte {
	var packed bytes.Buffer
	z := brotli.NewWriter(&packed)
	z.Write(text)
	z.Close()
	return packed.Bytes()
}

// What others exchange in a coding is decoded; of what is broken, or larger than may be kept, nothing is.
func TestDecodePassed(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	packed := packBrotli(text)
	for name, c := range map[string]struct{ body, want []byte }{
		"whole":     {packed, text},
		"cut off":   {packed[:len(packed)-4], nil},
		"no brotli": {[]byte("{}{}{}{}"), nil},
		"too large": {packBrotli(make([]byte, MaxBody+1)), nil},
	} {
		m := Message{Body: bytes.Clone(c.body), Framing: Framing{Declared: -1}}
		if trouble := m.DecodePassed("br"); !bytes.Equal(m.Body, c.want) || (trouble == "") != (c.want != nil) {
			t.Errorf("%s: got %d bytes, want %d; %q", name, len(m.Body), len(c.want), trouble)
		}
	}
}

// Whatever comes in a coding of others is decoded within bounds, and nothing is kept of what has trouble.
func FuzzDecodePassed(f *testing.F) {
	whole := packBrotli([]byte(`{"jsonrpc":"2.0"}`))
	for _, body := range [][]byte{whole, whole[:len(whole)-3], append(bytes.Clone(whole), "more"...), packBrotli(make([]byte, 1<<20)), {0x1f, 0x8b}} {
		f.Add("br", body)
		f.Add("gzip", body)
	}
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		m := Message{Body: bytes.Clone(body), Framing: Framing{Declared: -1}}
		if trouble := m.DecodePassed(coding); trouble != "" && len(m.Body) > 0 || len(m.Body) > MaxBody {
			t.Errorf("%d bytes are kept in spite of %q", len(m.Body), trouble)
		}
	})
}
