package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// ownFault returns what is wrong with a request of ours that was meant to be
// valid. A server is never judged by its answer to such a request.
func (c *Case) ownFault(s *record.Step, p *record.Play) error {
	x := s.Exchange
	if x == nil || s.Invalid || requestNotKept(x) != "" || x.Dir != record.Out || !c.Dialect.Has(s.Op) || len(x.Request.Body) == 0 {
		return nil
	}
	fault, _ := remember(&c.cache.mu, c.cache.ours, x, func() (error, error) { return c.validateOurs(s, p), nil })
	return fault
}

// requestNotKept explains that a request of ours is in the record only in part, which happens
// if the run had no room left for it. Neither the request nor the answer to it can be
// judged then. It is "" if the request is there as a whole.
func requestNotKept(x *record.Exchange) string {
	if x.Dir != record.Out || x.Request.Framing.Cut == "" {
		return ""
	}
	return fmt.Sprintf("the request of exchange %d is not recorded in full: %s", x.ID, x.Trouble)
}

func (c *Case) validateOurs(s *record.Step, p *record.Play) error {
	call := s.Exchange.Call()
	if call.Root == nil || len(call.Faults) > 0 {
		return fmt.Errorf("our request in exchange %d is not JSON, and was not meant to be broken", s.Exchange.ID)
	}
	for _, one := range c.BindingOf(p, s).Sent(s.Exchange).Each() {
		envelope := one.Call
		if !one.Framed {
			envelope = nil
		}
		for _, part := range []struct {
			definition string
			node       *record.Node
		}{{c.Dialect.Types.Request, envelope}, {c.Dialect.Operation(s.Op).Params, one.Params}} {
			if part.node == nil || !c.Dialect.Shapes().Has(part.definition) {
				continue
			}
			found, err := c.Dialect.Shapes().Validate(part.definition, part.node.Interface())
			if err != nil {
				return err
			}
			if len(found) > 0 {
				v := found[0]
				return fmt.Errorf("our request in exchange %d is no valid %s, and was not meant to be broken: %s%s %s",
					s.Exchange.ID, part.definition, v.Definition, v.At, v.Message)
			}
		}
	}
	return nil
}

// FindInvalidRequest returns what is wrong with the form of a request that somebody else sent in a transcript of a
// server. A server is not judged by its answer to such a request.
func (c *Case) FindInvalidRequest(s *record.Step, p *record.Play) error {
	if s.Exchange == nil || !c.Dialect.Has(s.Op) || len(s.Exchange.Request.Body) == 0 {
		return nil
	}
	return c.validateOurs(s, p)
}

// OwnFaults reports the first request of ours that is invalid without being
// meant to be.
func (t *T) OwnFaults() error {
	for p, s := range t.Case.Transcript.Steps() {
		if err := t.Case.ownFault(s, p); err != nil {
			return err
		}
	}
	return nil
}
