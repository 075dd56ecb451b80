package a2a10

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// versionHeader names the version that a client uses. The same name is taken from
// the query of the URL (section 3.6.1).
const versionHeader = "A2A-Version"

// served are the versions of a server in a binding: 0.3 is spoken over JSON-RPC alone.
func served(v front.Variant, binding string) []string {
	if v.Older && binding == front.JSONRPC {
		return []string{"0.3", "1.0"}
	}
	return []string{"1.0"}
}

var aVersion = regexp.MustCompile(`^(\d+\.\d+)(\.\d+)?$`)

// versionOf is the version that a request is to be read in, without a patch number.
// A request that names none is one of 0.3 (section 3.6.2).
func versionOf(r *http.Request) string {
	said := strings.TrimSpace(r.Header.Get(versionHeader))
	if said == "" {
		said = strings.TrimSpace(r.URL.Query().Get(versionHeader))
	}
	if said == "" {
		return "0.3"
	}
	if parts := aVersion.FindStringSubmatch(said); parts != nil {
		return parts[1]
	}
	return said
}

// judgeVersion refuses a call in a version that is not served.
func (a Server) judgeVersion(c *front.Call) *front.RPCError {
	version := versionOf(c.HTTP)
	if slices.Contains(served(a.Variant, c.Binding), version) {
		return nil
	}
	return &front.RPCError{Code: versionUnknown, Message: "Version " + version + " is not supported; supported: " + strings.Join(served(a.Variant, c.Binding), ", ")}
}
