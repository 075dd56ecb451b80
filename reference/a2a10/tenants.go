package a2a10

import (
	"sync"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// tenants are those of the variant that keeps them apart.
var tenants = []string{"acme", "globex"}

// tenantOf is the tenant that a call names.
func tenantOf(c *front.Call) string { return front.Text(c.Params, "tenant") }

// belongings remember the tenant of each task.
type belongings struct {
	mu sync.Mutex
	of map[string]string
}

func (b *belongings) put(task, tenant string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of[task] == "" {
		b.of[task] = tenant
	}
}

func (b *belongings) get(task string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.of[task]
}

// own makes a task that of the client and of the tenant of a call.
func (a Server) own(c *front.Call, task string) {
	a.Own(c.HTTP, task)
	a.tenants.put(task, tenantOf(c))
}

// shows reports whether a call may see a task. If tenants are kept apart, it
// must be of the same one.
func (a Server) shows(c *front.Call, task string) bool {
	return a.Shows(c.HTTP, task) && (!a.Variant.Tenanted || a.tenants.get(task) == tenantOf(c))
}

// find returns the task that a call names. One of another tenant is as unknown as one
// that never was. Those of other clients are kept back before.
func (a Server) find(c *front.Call, id string) (engine.Task, error) {
	if a.Variant.Tenanted && a.tenants.get(id) != tenantOf(c) {
		return engine.Task{}, engine.ErrUnknown
	}
	return a.Engine.Task(id)
}
