// Package observe has what checks of several areas look at: steps, updates of a stream, the states of a task, refusals and the calls beside them.
package observe
