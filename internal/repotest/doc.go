// Package repotest has the tests of the repository itself: that documents and commands in them
// hold, that the catalogue is sound, and that packages import only what is below them.
package repotest
