package serve

import "net"

// reserveAddress returns the base of an address at which nothing listens, and which is given to no other until it
// is released: it is the near end of a connection.
func reserveAddress() (base string, release func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		l.Close()
		return "", nil, err
	}
	return "http://" + c.LocalAddr().String(), func() {
		c.Close()
		l.Close()
	}, nil
}
