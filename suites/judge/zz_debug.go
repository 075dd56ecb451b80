package judge

// Marks is for experiments.
func (c *Case) Marks(ids []string) map[string][]string {
	rs := c.Judge(ids)
	out := map[string][]string{}
	for i, m := range c.marks(rs) {
		out[ids[i]] = m
	}
	return out
}
