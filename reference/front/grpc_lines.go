package front

import (
	"net"
	"sync"
)

// lines are the connections of a listener, by the address of the client.
type lines struct {
	net.Listener
	mu   sync.Mutex
	open map[string]net.Conn
}

func (l *lines) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.open[c.RemoteAddr().String()] = c
		l.mu.Unlock()
	}
	return c, err
}

// snap breaks the connection of a client.
func (l *lines) snap(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.open[client]; c != nil {
		c.Close()
		delete(l.open, client)
	}
}
