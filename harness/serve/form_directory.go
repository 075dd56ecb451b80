package serve

import "github.com/a2a-conform/a2a-conform/schema"

// formDirectory writes A2A MVP 0.1.0, whose agents are found in a directory, and have neither cards nor messages. What is not here
// is never written.
type formDirectory struct{ form03 }

// timedOut is the state of a task that took too long, which this protocol alone has.
const timedOut state = "timeout"

func (formDirectory) dialectName() string { return directory01 }

// protocolVersion is none: no object has such a member.
func (formDirectory) protocolVersion() string { return "" }

func (formDirectory) listFeatures() []string { return nil }

// stateName returns the name of a state, one of which has other letters.
func (formDirectory) stateName(s state) string { return formJAF{}.stateName(s) }

// writeTask writes the result of a task. Only one that is completed has an output.
func (f formDirectory) writeTask(t *task) object {
	o := object{"taskId": t.id, "status": f.stateName(t.state)}
	for _, a := range t.artifacts {
		for _, text := range a.texts {
			o["output"] = object{"text": text}
		}
	}
	return o
}

func (formDirectory) errorDetails(schema.ErrorSign) any { return nil }

func (formDirectory) taskAt() string    { return "/taskId" }
func (formDirectory) contextAt() string { return "/contextId" }
func (formDirectory) namesTasks() bool  { return true }

// wantsToWait reports true: tasks are answered once they have ended.
func (formDirectory) wantsToWait(func(at string) bool) bool { return true }

// prepareStage has the directory answer, with one agent that has whatever is wanted.
func (formDirectory) prepareStage(s *stage) { setDirectory(s, listFittingAgent) }
