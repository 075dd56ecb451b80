package prove

import (
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/known"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// checkNotTakenForSDK demands that the failures of a mutant, which is built on no SDK, are taken for no SDK's, and that not
// one of them has the marks by which an SDK is told from everything else.
func (p *proof) checkNotTakenForSDK(c *verdict.Decider, fails []string, name string) {
	failures := c.Failures(c.Judge(fails))
	if found := known.Attribute(failures, nil, schema.KnownSDKs()); found != nil {
		p.addProblem("known faults", "", name, "is taken for a server on %s", found.SDK.Name)
	}
	for _, s := range schema.KnownSDKs() {
		for id, f := range known.Attribute(failures, &schema.NamedSDK{SDK: s}, nil).Faults {
			if f.Distinctive {
				p.addProblem("known faults", id, name, "has the marks of a distinctive fault of %s: %s", s.Name, f.Fault)
			}
		}
	}
}
