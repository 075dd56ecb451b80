package judge

// Each runs judge on every item and collects every violation. An item that cannot
// be decided keeps none of the others from being judged, and leaves the requirement
// undecided where nothing is broken. Without an item the requirement is vacuous.
func Each[V any](t *T, items []V, judge func(V)) { each(t, items, judge, false) }

// EachOf is Each for items that stand for themselves, such as streams: one that
// cannot be decided takes nothing from the others. Only where none can be the
// requirement is undecided.
func EachOf[V any](t *T, items []V, judge func(V)) { each(t, items, judge, true) }

func each[V any](t *T, items []V, judge func(V), some bool) {
	t.collecting++
	defer func() { t.collecting-- }()
	var undecided *Stop
	decided := false
	for _, item := range items {
		func() {
			before := t.expected
			defer func() {
				switch r := recover().(type) {
				case nil:
					decided = decided || t.expected > before
					t.used = t.used || t.expected > before
				case Stop:
					undecided = undecided.or(&r)
				case stopFailed:
					if t.vacuous != "" {
						panic(r)
					}
				default:
					panic(r)
				}
			}()
			t.item = nil
			judge(item)
			t.result.holds(t.item)
		}()
	}
	if undecided != nil && !(some && decided) {
		panic(*undecided)
	}
	if len(items) == 0 && t.expected == 0 {
		t.vacuous = "the run saw nothing that it is about"
	}
}
