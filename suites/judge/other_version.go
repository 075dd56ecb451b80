package judge

// IsOfOtherVersion reports whether the request is a call in the words of another version of the protocol, at an interface that
// the card declares for another version. That version states what is right there, and not the one that is judged.
func (r Request) IsOfOtherVersion() bool {
	if r.Op != "" || r.Step.Op == "" || r.Step.Binding == "" {
		return false
	}
	detect, declared := r.t.Case.Dialect.Detect, false
	for _, c := range r.Of().Cards() {
		for _, i := range append(c.Interfaces(), c.Entries()...) {
			if i.Transport() != r.By.Name() || !i.Covers(r.Exchange.URL) {
				continue
			}
			if i.Version() == "" || detect.Fits(i.Version()) {
				return false
			}
			declared = true
		}
	}
	return declared
}
