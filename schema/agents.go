package schema

import (
	"net/url"
	"strings"
)

// Agents describes where a server that hosts several agents reports them, as paths
// with {name} for the name of one. A protocol with one agent has none of it.
type Agents struct {
	Health string `yaml:"health"`
	List   string `yaml:"list"`
	Info   string `yaml:"info"`
	Card   string `yaml:"card"`
	RPC    string `yaml:"rpc"` // where calls to one agent go
	URL    string `yaml:"url"` // pointer to the place on a card where it reports it itself
}

// Path returns one of the paths for an agent of that name.
func (Agents) Path(pattern, name string) string {
	return strings.ReplaceAll(pattern, "{name}", url.PathEscape(name))
}

// Directory describes where the list of agents and one entry of it are, as paths
// with {name} for the id of one, and by which members an entry is known for one
// of this dialect.
type Directory struct {
	List    string   `yaml:"list"`
	Entry   string   `yaml:"entry"`
	Members []string `yaml:"members"`
	ID      string   `yaml:"id"`       // pointer in an entry
	URL     string   `yaml:"endpoint"` // pointer in an entry to where the agent takes tasks
}
