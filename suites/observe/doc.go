// Package observe has what checks of several areas read: steps, updates of a stream, the states
// of a task, refusals and control requests.
package observe
