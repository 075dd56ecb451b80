package record

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"testing"
)

// Messages do not depend on how their body was split, and no byte is lost or made up.
func FuzzGRPCReader(f *testing.F) {
	f.Add(append(FrameGRPC([]byte("\n\x03one")), FrameGRPC(nil)...), "", 3)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("zippedzippedzipped"))
	z.Close()
	whole := FrameGRPC(packed.Bytes())
	whole[0] = 1
	f.Add(whole, "gzip", 1)
	f.Add([]byte{0, 0x80, 0, 0, 0, 1}, "", 2)
	f.Add([]byte{9, 0, 0, 0, 1, 1, 0, 0}, "br", 4)
	f.Fuzz(func(t *testing.T, body []byte, coding string, piece int) {
		whole, over := ReadGRPC(body, []Chunk{{1, len(body)}}, coding)
		var chunks []Chunk
		for left := len(body); left > 0; left -= chunks[len(chunks)-1].N {
			chunks = append(chunks, Chunk{1, min(max(1, piece), left)})
		}
		split, overToo := ReadGRPC(body, chunks, coding)
		if over != overToo || len(whole) != len(split) {
			t.Fatalf("whole %d messages, %q; split %d, %q", len(whole), over, len(split), overToo)
		}
		used := 0
		for i, m := range whole {
			if !reflect.DeepEqual(m.GRPCPrefix, split[i].GRPCPrefix) || !bytes.Equal(m.Payload, split[i].Payload) {
				t.Fatalf("message %d is %+v, and %+v where it was split", i, m, split[i])
			}
			if m.Size != len(m.Payload) || m.Size > maxGRPCBytes || m.Declared >= 0 && m.Received > m.Declared {
				t.Errorf("message %d is %+v", i, m.GRPCPrefix)
			}
			if m.Flag == 0 && m.Sound() && (int64(m.Size) != m.Declared || !bytes.Equal(m.Payload, body[used+5:used+5+m.Size])) {
				t.Errorf("message %d is not what stands at byte %d", i, used)
			}
			used += 5 + int(m.Received)
		}
		if n := len(whole); over == "" && (n == 0) != (len(body) == 0) {
			t.Errorf("%d messages in %d bytes", n, len(body))
		}
	})
}
