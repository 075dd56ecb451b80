package judge

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// The excerpt of a long text is what it would be if the text had been copied.
func TestExcerptOfALongText(t *testing.T) {
	for _, body := range []string{
		`{"a": "` + strings.Repeat("Ave é ", 5000) + `", "b":` + "\n\t[1,\r\n 2]}",
		`{"a": "\"  \\", "b": "` + strings.Repeat("x\xff\xfey", 4000) + `"}`,
		`[` + strings.Repeat("\n 1 ,", 3000) + ` 2]`,
		`{"a":` + strings.Repeat(" ", 9000) + `1}`,
	} {
		x := &record.Exchange{Response: record.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(body)}}
		root := x.Reply().Root
		if root == nil {
			t.Fatalf("%.40q is not read", body)
		}
		v := Value{doc: &Document{Exchange: x, Root: root}, node: root}
		if got, want := v.makeExcerpt(), shorten.Visible(v.rawText(), mostEvident); got != want {
			t.Errorf("excerpt of %.40q\n got %q\nwant %q", body, got, want)
		}
	}
}
