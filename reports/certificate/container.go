package certificate

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
)

// The signatures and lengths of the parts of a ZIP file.
const (
	localHeader    = "PK\x03\x04"
	localLength    = 30
	descriptor     = "PK\x07\x08"
	descriptorTail = 12 // after its signature, which some programs leave out
	afterwards     = 1 << 3
)

// harmlessExtras are the kinds of extra fields that hold times and owners only. Others name a
// file anew or give its length, which only some programs heed.
var harmlessExtras = map[uint16]bool{0x5455: true, 0x7875: true, 0x5855: true, 0x000a: true}

// checkContainer refuses a ZIP file that a program which reads it from its beginning unpacks
// otherwise than one that reads its directory: entries follow one another without a gap, and
// each has one name, one length and one place.
func checkContainer(file []byte, z *zip.Reader) error {
	at := 0
	for _, f := range z.File {
		start, err := f.DataOffset()
		if err != nil {
			return fmt.Errorf("%s cannot be read: %w", shortenText(f.Name), err)
		}
		if err := checkEntry(file, at, int(start), f); err != nil {
			return err
		}
		if f.CompressedSize64 > uint64(len(file)-int(start)) {
			return fmt.Errorf("%s reaches beyond the end of the ZIP file", shortenText(f.Name))
		}
		at = int(start) + int(f.CompressedSize64)
		if f.Flags&afterwards != 0 {
			at += descriptorLength(file[min(at, len(file)):], f)
		}
	}
	if ends := len(file) - endOfZIP - int(binary.LittleEndian.Uint32(file[len(file)-endOfZIP+12:])); at != ends {
		return fmt.Errorf("the ZIP file has %d bytes after its last entry that belong to none", ends-at)
	}
	return nil
}

// checkEntry compares the local header of an entry, at its place, with the directory.
func checkEntry(file []byte, at, start int, f *zip.File) error {
	if !bytes.HasPrefix(file[min(at, len(file)):], []byte(localHeader)) || len(file) < at+localLength {
		return fmt.Errorf("%s does not lie in the ZIP file right after the entry before it", shortenText(f.Name))
	}
	h := file[at : at+localLength]
	u16 := func(i int) int { return int(binary.LittleEndian.Uint16(h[i:])) }
	u32 := func(i int) uint64 { return uint64(binary.LittleEndian.Uint32(h[i:])) }
	name := at + localLength
	if name+u16(26)+u16(28) != start || start > len(file) {
		return fmt.Errorf("%s does not lie in the ZIP file right after the entry before it", shortenText(f.Name))
	}
	extra := file[name+u16(26) : start]
	switch local := string(file[name : name+u16(26)]); {
	case local != f.Name:
		return fmt.Errorf("the ZIP file names one entry %s in its directory and %q before its bytes", shortenText(f.Name), shortenText(local))
	case !f.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file in the ZIP file, but %s", shortenText(f.Name), f.Mode())
	case u16(8) != int(f.Method) || u16(6) != int(f.Flags):
		return fmt.Errorf("the ZIP file says in two ways how %s is packed", shortenText(f.Name))
	case f.Flags&afterwards == 0 && (u32(14) != uint64(f.CRC32) || u32(18) != f.CompressedSize64 || u32(22) != f.UncompressedSize64):
		return fmt.Errorf("the ZIP file says in two ways how long %s is", shortenText(f.Name))
	case !areHarmless(extra) || !areHarmless(f.Extra):
		return fmt.Errorf("the ZIP file has more about %s than its time and owner", shortenText(f.Name))
	case f.Comment != "":
		return fmt.Errorf("the ZIP file has a comment on %s", shortenText(f.Name))
	}
	return nil
}

// areHarmless reports whether extra fields hold nothing by which a file is unpacked otherwise.
func areHarmless(extra []byte) bool {
	for len(extra) >= 4 {
		kind, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if !harmlessExtras[kind] || len(extra) < 4+n {
			return false
		}
		extra = extra[4+n:]
	}
	return len(extra) == 0
}

// descriptorLength is how long the descriptor after an entry's bytes is.
func descriptorLength(rest []byte, f *zip.File) int {
	tail := binary.LittleEndian.AppendUint32(nil, f.CRC32)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(f.CompressedSize64))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(f.UncompressedSize64))
	if bytes.HasPrefix(rest, append([]byte(descriptor), tail...)) {
		return len(descriptor) + descriptorTail
	}
	if bytes.HasPrefix(rest, tail) {
		return descriptorTail
	}
	return 0
}
