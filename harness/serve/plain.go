package serve

// plain are the scenarios in which everything is right.
var plain = []Script{
	{Name: "hello", Doc: "A message makes a task that is completed at once, with one artifact. The agent does not stream.",
		set: func(s *stage) { s.word("artifact") }},
}
