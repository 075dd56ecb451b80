package certificate

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"time"
)

// MaxFile is how large a certificate may be, in bytes.
const MaxFile = 20 << 20

// members are the files of a certificate, and how large each may be when it is unpacked, in
// bytes.
var members = []member{{EnvelopeFile, 1 << 20}, {ReportFile, 24 << 20}, {TranscriptFile, MaxFile}, {SummaryFile, 1 << 20}, {PageFile, 48 << 20}}

type member struct {
	name string
	most int64
}

// isOptional reports whether a certificate may lack the file.
func (m member) isOptional() bool { return m.name == SummaryFile }

// maxTranscript is how large a transcript may be when it is unpacked, in bytes.
const maxTranscript = 256 << 20

// zipCertificateFiles writes the files of a certificate into one.
func zipCertificateFiles(files map[string][]byte, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		if n := int64(len(files[m.name])); n > m.most {
			return nil, fmt.Errorf("%s has %d MiB, and a certificate takes at most %d of it; leave conversations out with --skip or --area", m.name, n>>20, m.most>>20)
		}
		method := zip.Deflate
		if m.name == TranscriptFile {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: method, Modified: at.UTC()})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[m.name]); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if b.Len() > MaxFile {
		return nil, fmt.Errorf("the certificate would have %d MiB; the most are %d: leave conversations out with --skip or --area", b.Len()>>20, MaxFile>>20)
	}
	return b.Bytes(), nil
}

// The end of a ZIP file without a comment.
const endOfZIP = 22

// maxDirectory bounds the directory of the files, in bytes.
const maxDirectory = 4 << 10

// checkZIPStructure refuses what is no ZIP file of these files, before a reader takes it apart: one of
// many small entries would take much memory.
func checkZIPStructure(b []byte) error {
	switch {
	case len(b) > MaxFile:
		return fmt.Errorf("the file is larger than %d MiB, which no certificate is", MaxFile>>20)
	case len(b) == 0:
		return errors.New("the file is empty")
	case !bytes.HasPrefix(b, []byte("PK\x03\x04")):
		return errors.New("the file is no certificate: it is not in the ZIP format")
	case len(b) < endOfZIP || !bytes.HasPrefix(b[len(b)-endOfZIP:], []byte("PK\x05\x06")):
		return errors.New("the file is cut short, or something was added to its end")
	}
	end := b[len(b)-endOfZIP:]
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(end[at:])) }
	size, offset := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	switch {
	case u16(10) != len(members) && u16(10) != len(members)-1:
		return fmt.Errorf("the file has %d entries; a certificate has %d: %s", u16(10), len(members), memberNames())
	case size > maxDirectory || offset+size != int64(len(b)-endOfZIP):
		return errors.New("the directory of the ZIP file is not where it says it is")
	}
	return nil
}

func memberNames() string {
	var out []string
	for _, m := range members {
		out = append(out, m.name)
	}
	return strings.Join(out, ", ")
}

// unzipCertificateFiles reads the files of a certificate. Nothing in it is trusted: it takes no more memory
// than the bounds of its files.
func unzipCertificateFiles(b []byte) (map[string][]byte, error) {
	if err := checkZIPStructure(b); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("the ZIP file cannot be read: %w", err)
	}
	out := map[string][]byte{}
	for _, f := range z.File {
		i := slices.IndexFunc(members, func(m member) bool { return m.name == f.Name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("the file holds %q; a certificate holds only %s", f.Name, memberNames())
		case out[f.Name] != nil:
			return nil, fmt.Errorf("the file holds %s twice", f.Name)
		case f.Flags&1 != 0:
			return nil, fmt.Errorf("%s is encrypted", f.Name)
		}
		if out[f.Name], err = readMember(f, members[i].most); err != nil {
			return nil, err
		}
	}
	for _, m := range members {
		if out[m.name] == nil && !m.isOptional() {
			return nil, fmt.Errorf("the file lacks %s", m.name)
		}
	}
	return out, checkContainer(b, z)
}

func readMember(f *zip.File, most int64) ([]byte, error) {
	if f.UncompressedSize64 > uint64(most) {
		return nil, tooLarge(f.Name, most)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", f.Name, err)
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case int64(len(b)) > most:
		return nil, tooLarge(f.Name, most)
	case err != nil:
		return nil, fmt.Errorf("%s is damaged: %w", f.Name, err)
	case len(b) == 0:
		return nil, fmt.Errorf("%s is empty", f.Name)
	}
	return b, nil
}

func tooLarge(name string, most int64) error {
	return fmt.Errorf("%s unpacks to more than %d MiB, which no run writes", name, most>>20)
}

// compressTranscript packs a transcript.
func compressTranscript(har []byte) ([]byte, error) {
	var b bytes.Buffer
	err := compressTo(&b, bytes.NewReader(har))
	return b.Bytes(), err
}

func compressTo(w io.Writer, har io.Reader) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := io.Copy(z, har); err != nil {
		return err
	}
	return z.Close()
}

// expansion unpacks a transcript while it is read, bounded, and takes its digest.
type expansion struct {
	in   *bytes.Reader
	z    *gzip.Reader
	sum  hash.Hash
	left int64
}

func openTranscriptExpander(packed []byte) (*expansion, error) {
	in := bytes.NewReader(packed)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%s is not in the gzip format", TranscriptFile)
	}
	if h := z.Header; h.Name != "" || h.Comment != "" || len(h.Extra) > 0 || !h.ModTime.IsZero() {
		return nil, fmt.Errorf("%s has a name, a comment or a time in its gzip header, which attest does not write", TranscriptFile)
	}
	z.Multistream(false)
	return &expansion{in, z, sha256.New(), maxTranscript}, nil
}

// checkEnd refuses a transcript with something after it that was not read.
func (e *expansion) checkEnd() error {
	if n := e.in.Len(); n > 0 {
		return fmt.Errorf("%s has %d bytes after its end, which other programs unpack too", TranscriptFile, n)
	}
	return nil
}

func (e *expansion) Read(p []byte) (int, error) {
	n, err := e.z.Read(p)
	e.sum.Write(p[:n])
	if e.left -= int64(n); e.left < 0 {
		return n, tooLarge(TranscriptFile, maxTranscript)
	}
	return n, err
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
