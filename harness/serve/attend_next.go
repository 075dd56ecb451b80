package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// nextFile is what a run with a client that is used by hand leaves for ChooseScenario.
type nextFile struct {
	Page string `json:"page"` // the address of the page, which contains its token
}

// maxNextFile is how many bytes such a file has at most, and maxChoice the answer to a choice.
const (
	maxNextFile = 4 << 10
	maxChoice   = 64 << 10
)

// DefaultNextFile returns the file by which commands find the run of this user.
func DefaultNextFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "a2a-conform", "attached.json"), nil
}

// writeNextFile writes the file by which ChooseScenario finds the run, for this user only. remove removes it again, unless
// another run has written its own by then.
func (a *attendance) writeNextFile(page string) (remove func(), err error) {
	remove = func() {}
	if a.NextFile == "" {
		return remove, nil
	}
	text, err := json.Marshal(nextFile{page})
	if err != nil {
		return remove, err
	}
	dir := filepath.Dir(a.NextFile)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return remove, err
	}
	f, err := os.CreateTemp(dir, ".attached-") // which only this user may read
	if err != nil {
		return remove, err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), a.NextFile)
	}
	if err != nil {
		os.Remove(f.Name())
		return remove, err
	}
	return func() {
		if now, err := schema.ReadFile(a.NextFile, maxNextFile); err == nil && string(now) == string(text) {
			os.Remove(a.NextFile)
		}
	}, nil
}

// ChooseScenario has the run that left a file go on to a scenario: the next one that had no request if the name is "".
// It returns that scenario with what the operator does now.
func ChooseScenario(ctx context.Context, file, scenario string) (*livepage.Scenario, error) {
	text, err := schema.ReadFile(file, maxNextFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("no run waits for a client that is used by hand; start one with a2a-conform client --listen 127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	var of nextFile
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("%s is no file of such a run (%w); remove it", file, err)
	}
	page, err := url.Parse(of.Page)
	if err != nil || page.Scheme != "http" || !isLoopbackHost(page.Hostname()) {
		return nil, fmt.Errorf("%s names no page of this machine; remove it", file)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, page.JoinPath("next").String(), strings.NewReader(url.Values{"scenario": {scenario}}.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	transport := &http.Transport{Proxy: nil} // this machine is reached by none
	defer transport.CloseIdleConnections()
	caller := http.Client{Transport: transport, Timeout: nextWait, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	stale := func(why string) error {
		return fmt.Errorf("%s is left from a run that is over (%s); start one with a2a-conform client --listen 127.0.0.1:0", file, why)
	}
	resp, err := caller.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, stale("nothing answers there")
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxChoice))
	if err != nil {
		return nil, fmt.Errorf("the run did not answer in full: %w", err)
	}
	switch resp.StatusCode {
	case http.StatusOK:
		var now livepage.Scenario
		if err := json.Unmarshal(body, &now); err != nil || now.Name == "" {
			return nil, stale("something else answers there")
		}
		return &now, nil
	case http.StatusConflict:
		var refused struct{ Error string }
		if err := json.Unmarshal(body, &refused); err == nil && refused.Error != "" {
			return nil, errors.New(shorten.Visible(refused.Error, 500))
		}
	}
	return nil, stale("something else answers there")
}

// nextWait is how long a run may take to go on to another scenario.
const nextWait = 20 * time.Second

// isLoopbackHost reports whether a host is an address of this machine that no other can reach.
func isLoopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
