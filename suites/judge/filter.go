package judge

// Filter returns the items that keep accepts, in their order. It leaves the items as they are:
// those of a case are shared by all checks.
func Filter[V any](items []V, keep func(V) bool) (kept []V) {
	for _, item := range items {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// Map returns what read makes of each of the items, in their order.
func Map[V, W any](items []V, read func(V) W) (all []W) {
	for _, item := range items {
		all = append(all, read(item))
	}
	return all
}
