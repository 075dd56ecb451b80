package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"time"

	"github.com/cli/browser"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
)

// openTimeout is how long the program that opens a page has to say that it cannot. It may go on
// as long as the page is open.
const openTimeout = 2 * time.Second

// openPage shows a page of the reports in the user's browser. If there is none, it states
// if the page is: the verdict is the same.
func openPage(errs io.Writer, dir, name string) {
	page := filepath.Join(dir, name)
	path, err := filepath.Abs(page)
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	opened := make(chan error, 1)
	go func() { opened <- browser.OpenURL((&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()) }()
	if err == nil {
		select {
		case err = <-opened:
		case <-time.After(openTimeout):
		}
	}
	if err != nil {
		fmt.Fprintf(errs, "a2a-conform: no browser could be started to open %s: %v\n", page, err)
	}
}

// openPageIfRunFinished shows the page of a run that has written its reports, whatever its verdict is, if
// that was asked for.
func openPageIfRunFinished(asked bool, errs io.Writer, dir, name string, err error) error {
	var code cli.ExitCode
	if asked && (err == nil || errors.As(err, &code)) {
		openPage(errs, dir, name)
	}
	return err
}
