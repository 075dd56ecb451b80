package schema

import (
	"net/url"
	"strings"
)

// Agents describes the paths at which a server that hosts several agents lists them, with {name}
// for the name of one. A protocol with one agent has none of it.
type Agents struct {
	Health string `yaml:"health"`
	List   string `yaml:"list"`
	Info   string `yaml:"info"`
	Card   string `yaml:"card"`
	RPC    string `yaml:"rpc"` // path of calls to one agent
	URL    string `yaml:"url"` // pointer to the member of a card that has that address
}

// Path returns one of the paths for an agent of that name.
func (Agents) Path(pattern, name string) string {
	return strings.ReplaceAll(pattern, "{name}", url.PathEscape(name))
}

// Directory describes the paths of the list of agents and of one entry of it, with {name} for the
// id of one, and by which members an entry is recognised as one of this dialect.
type Directory struct {
	List    string   `yaml:"list"`
	Entry   string   `yaml:"entry"`
	Members []string `yaml:"members"`
	ID      string   `yaml:"id"`       // pointer in an entry
	URL     string   `yaml:"endpoint"` // pointer in an entry to the address for tasks
}

// FirstPath returns the path below the base URL of a server at which clients begin: that of its card, or of its list of agents if
// the protocol has no cards.
func (d *Dialect) FirstPath() string {
	if len(d.Card.Paths) > 0 {
		return d.Card.Paths[0]
	}
	return d.Directory.List
}
