package harness

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// maxCardFile bounds what is read of a file; cards are a few kilobytes.
const maxCardFile = 1 << 20

// cardFile is the file that holds the card; "" where the card has a URL.
func (t *target) cardFile() string {
	if rest, ok := strings.CutPrefix(t.Card, "file:"); ok {
		if u, err := url.Parse(t.Card); err == nil && u.Path != "" {
			return u.Path
		}
		return rest
	}
	if strings.Contains(t.Card, "://") {
		return ""
	}
	return t.Card
}

// givenCard reads the card that the operator has in a file, once. Nothing was
// said for it on the wire. The record bears the name of the file without the
// folders that it lies in, which are nobody's business who reads a report.
func (t *target) givenCard() (*record.Exchange, error) {
	name := t.cardFile()
	if name == "" {
		return nil, nil
	}
	f, err := schema.OpenFile(name)
	if err != nil { // it may have been meant as a URL, with a secret in it
		return nil, usage("--card %s: the file cannot be read: %v; a URL begins with http:// or https://", redact.StripSecrets(name), reason(err))
	}
	defer f.Close()
	body, err := readCard(f)
	if err != nil {
		return nil, usage("--card %s: %v", name, err)
	}
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(filepath.Base(name))}
	return &record.Exchange{Dir: record.Given, URL: address.String(), Ended: record.EOF,
		Response: record.Message{Body: body, Framing: record.Framing{Kind: "none", Declared: -1, Received: int64(len(body))}}}, nil
}

// reason is why a file could not be read, without its name.
func reason(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

func readCard(from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxCardFile+1))
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", reason(err))
	}
	if len(text) > maxCardFile {
		return nil, fmt.Errorf("the file is larger than %d MiB; an agent card must be a JSON object of at most that size", maxCardFile>>20)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // which editors write, and no server sent
	root, faults := record.ObserveJSON(text)
	for _, fault := range faults {
		switch fault.Kind {
		case record.FaultEmpty, record.FaultNotJSON, record.FaultTooDeep, record.FaultTooLarge, record.FaultTrailingBytes, record.FaultInvalidUTF8:
			return nil, fmt.Errorf("the file is not a JSON object: %s", wrong(text, fault))
		}
	}
	if root.Kind != record.Object {
		return nil, fmt.Errorf("the file holds JSON, but not an object; an agent card must be a JSON object")
	}
	return text, nil
}

// wrong says what is wrong with a text, and in which line.
func wrong(text []byte, fault record.JSONFault) string {
	if fault.Kind == record.FaultEmpty {
		return "it is empty"
	}
	line := 1 + bytes.Count(text[:min(fault.Offset, len(text))], []byte("\n"))
	return fmt.Sprintf("line %d: %s", line, printable(fault.Detail))
}
