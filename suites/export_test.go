package suites

// ChallengeSchemes is for a table of headers.
var ChallengeSchemes = challengeSchemes
