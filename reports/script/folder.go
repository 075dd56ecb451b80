package script

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Folder is the name of the folder of scripts, in the folder of the report.
const Folder = "reproduce"

// ScriptPathIfLinkable is the path of a script as a page may link to it.
func ScriptPathIfLinkable(path string) string {
	if scriptPath.MatchString(path) {
		return path
	}
	return ""
}

// ReplaceScriptsAndNotePaths writes a script for each failing requirement into dir and notes its
// path in the result. Scripts of an earlier run are removed: what does not fail
// any more needs no repeating. Nothing else is touched: no file of somebody else,
// and nothing behind a symbolic link.
func ReplaceScriptsAndNotePaths(dir string, r *report.Report, t *record.Transcript, shortest map[string]record.Excerpt) error {
	folder := filepath.Join(dir, Folder)
	if err := removeScripts(folder); err != nil {
		return err
	}
	for i := range r.Results {
		res := &r.Results[i]
		res.Reproduce = ""
		var text []byte
		switch {
		case t.Facts.Kind == record.TrafficKind: // requests of others are not sent again
		case r.Target.IsGateway():
			text = buildGatewayScript(r, res, t)
		case r.Target.IsClient():
			text = buildClientScript(r, res, t)
		default:
			text = buildScript(r, res, t, shortest)
		}
		if text == nil {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		name := res.ID + ".sh"
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil { // ours are removed by now
			return fmt.Errorf("%s is no script of this program; move it", name)
		}
		if err := files.Write(folder, name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		res.Reproduce = Folder + "/" + name
	}
	return nil
}

// removeScripts removes the scripts that an earlier run wrote into a folder.
func removeScripts(folder string) error {
	at, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !at.IsDir() {
		return errors.New("it is a link or a file, and scripts are written into a folder only")
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		id, is := strings.CutSuffix(f.Name(), ".sh")
		if name := filepath.Join(folder, f.Name()); is && f.Type().IsRegular() && scriptID.MatchString(id) && isOurScript(name, id) {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOurScript reports whether this program wrote a script: it begins with its requirement, and names
// the variable of all scripts.
func isOurScript(file, id string) bool {
	f, err := schema.OpenFile(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 64<<10))
	return err == nil && bytes.HasPrefix(head, []byte("#!/bin/sh\n# "+id+" ")) && bytes.Contains(head, []byte(scriptVariable))
}
