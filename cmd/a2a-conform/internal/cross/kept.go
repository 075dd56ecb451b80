package cross

import (
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The folders in which pairs are kept that are finished, and what was found out of each side.
const (
	cellsName = "cells"
	sidesName = "sides"
)

// maxKept bounds a file that is read back, in bytes.
const maxKept = 1 << 20

// pairName returns the name of a pair in files.
func pairName(client, server string) string { return client + "~" + server }

// nameClientSide and nameServerSide return the names of files about one side.
func nameClientSide(client, dialect string) string { return "client." + client + "." + dialect }
func nameServerSide(server string) string          { return "server." + server }

// readKept returns a pair that was finished before; nil if there is none, or if it was run with something else.
func (r *Run) readKept(c *ClientEntry, s *ServerEntry) *crosspage.Cell {
	if r.Again {
		return nil
	}
	var cell crosspage.Cell
	if !r.readFile(cellsName, pairName(c.Name, s.Name), &cell) || cell.Key != r.keyOf(c, s) || cell.Client != c.Name || cell.Server != s.Name || !cell.IsValid() {
		return nil
	}
	return &cell
}

// readFile reads a kept file, and reports whether there was one that can be read.
func (r *Run) readFile(folder, name string, into any) bool {
	file := filepath.Join(r.Dir, folder, name+".json")
	if _, err := os.Stat(file); err != nil {
		return false
	}
	text, err := schema.ReadFile(file, maxKept)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		r.warnOperator("%s cannot be read, and is made anew: %v", file, err)
	}
	return err == nil
}

// writeFile keeps a value.
func (r *Run) writeFile(folder, name string, v any) {
	if err := files.Write(filepath.Join(r.Dir, folder), name+".json", func(w io.Writer) error { return reports.WriteDocument(w, v) }); err != nil {
		r.warnOperator("%s cannot be kept, so that the next start makes it anew: %v", name, err)
	}
}

// keepCell keeps a pair that is finished.
func (r *Run) keepCell(c *crosspage.Cell) { r.writeFile(cellsName, pairName(c.Client, c.Server), c) }

// keptServer is what is kept of a server.
type keptServer struct {
	Dialects []string `json:"dialects,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// addNotes adds notes, each once.
func (k *keptServer) addNotes(notes []string) {
	for _, note := range notes {
		if !slices.Contains(k.Notes, note) {
			k.Notes = append(k.Notes, note)
		}
	}
}

// keptCalibration is a calibration as it is kept.
type keptCalibration struct {
	Key string             `json:"key"`
	Is  record.Calibration `json:"is"`
}

// calibrationKey returns the digest of what a client was calibrated with.
func (r *Run) calibrationKey(c *ClientEntry, dialect string) string {
	return hashValues(c, dialect, r.Text, r.Second, r.Patience, r.Version)
}

func (r *Run) readKeptCalibration(c *ClientEntry, dialect string) *record.Calibration {
	var is keptCalibration
	if r.Again || !r.readFile(sidesName, nameClientSide(c.Name, dialect), &is) || is.Key != r.calibrationKey(c, dialect) {
		return nil
	}
	return &is.Is
}

func (r *Run) keepCalibration(c *ClientEntry, dialect string, is *record.Calibration) {
	r.writeFile(sidesName, nameClientSide(c.Name, dialect), keptCalibration{r.calibrationKey(c, dialect), *is})
}

// keepRecords writes the two records of a pair, each into a folder of its own, as replay reads them.
func (r *Run) keepRecords(cell *crosspage.Cell, h *traffic.Halves) {
	for _, half := range []struct {
		side string
		of   *record.Transcript
		name *string
	}{{"client", h.Client, &cell.ClientRecord}, {"server", h.Server, &cell.ServerRecord}} {
		*half.name = ""
		if len(half.of.Exchanges) == 0 {
			continue
		}
		folder := path.Join(cellsName, pairName(cell.Client, cell.Server)+"."+half.side)
		at := filepath.Join(r.Dir, filepath.FromSlash(folder))
		err := files.MakeDir(at)
		if err == nil {
			err = files.Write(at, files.TranscriptFile, func(w io.Writer) error { return record.WriteHAR(w, half.of) })
		}
		if err != nil {
			r.warnOperator("the record of the %s in %s × %s cannot be written: %v", half.side, cell.Client, cell.Server, err)
			continue
		}
		*half.name = path.Join(folder, files.TranscriptFile)
	}
}
