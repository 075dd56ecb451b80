// Package largepages has memory given to the process in large pages, where the system has
// them. A process that lives for a second spends much of it on memory that it touches for the
// first time: on virtual machines, as most of CI has, each page of 4 KiB costs microseconds.
package largepages
