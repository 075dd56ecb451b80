package record

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	json "github.com/go-json-experiment/json/v1"
)

// Bounds of a HAR file that is read, in addition to those of what its exchanges take in
// memory. No run writes more.
const (
	maxHARFile   = 256 << 20 // bytes
	maxHAREntry  = 48 << 20  // bytes of an entry, or of another member
	maxHARValues = 1 << 19   // values of one
)

// readHAR takes a file apart entry by entry. What goes beyond the bounds of a run is refused as soon as that shows.
func readHAR(r io.Reader) (*harReader, error) {
	d := &harReader{harWalker: newHARWalker(r, "a transcript of a run")}
	return d, d.walkFile(func() error {
		if err := d.refuseSecond("log"); err != nil {
			return err
		}
		return d.readObject(d.readLogMember)
	})
}

// WalkHAR reads a HAR file of any origin value by value, so that it is never in memory as a whole: it calls entry with each
// entry, and member with each other member of log. The error is one of theirs, or states what is wrong with the file.
func WalkHAR(r io.Reader, member func(name string, value jsontext.Value) error, entry func(i int, value jsontext.Value) error) error {
	w := newHARWalker(r, "a HAR file that can be read")
	return w.walkFile(func() error {
		return w.readObject(func(name string) error {
			if name == "entries" {
				return w.readArray(func(i int) error {
					value, err := w.readText()
					if err != nil {
						return err
					}
					return entry(i, value)
				})
			}
			value, err := w.readText()
			if err != nil {
				return err
			}
			return member(name, value)
		})
	})
}

// harWalker goes through a HAR file value by value, within bounds.
type harWalker struct {
	whole *io.LimitedReader
	in    *limitedReader
	dec   *jsontext.Decoder
	noun  string // what the file should be, for errors
}

func newHARWalker(r io.Reader, noun string) harWalker {
	whole := &io.LimitedReader{R: r, N: maxHARFile}
	in := &limitedReader{r: whole}
	return harWalker{whole, in, jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), noun}
}

// walkFile reads the object that a HAR file is, and calls log at the beginning of its log.
func (w *harWalker) walkFile(log func() error) error {
	err := w.readObject(func(name string) error {
		if name != "log" {
			return w.skipValue()
		}
		return log()
	})
	switch {
	case w.in.shut:
		return fmt.Errorf("not %s: one of its entries is larger than %d MiB", w.noun, maxHAREntry>>20)
	case w.whole.N == 0:
		return fmt.Errorf("not %s: the file is larger than %d MiB", w.noun, maxHARFile>>20)
	case err != nil:
		return err
	}
	if _, err := w.dec.ReadToken(); err != io.EOF {
		return fmt.Errorf("not a HAR file: something follows its end at byte %d", w.dec.InputOffset())
	}
	return nil
}

type harReader struct {
	harWalker
	file      harFile
	exchanges []*Exchange
	began     *time.Time     // the run, by the first entry
	shown     []viewerBodies // to be compared when the services are known
	broken    error          // what is wrong with the first entry that is not ours
	budget    MemoryBudget
	read      []string // members that were read and may not be there again
}

// refuseSecond refuses a member that is there for the second time: another reader may take the other.
func (d *harReader) refuseSecond(member string) error {
	if slices.Contains(d.read, member) {
		return fmt.Errorf("not a transcript of a run: it has %s twice", member)
	}
	d.read = append(d.read, member)
	return nil
}

func (d *harReader) readLogMember(name string) error {
	if name != "entries" && name != "_a2aConform" {
		return d.skipValue()
	}
	if err := d.refuseSecond("log." + name); err != nil {
		return err
	}
	if name == "entries" {
		return d.readEntries()
	}
	return d.readValue(&d.file.Log.Conform)
}

func (d *harReader) readEntries() error {
	return d.readArray(func(i int) error {
		if d.broken != nil { // it may be a file of another origin, which is reported first
			return d.skipValue()
		}
		var e harEntry
		if err := d.readValue(&e); err != nil {
			return err
		}
		if e.ID != i+1 {
			d.broken = fmt.Errorf("log.entries[%d]._id is %d: entries are missing or out of order", i, e.ID)
			return nil
		}
		x, err := fromEntry(e)
		if err != nil {
			d.broken = fmt.Errorf("log.entries[%d]: %w", i, err)
			return nil
		}
		if err := compareEntry(&e, x); err != nil {
			d.broken = fmt.Errorf("log.entries[%d].%w", i, err)
			return nil
		}
		if d.began == nil {
			d.began = new(runStart(&e))
		} else if !d.began.Equal(runStart(&e)) {
			d.broken = fmt.Errorf("log.entries[%d].startedDateTime is %s, but by its _start and log.entries[0] it is %s", i, e.Started.Format(time.RFC3339Nano), d.began.Add(e.Start).Format(time.RFC3339Nano))
			return nil
		}
		if n := len(x.Response.Body); n > maxHARBody {
			return fmt.Errorf("not a transcript of a run: log.entries[%d] has a body of %d bytes; a run keeps at most %d MiB of one", i, n, MaxBody>>20)
		}
		d.budget.countExchange(x)
		x.observed = observed{} // as if it had not been looked at
		if why := d.budget.describeExceededBound(); why != "" {
			return fmt.Errorf("not a transcript of a run: %s by log.entries[%d], and a run keeps less; leave exchanges out, or record it anew", why, i)
		}
		d.exchanges = append(d.exchanges, x)
		if x.HTTP2 != nil {
			d.shown = append(d.shown, viewerBodies{x, postOrEmpty(e.Request.PostData), e.Response.Content.Text})
		}
		return nil
	})
}

// maxHARBody leaves room for the marks that stand for secrets, which may be longer
// than what they stand for.
const maxHARBody = 3 * MaxBody

// readArray reads the elements of an array; a value of another kind has none.
func (w *harWalker) readArray(element func(i int) error) error {
	if w.dec.PeekKind() != '[' {
		return w.skipValue()
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return wrapHARError(err)
	}
	for i := 0; w.dec.PeekKind() != ']'; i++ {
		if err := element(i); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return wrapHARError(err)
}

// readObject reads the members of an object.
func (w *harWalker) readObject(member func(name string) error) error {
	if kind := w.dec.PeekKind(); kind != '{' && kind != 0 {
		return errors.New("not a HAR file: expected a JSON object")
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return wrapHARError(err)
	}
	for w.dec.PeekKind() != '}' {
		name, err := w.dec.ReadToken()
		if err != nil {
			return wrapHARError(err)
		}
		if err := member(name.String()); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return wrapHARError(err)
}

// readText reads the text of one value, which is valid until the next one is read.
func (w *harWalker) readText() (jsontext.Value, error) {
	w.in.passed = 0
	text, err := w.dec.ReadValue()
	if err != nil {
		return nil, wrapHARError(err)
	}
	if n := CountValues(text); n > maxHARValues {
		return nil, fmt.Errorf("not %s: one of its entries has about %d values", w.noun, n)
	}
	return text, nil
}

// readValue reads one value into v.
func (w *harWalker) readValue(v any) error {
	text, err := w.readText()
	if err != nil {
		return err
	}
	return wrapHARError(json.Unmarshal(text, v))
}

func (w *harWalker) skipValue() error {
	w.in.passed = 0
	return wrapHARError(w.dec.SkipValue())
}

func wrapHARError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not a HAR file: it ends too early")
	}
	if bad := base64.CorruptInputError(0); errors.As(err, &bad) {
		err = bad
	}
	return fmt.Errorf("not a HAR file: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
}

// limitedReader lets so many bytes pass for one value.
type limitedReader struct {
	r      io.Reader
	passed int
	shut   bool
}

func (t *limitedReader) Read(p []byte) (int, error) {
	if t.passed > maxHAREntry {
		t.shut = true
		return 0, errors.New("one value is too large")
	}
	n, err := t.r.Read(p)
	t.passed += n
	return n, err
}

// CountValues returns about how many values a JSON text has, by its punctuation
// outside of strings; what takes memory to read is known before it is read.
func CountValues(text []byte) int {
	n := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', '[', '{':
			n++
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return n
}
