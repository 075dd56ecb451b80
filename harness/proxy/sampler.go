package proxy

import (
	"hash/fnv"
	"io"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
)

// mostThreads bounds the tasks and contexts whose thread the sampler knows.
const mostThreads = 10_000

// sampler chooses of many threads a few: all exchanges of a thread, or none.
type sampler struct {
	of      int
	members []string          // of JSON texts, that have the id of a context
	tasks   map[string]string // the contexts of tasks
}

// newSampler makes what records one thread of so many.
func newSampler(of int, dialects []*schema.Dialect) *sampler {
	s := &sampler{of: of, tasks: map[string]string{}}
	for _, d := range dialects {
		for _, places := range d.Read {
			for _, name := range []string{"task.context", "message.context"} {
				member := path.Base(places[name])
				if places[name] != "" && !slices.Contains(s.members, member) {
					s.members = append(s.members, member)
				}
			}
		}
	}
	return s
}

// choosesThread reports whether an exchange is one of a thread that is recorded: of a context if it names one, or a task of one,
// or else of its connection.
func (s *sampler) choosesThread(p *traffic.Passed) bool {
	if s.of <= 1 {
		return true
	}
	thread := s.findContext(p)
	if thread == "" {
		thread = "connection " + strconv.Itoa(p.Connection)
	}
	h := fnv.New64a()
	io.WriteString(h, thread) // to memory
	return h.Sum64()%uint64(s.of) == 0
}

// findContext returns the context that an exchange names, or that the task is known to have which it names; "" for none.
func (s *sampler) findContext(p *traffic.Passed) string {
	if p.Out == nil {
		return ""
	}
	x := p.Out.Clone() // what is read of it is not kept
	texts := []*record.Node{x.Call().Root, x.Reply().Root}
	if x.IsStream() {
		for _, e := range x.Events()[:min(1, len(x.Events()))] {
			texts = append(texts, e.Root)
		}
	}
	var ids []string
	found := ""
	for _, root := range texts {
		for _, member := range s.members {
			for _, f := range root.Find(member) {
				if found == "" && f.Node.Kind == record.String {
					found = f.Node.String
				}
			}
		}
		ids = append(ids, listIDs(root)...)
	}
	if u, err := url.Parse(x.URL); err == nil {
		for _, segment := range strings.Split(u.Path, "/") {
			id, _, _ := strings.Cut(segment, ":")
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if found == "" {
			found = s.tasks[id]
		}
	}
	if found == "" || len(found) > record.MaxID {
		return ""
	}
	if len(s.tasks) > mostThreads {
		clear(s.tasks)
	}
	for _, id := range ids {
		if len(id) >= shortestID && len(id) <= record.MaxID {
			s.tasks[id] = found
		}
	}
	return found
}

// shortestID is how many bytes an id has at least by which a task is known again; shorter ones number calls.
const shortestID = 8

// listIDs returns the texts of the members of a JSON text that have ids.
func listIDs(root *record.Node) (out []string) {
	for _, name := range []string{"id", "taskId", "task_id"} {
		for _, f := range root.Find(name) {
			if f.Node.Kind == record.String && len(out) < maxIDs {
				out = append(out, f.Node.String)
			}
		}
	}
	return out
}

// maxIDs bounds the ids that are looked at in one text.
const maxIDs = 32
