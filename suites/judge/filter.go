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

// TextsIn returns the texts among the items of a list of YAML; none if it is no list.
func TextsIn(list any) []string {
	texts := []string{}
	items, _ := list.([]any)
	for _, item := range items {
		if text, is := item.(string); is {
			texts = append(texts, text)
		}
	}
	return texts
}

// Map returns what read makes of each of the items, in their order.
func Map[V, W any](items []V, read func(V) W) (all []W) {
	for _, item := range items {
		all = append(all, read(item))
	}
	return all
}

// GroupBy returns the items by what key returns for each, those of a group in their order.
func GroupBy[V any, K comparable](items []V, key func(V) K) map[K][]V {
	groups := map[K][]V{}
	for _, item := range items {
		k := key(item)
		groups[k] = append(groups[k], item)
	}
	return groups
}
