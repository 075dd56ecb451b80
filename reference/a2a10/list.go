package a2a10

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The limits of a page of ListTasks, section 3.1.4.
const (
	defaultPage = 50
	largestPage = 100
)

// taskList is a ListTasksResponse.
type taskList struct {
	Tasks         []*Task `json:"tasks"`
	NextPageToken string  `json:"nextPageToken"`
	PageSize      int     `json:"pageSize"`
	TotalSize     int     `json:"totalSize"`
}

// filter is what a ListTasksRequest asks for.
type filter struct {
	context   string
	state     engine.State // empty: any
	since     time.Time
	size      int
	before    int // only tasks that changed earlier; 0: any
	history   *int
	artifacts bool
}

// list is ListTasks: the tasks that the caller may see, those that changed last
// first.
func (a Server) list(_ context.Context, c *front.Call) (any, *front.RPCError) {
	f, refused := a.readFilter(c)
	if refused != nil {
		return nil, refused
	}
	page := taskList{Tasks: []*Task{}, PageSize: f.size}
	last := 0
	for _, t := range a.Engine.Tasks() {
		if !a.shows(c, t.ID) || f.context != "" && t.Session != f.context || f.state != "" && t.Status.State != f.state || t.Status.Time.Before(f.since) {
			continue
		}
		page.TotalSize++
		switch {
		case f.before > 0 && t.Changed >= f.before:
		case len(page.Tasks) == f.size:
			page.NextPageToken = pageToken(last)
		default:
			last = t.Changed
			w := a.Task(t.Task, f.history)
			switch {
			case !f.artifacts:
				w.Artifacts = nil
			case w.Artifacts == nil:
				w.Artifacts = []Artifact{}
			}
			page.Tasks = append(page.Tasks, w)
		}
	}
	return page, nil
}

func (a Server) readFilter(c *front.Call) (filter, *front.RPCError) {
	var r front.Reader
	p := a.params(&r, c)
	f := filter{context: optional(p, "contextId"), size: defaultPage, history: p.Limit("historyLength")}
	if name := optional(p, "status"); name != "" && name != "TASK_STATE_UNSPECIFIED" {
		f.state = states[name]
		if f.state == "" {
			r.Fault("%s must be the name of a state.", p.Path("status"))
		}
	}
	if p.Has("pageSize") {
		f.size = a.readPageSize(p)
	}
	if a.Variant.Paged {
		f.size = min(f.size, 1)
	}
	if token := optional(p, "pageToken"); token != "" {
		var ok bool
		if f.before, ok = readPageToken(token); !ok {
			r.Fault("%s is not a token of this server.", p.Path("pageToken"))
		}
	}
	if since := optional(p, "statusTimestampAfter"); since != "" {
		var err error
		if f.since, err = time.Parse(time.RFC3339, since); err != nil {
			r.Fault("%s must be a timestamp such as 2026-01-31T12:00:00Z.", p.Path("statusTimestampAfter"))
		}
	}
	if with := p.Flag("includeArtifacts"); with != nil {
		f.artifacts = *with
	}
	return f, r.Err
}

// readPageSize reads a pageSize, which a lavish server bounds and another one
// refuses beyond the limits.
func (a Server) readPageSize(p front.Members) int {
	n, ok := p.Number("pageSize")
	size := int(n)
	switch {
	case !ok:
		return defaultPage
	case float64(size) != n:
		p.R.Fault("%s must be an integer.", p.Path("pageSize"))
	case a.Variant.Lavish:
		return min(max(size, 1), largestPage)
	case size < 1 || size > largestPage:
		p.R.Fault("%s must be from 1 to 100.", p.Path("pageSize"))
	}
	return size
}

// A page token shows where a page ended: with the change of this number.
func pageToken(change int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("before " + strconv.Itoa(change)))
}

func readPageToken(token string) (change int, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	number, is := strings.CutPrefix(string(b), "before ")
	n, e := strconv.Atoi(number)
	return n, err == nil && is && e == nil && n > 0
}
