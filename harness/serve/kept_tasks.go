package serve

// editTasks reads or changes tasks while no other call does.
func (s *stage) editTasks(edit func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit()
}

// keepTask has a task be found by its id, and in lists.
func (s *stage) keepTask(t *task) {
	s.editTasks(func() {
		s.tasks[t.id] = t
		s.order = append(s.order, t)
	})
}

// countTasks returns how many tasks there are.
func (s *stage) countTasks() (n int) {
	s.editTasks(func() { n = len(s.order) })
	return n
}

// countLooks returns how many calls have read a task.
func (s *stage) countLooks(t *task) (looks int) {
	s.editTasks(func() { looks = t.looks })
	return looks
}

// readState returns the state of a task.
func (s *stage) readState(t *task) (now state) {
	s.editTasks(func() { now = t.state })
	return now
}

// setStatusText sets the text of a task's status.
func (s *stage) setStatusText(t *task, text string) { s.editTasks(func() { t.says = text }) }

// addArtifacts adds artifacts to a task.
func (s *stage) addArtifacts(t *task, more ...artifact) {
	s.editTasks(func() { t.artifacts = append(t.artifacts, more...) })
}
