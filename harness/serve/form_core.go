package serve

// formCore writes the core schema, whose objects travel as those of A2A 0.1.0 do.
type formCore struct{ form01 }

func (formCore) dialectName() string { return coreSchema }

func (formCore) listFeatures() []string { return []string{hasArtifacts} }

// dropOptionalMembers has null in all members that may be null.
func (formCore) dropOptionalMembers(task object) {
	for _, name := range []string{"sessionId", "history", "artifacts", "metadata"} {
		task[name] = nil
	}
	task["status"].(object)["message"] = nil
}
