package auth

// ChallengeSchemes is for a table of headers.
var ChallengeSchemes = challengeSchemes
