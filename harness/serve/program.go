package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
)

// Program is a program that runs until it is ended, such as a server that is started for a test.
type Program struct {
	cmd   *exec.Cmd
	group processGroup
	stop  context.CancelFunc
	out   lineOutput
	errs  lineOutput
	ended chan struct{}
}

// StartProgram starts a program with our environment, its children in a group of its own. dir is "" for our own
// folder. No shell is involved.
func StartProgram(command []string, dir string) (*Program, error) {
	ctx, stop := context.WithCancel(context.Background())
	p := &Program{stop: stop, ended: make(chan struct{})}
	p.cmd, p.group = newGroupedCommand(ctx, command)
	p.out.news = make(chan struct{})
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.out, &p.errs
	if err := p.cmd.Start(); err != nil {
		stop()
		return nil, err
	}
	go func() {
		p.group.awaitEnd()
		close(p.ended)
	}()
	return p, nil
}

// AwaitLine waits until the program has printed a line on standard output that read accepts, and returns what read makes
// of it. The error states what the program did instead.
func (p *Program) AwaitLine(ctx context.Context, read func(line string) string) (string, error) {
	for {
		lines, news := p.out.listLines()
		for _, line := range lines {
			if found := read(line); found != "" {
				return found, nil
			}
		}
		select {
		case <-news:
		case <-p.ended:
			return "", fmt.Errorf("it ended (%s)%s", p.cmd.ProcessState, p.describeErrors())
		case <-ctx.Done():
			return "", errors.New("it printed no such line in time" + p.describeErrors())
		}
	}
}

// describeErrors returns the last line that the program printed on standard error, as the end of a sentence.
func (p *Program) describeErrors() string {
	lines, _ := p.errs.listLines()
	if len(lines) == 0 {
		return ""
	}
	return ": " + lines[len(lines)-1]
}

// End ends the program and its children, by force if it takes longer than two seconds.
func (p *Program) End() {
	p.stop()
	<-p.ended
}

// lineOutput keeps the beginning of what a program prints.
type lineOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{} // closed with the next piece; nil if none waits
}

// Write takes a piece of what is printed.
func (o *lineOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := MaxOutput - o.text.Len(); room > 0 {
		o.text.Write(p[:min(room, len(p))])
	}
	if o.news != nil {
		close(o.news)
		o.news = make(chan struct{})
	}
	return len(p), nil
}

// listLines returns the lines that are complete, and a channel that is closed with the next piece.
func (o *lineOutput) listLines() (lines []string, news <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := o.text.String()
	end := strings.LastIndexByte(text, '\n')
	if end < 0 {
		return nil, o.news
	}
	for line := range strings.Lines(text[:end+1]) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	return lines, o.news
}
