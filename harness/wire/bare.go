package wire

// Bare reports whether the data of a stream event is a result by itself, without
// the envelope of a JSON-RPC response around it.
func Bare(data *Node) bool {
	if data == nil || data.Kind != Object {
		return false
	}
	for _, m := range []string{"jsonrpc", "result", "error"} {
		if data.Member(m) != nil {
			return false
		}
	}
	return true
}
