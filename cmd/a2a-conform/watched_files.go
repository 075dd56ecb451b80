package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchedFiles reports when something below some paths changes.
type watchedFiles struct {
	watcher *fsnotify.Watcher
	folders []string // all below them counts
	files   []string // in other folders: only these count
	ours    string   // the folder of the reports: changes in it are our own
}

// quietPeriod is how long nothing may change before a change counts: an editor writes a file in
// several steps, and a build many files.
const quietPeriod = 250 * time.Millisecond

// watchFiles begins to watch paths, all that is below a folder included. Close it at the end.
func watchFiles(paths []string, ours string) (w *watchedFiles, err error) {
	w = &watchedFiles{}
	if w.ours, err = filepath.Abs(ours); err != nil {
		return nil, err
	}
	if w.watcher, err = fsnotify.NewWatcher(); err != nil {
		return nil, fmt.Errorf("files cannot be watched here: %w; run with --watch alone, and press Enter", err)
	}
	for _, path := range paths {
		if path, err = filepath.Abs(path); err == nil {
			err = w.watchPath(path)
		}
		if err != nil {
			w.watcher.Close()
			return nil, fmt.Errorf("%s cannot be watched: %w; name fewer or smaller folders", path, err)
		}
	}
	return w, nil
}

func (w *watchedFiles) watchPath(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		w.folders = append(w.folders, path)
		return w.watchTree(path)
	}
	// Editors put a new file in the place of the old one: its folder is watched.
	w.files = append(w.files, path)
	return w.watcher.Add(filepath.Dir(path))
}

// watchTree watches a folder and those in it.
func (w *watchedFiles) watchTree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != root: // it went away meanwhile
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path != root && w.isIgnored(path):
			return filepath.SkipDir
		}
		return w.watcher.Add(path)
	})
}

// isIgnored reports whether a path is no source of a server: hidden, installed, or a report.
func (w *watchedFiles) isIgnored(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") || name == "node_modules" || isWithin(path, w.ours)
}

// isRelevant reports whether an event is a change of what is watched.
func (w *watchedFiles) isRelevant(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod || isWithin(e.Name, w.ours) {
		return false
	}
	inside := func(folder string) bool { return e.Name != folder && isWithin(e.Name, folder) }
	return slices.Contains(w.files, e.Name) || slices.ContainsFunc(w.folders, inside) && !w.isIgnored(e.Name)
}

// reportChangesOnceQuiet sends the name of a changed file once nothing has changed for a moment, until the
// context ends. While no one takes it, further changes are the same news.
func (w *watchedFiles) reportChangesOnceQuiet(ctx context.Context, changed chan<- string) {
	var name string
	quiet := time.NewTimer(0)
	<-quiet.C
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.watcher.Events:
			if !ok {
				return
			}
			if !w.isRelevant(e) {
				continue
			}
			if info, err := os.Stat(e.Name); err == nil && info.IsDir() && e.Has(fsnotify.Create) {
				_ = w.watchTree(e.Name) // if it cannot be watched, its files are not news
			}
			name = e.Name
			quiet.Reset(quietPeriod)
		case <-w.watcher.Errors: // events were lost: something changed
			quiet.Reset(quietPeriod)
		case <-quiet.C:
			select {
			case changed <- name:
			default:
			}
		}
	}
}
