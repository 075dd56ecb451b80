package schedule

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Candidate is a conversation that could be held.
type Candidate struct {
	Scenario conversation.Scenario
	Subject  record.Subject // the agent and interface; conversations of one subject can use each other's tasks
	Idle     bool           // it is not held in any case
}

// CountDecided counts the requirements that can be decided if the scenarios are performed of which held reports true.
type CountDecided func(held func(scenario string) bool) int

// HoldWithin chooses candidates within a budget and has them held. Since a conversation may send fewer messages than it
// could, more are chosen as long as messages are left. hold gets which candidates were held before and which are now, and
// reports whether to go on. All that were chosen are returned.
func HoldWithin(b *conversation.MessageBudget, all []Candidate, count CountDecided, hold func(before, now []bool) bool) []bool {
	held := make([]bool, len(all))
	for {
		before := slices.Clone(held)
		if !chooseWithin(b.Available(), all, held, count) {
			if !b.ReleaseKept() {
				return held
			}
			continue
		}
		if !hold(before, held) {
			return held
		}
	}
}

// chooseWithin marks further candidates as held. Those without messages are; of the others the one comes next that decides
// most for each of its messages, counting what becomes free by it, until so many messages are used up. It reports whether
// there are more now.
func chooseWithin(messages int, all []Candidate, held []bool, count CountDecided) (more bool) {
	for {
		best, most, now := -1, 0.0, countHeld(all, held, count)
		for i := range all {
			cost := Cost(all, held, i)
			if held[i] || all[i].Idle || cost > messages {
				continue
			}
			if cost == 0 {
				best = i
				break
			}
			if value := (valueWith(all, held, i, count) - now) / float64(cost); value > most || best < 0 {
				best, most = i, value
			}
		}
		if best < 0 {
			return more
		}
		messages -= Cost(all, held, best)
		held[best], more = true, true
	}
}

// Cost returns how many messages a candidate usually sends if those that are held go first.
func Cost(all []Candidate, held []bool, i int) int {
	return costBeside(all[i].Scenario, func(scenario string) bool {
		for j, c := range all {
			if held[j] && c.Subject == all[i].Subject && c.Scenario.Name == scenario {
				return true
			}
		}
		return false
	})
}

// costBeside returns how many messages a conversation usually sends if it can reuse those of the scenarios of which held
// reports true.
func costBeside(s conversation.Scenario, held func(scenario string) bool) int {
	cost := s.Sends - s.Rare
	for name, n := range s.Reuses {
		if held(name) {
			cost -= n
		}
	}
	return max(0, cost)
}

// valueWith returns what is decided if a candidate is held too, with the candidates that send nothing then.
func valueWith(all []Candidate, held []bool, i int, count CountDecided) float64 {
	with := slices.Clone(held)
	with[i] = true
	for j := 0; j < len(all); j++ {
		if !with[j] && !all[j].Idle && all[j].Subject == all[i].Subject && Cost(all, with, j) == 0 {
			with[j] = true
			j = -1 // it may free others
		}
	}
	return countHeld(all, with, count)
}

// countHeld returns what is decided by the candidates that are held.
func countHeld(all []Candidate, held []bool, count CountDecided) float64 {
	names := map[string]bool{}
	for i, c := range all {
		if held[i] {
			names[c.Scenario.Name] = true
		}
	}
	return float64(count(func(name string) bool { return names[name] }))
}

// ListAffordableSubjects returns the agents and interfaces of which all conversations can be held with so many messages, in
// their order, and the first one in any case. A requirement is decided only if it is in each binding in which it is tried,
// so that a part of another binding would leave more undecided than it decides.
func ListAffordableSubjects(messages int, all []Candidate) (out []record.Subject) {
	anyScenario := func(string) bool { return true }
	for _, c := range all {
		if slices.Contains(out, c.Subject) {
			continue
		}
		for _, other := range all {
			if other.Subject == c.Subject && !other.Idle {
				messages -= costBeside(other.Scenario, anyScenario)
			}
		}
		if messages < 0 && len(out) > 0 {
			break
		}
		out = append(out, c.Subject)
	}
	return out
}

// LeaveOutUnaffordable returns the assignments without those to interfaces of which not all conversations can be held with
// so many messages.
func LeaveOutUnaffordable(messages int, o Options, assignments []Assignment) []Assignment {
	if messages <= 0 {
		return assignments
	}
	s := &scheduler{Options: o, assignments: assignments}
	subjects := ListAffordableSubjects(messages, s.listCandidates())
	return slices.DeleteFunc(slices.Clone(assignments), func(a Assignment) bool {
		return slices.ContainsFunc(a.Bindings(), func(name string) bool {
			return !slices.Contains(subjects, record.Subject{Agent: a.Agent, Binding: name})
		})
	})
}

// listCandidates returns the assignments as they are chosen from.
func (s *scheduler) listCandidates() []Candidate {
	all := make([]Candidate, len(s.assignments))
	for i, a := range s.assignments {
		all[i] = Candidate{a.Scenario, record.Subject{Agent: a.Agent, Binding: a.Binding}, s.findObstacle(a) != ""}
	}
	return all
}

// performWithinBudget performs the plays that decide most with the messages that may be sent.
func (s *scheduler) performWithinBudget(pool *pool) {
	all := s.listCandidates()
	held := make([]bool, len(all))
	if s.ctx.Err() == nil {
		held = HoldWithin(s.Messages, all, s.Decided, func(before, now []bool) bool {
			for i := range now {
				s.due[i], s.past[i] = now[i] && !before[i], before[i]
			}
			s.performDue(pool)
			return s.ctx.Err() == nil
		})
	}
	for i := range s.assignments { // the others record why they were not performed
		if s.assignments[i].beyondBudget = !held[i] && !all[i].Idle; !held[i] {
			s.perform(i)
		}
	}
}
