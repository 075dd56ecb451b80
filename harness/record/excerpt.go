package record

// Excerpt is the part of a transcript by which one failure shows, with as few calls as were
// found. Whoever writes a script that repeats the failure makes these calls.
type Excerpt struct {
	Transcript *Transcript // nil if the failure shows only in the whole transcript
	// Keepable is set if the failure shows in what a script keeps of the calls, too.
	Keepable bool
	// Untried is set if no fewer calls were looked for, since there are too many failures.
	Untried bool
}

// KeepAnswers is a transcript as a script would keep it if the same answers came again: at
// their end, or evenly. It is nil if a script cannot make one of the calls. The exchanges keep
// their numbers, by which a failure is known.
func KeepAnswers(t *Transcript, requirement string, evenly bool) *Transcript {
	k, calls := Keep(t, requirement, "")
	made := make([]MadeCall, len(calls))
	for i, x := range calls {
		var why string
		if made[i], why = x.Made(); why != "" {
			return nil
		}
		made[i].Evenly = evenly
	}
	out, err := k.Transcript(made, func(id string) string { return id })
	if err != nil {
		return nil
	}
	for i, x := range out.Exchanges {
		x.ID = calls[i].ID
	}
	return out
}
