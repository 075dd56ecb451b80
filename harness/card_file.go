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

// cardFile returns the name of the file that holds the card; "" if the card has a URL.
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

// givenCard reads the operator's card file once. The record has no exchange on the network, and
// only the base name of the file, because its folders are of no interest to readers of a report.
func (t *target) givenCard() (*record.Exchange, error) {
	name := t.cardFile()
	if name == "" {
		return nil, nil
	}
	f, err := schema.OpenFile(name)
	if err != nil { // The name may be a URL with a secret in it.
		return nil, usageErrorf("--card %s: the file cannot be read: %v; a URL begins with http:// or https://", redact.StripSecrets(name), unwrapPathError(err))
	}
	defer f.Close()
	body, err := readCard(f)
	if err != nil {
		return nil, usageErrorf("--card %s: %v", name, err)
	}
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(filepath.Base(name))}
	return givenExchange(address.String(), body), nil
}

// unwrapPathError returns why a file cannot be read, without the file's name.
func unwrapPathError(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

func readCard(from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, maxCardFile+1))
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read: %w", unwrapPathError(err))
	}
	if len(text) > maxCardFile {
		return nil, fmt.Errorf("the file is larger than %d MiB; an agent card must be a JSON object of at most that size", maxCardFile>>20)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // An editor may have added it.
	root, faults := record.ObserveJSON(text)
	for _, fault := range faults {
		switch fault.Kind {
		case record.FaultEmpty, record.FaultNotJSON, record.FaultTooDeep, record.FaultTooLarge, record.FaultTrailingBytes, record.FaultInvalidUTF8:
			return nil, fmt.Errorf("the file is not a JSON object: %s", describeJSONFault(text, fault))
		}
	}
	if root.Kind != record.Object {
		return nil, fmt.Errorf("the file holds JSON, but not an object; an agent card must be a JSON object")
	}
	return text, nil
}

// describeJSONFault describes what is wrong with a JSON text, and in which line.
func describeJSONFault(text []byte, fault record.JSONFault) string {
	if fault.Kind == record.FaultEmpty {
		return "it is empty"
	}
	line := 1 + bytes.Count(text[:min(fault.Offset, len(text))], []byte("\n"))
	return fmt.Sprintf("line %d: %s", line, sanitizeAndShorten(fault.Detail))
}
