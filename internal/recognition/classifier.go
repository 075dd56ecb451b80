package recognition

import "math"

// Sender is what the requests of one client, or of one run, show.
type Sender [][]Trait

// Classifier describes by traits of requests which of two kinds of sender made them. It counts the
// answers to each question, alone and together with that to another question, in requests whose
// sender is known. Each sender that answers a question counts alike in it: how often clients do
// what the question is about is another trait, of another family.
type Classifier struct {
	wanted map[Family]bool
	counts map[string]*[2]answers
}

// answers describes how a question was answered.
type answers struct {
	senders float64            // that answered it
	all     float64            // how often they did
	of      map[string]float64 // the shares of the answers, summed up over the senders
}

// Train makes a classifier from senders of two kinds. It looks only at some families.
func Train(by []Family, first, second []Sender) *Classifier {
	c := &Classifier{map[Family]bool{}, map[string]*[2]answers{}}
	for _, f := range by {
		c.wanted[f] = true
	}
	for kind, senders := range [2][]Sender{first, second} {
		for _, s := range senders {
			c.learnFrom(kind, s)
		}
	}
	return c
}

// learnFrom counts what one sender shows.
func (c *Classifier) learnFrom(kind int, s Sender) {
	shown := map[string]map[string]float64{}
	for _, traits := range s {
		for question, answer := range c.askedOf(traits) {
			if shown[question] == nil {
				shown[question] = map[string]float64{}
			}
			shown[question][answer]++
		}
	}
	for question, answered := range shown {
		n := c.counts[question]
		if n == nil {
			n = &[2]answers{{of: map[string]float64{}}, {of: map[string]float64{}}}
			c.counts[question] = n
		}
		all := 0.0
		for _, times := range answered {
			all += times
		}
		for answer, times := range answered {
			n[kind].of[answer] += times / all
		}
		n[kind].senders, n[kind].all = n[kind].senders+1, n[kind].all+all
	}
}

// askedOf yields the questions that a request answers, and each two of different families.
func (c *Classifier) askedOf(traits []Trait) func(yield func(question, answer string) bool) {
	return func(yield func(question, answer string) bool) {
		for i, a := range traits {
			if !c.wanted[a.Family] {
				continue
			}
			if !yield(a.Question, a.Answer) {
				return
			}
			for _, b := range traits[i+1:] {
				if c.wanted[b.Family] && a.Family != b.Family && !yield(a.Question+"\n"+b.Question, a.Answer+"\n"+b.Answer) {
					return
				}
			}
		}
	}
}

// Lean describes how much some requests speak for the first kind (above 0) or the second (below). Of
// what only one of them was ever asked, nothing is known.
func (c *Classifier) Lean(requests ...[]Trait) (sum float64) {
	for _, traits := range requests {
		for question, answer := range c.askedOf(traits) {
			if n := c.counts[question]; n != nil && n[0].all > 0 && n[1].all > 0 {
				sum += math.Log(n[0].shareOf(answer, n[1]) / n[1].shareOf(answer, n[0]))
			}
		}
	}
	return sum
}

// shareOf returns how often a question gets an answer; an answer that was never heard is possible too.
func (a answers) shareOf(answer string, other answers) float64 {
	different := len(a.of)
	for o := range other.of {
		if _, heard := a.of[o]; !heard {
			different++
		}
	}
	return (a.of[answer]/a.senders*a.all + 0.5) / (a.all + 0.5*float64(different+1))
}

// Right returns the share of windows of so many requests that are taken for the right kind's, if both
// kinds count alike. Who cannot decide guesses.
func (c *Classifier) Right(window int, first, second []Sender) float64 {
	return (c.shareTaken(window, first, 1) + c.shareTaken(window, second, -1)) / 2
}

func (c *Classifier) shareTaken(window int, senders []Sender, sign float64) float64 {
	right, all := 0.0, 0.0
	for _, s := range senders {
		for at := 0; at+window <= len(s); at += window {
			all++
			switch lean := sign * c.Lean(s[at:at+window]...); {
			case math.Abs(lean) < 1e-9:
				right += 0.5
			case lean > 0:
				right++
			}
		}
	}
	return right / all
}
