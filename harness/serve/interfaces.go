package serve

import "strings"

// interfaces are the scenarios about the choice of an interface. Each offers both bindings, unless it is
// about one of them.
var interfaces = []Script{
	{Name: "interfaces-order", Twin: "hello", Asks: []string{hasInterfaces}, Doc: "Each binding is there twice, at different paths.",
		set: listFaces(func(s *stage) []face {
			return []face{{binding: jsonRPC, path: "/first/rpc"}, {binding: jsonRPC, path: "/second/rpc"}, {binding: httpJSON, path: "/first/rest"}, {binding: httpJSON, path: "/second/rest"}}
		})},
	{Name: "interfaces-mixed", Twin: "hello", Doc: "An interface of version 0.3 comes first, then HTTP+JSON, then JSON-RPC.", Dialects: []string{a2a10},
		set: listFaces(func(s *stage) []face {
			return []face{{binding: jsonRPC, form: form03{}, version: "0.3", path: "/old/rpc"}, s.newRESTFace(), s.newRPCFace()}
		})},
	{Name: "interfaces-foreign-first", Twin: "hello", Asks: []string{hasInterfaces}, Doc: "The first interface has a binding of somebody's own, at a wss address, and in version 1.0 a tenant.",
		set: listFaces(func(s *stage) []face {
			return []face{{binding: "https://conform.example.com/bindings/pigeon/v1", url: strings.Replace(s.bases[0], "http", "wss", 1) + "/pigeons", tenant: "pigeons"}, s.newRPCFace(), s.newRESTFace()}
		})},
	{Name: "interfaces-url", Twin: "hello", Doc: "The interfaces have a port, a path, a query and a slash at the end of their own.",
		set: listFaces(func(s *stage) []face {
			return []face{{binding: jsonRPC, path: "/agents/one/rpc?channel=a%2Fb&v=2"}, {binding: httpJSON, origin: 1, path: "/agents/one/rest/"}}
		})},
	{Name: "interfaces-patch", Twin: "hello", Doc: "The interfaces have the version 1.0.1.", Dialects: []string{a2a10},
		set: listFaces(func(s *stage) []face {
			rpc, rest := s.newRPCFace(), s.newRESTFace()
			rpc.version, rest.version = "1.0.1", "1.0.1"
			return []face{rpc, rest}
		})},
	{Name: "interfaces-older", Twin: "hello", Doc: "The only interface is one of version 0.3.", Dialects: []string{a2a10},
		set: listFaces(func(s *stage) []face {
			return []face{{binding: jsonRPC, form: form03{}, version: "0.3", path: "/old/rpc"}}
		})},
	{Name: "interfaces-version", Twin: "hello", Doc: "The first interface of each binding has the version 99.0, which no client has.", Dialects: []string{a2a10},
		set: func(s *stage) {
			listFaces(func(s *stage) []face {
				return []face{{binding: jsonRPC, version: futureVersion, path: "/future/rpc"}, s.newRPCFace(), {binding: httpJSON, version: futureVersion, path: "/future/rest"}, s.newRESTFace()}
			})(s)
			s.intercept = func(c *call) bool {
				if c.face.version != futureVersion {
					return false
				}
				c.sendError("VersionNotSupported", "")
				return true
			}
		}},
	{Name: "version-refused", Twin: "hello", Doc: "Every call is refused by VersionNotSupported, whose text and details name the versions 0.7 and 0.9.", Dialects: []string{a2a10}, Fault: "the agent refuses the version that its card declares",
		set: func(s *stage) {
			s.addMarker("error")
			s.intercept = func(c *call) bool {
				c.refuseVersion("0.7", "0.9")
				return true
			}
		}},
	{Name: "interfaces-down", Twin: "hello", Asks: []string{hasInterfaces}, Doc: "The first interface, of JSON-RPC, refuses connections; the other, of HTTP+JSON, is served.",
		set: listFaces(func(s *stage) []face {
			return []face{{binding: jsonRPC, url: s.dead + rpcPath}, s.newRESTFace()}
		})},
	{Name: "interfaces-down-rest", Twin: "hello", Spared: []string{a2a10, a2a03}, Asks: []string{hasInterfaces}, Doc: "The first interface, of HTTP+JSON, refuses connections; the other, of JSON-RPC, is served.",
		set: listFaces(func(s *stage) []face {
			return []face{{binding: httpJSON, url: s.dead + restPath}, s.newRPCFace()}
		})},
	{Name: "tenant", Twin: "hello", Doc: "The interfaces have a tenant.", Dialects: []string{a2a10}, set: setTenant("acme-7")},
	{Name: "tenant-odd", Twin: "tenant", Doc: "The interfaces have a tenant with a space, a slash, a percent sign and letters beyond ASCII.", Dialects: []string{a2a10}, set: setTenant("a b/c%2F ü")},
}

// futureVersion is a version that no client has.
const futureVersion = "99.0"

// refuseVersion refuses a call by VersionNotSupported, and names the versions that the agent has instead.
func (c *call) refuseVersion(has ...string) {
	sign := c.findErrorSign("VersionNotSupported")
	text := c.formatRefusal() + " Supported versions: " + strings.Join(has, ", ")
	info := writeErrorInfo(sign.Reason, "a2a-protocol.org")
	info["metadata"] = object{"supportedVersions": strings.Join(has, ",")}
	if c.inEnvelope() {
		c.sendFault(fault{sign.Code, text, []any{info}})
		return
	}
	refusal := c.buildRESTError(sign, text).(object)
	refusal["error"].(object)["details"] = []any{info}
	c.sendText(chooseStatus(sign), encodeJSON(refusal))
}

// listFaces has the card list interfaces. Those without a form are of the version of the play.
func listFaces(list func(s *stage) []face) func(s *stage) {
	return func(s *stage) {
		s.addMarker("artifact")
		s.faces = list(s)
		for i := range s.faces {
			if s.faces[i].form == nil {
				s.faces[i].form = s.form
			}
		}
	}
}

// setTenant has the interfaces have a tenant.
func setTenant(tenant string) func(s *stage) {
	return listFaces(func(s *stage) []face {
		rpc, rest := s.newRPCFace(), s.newRESTFace()
		rpc.tenant, rest.tenant = tenant, tenant
		return []face{rpc, rest}
	})
}
