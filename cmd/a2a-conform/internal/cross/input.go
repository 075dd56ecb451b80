// Package cross runs each of several clients against each of several live servers, and states for each pair whether it
// works, and on which side the first fault is.
package cross

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/crosspage"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Entry is what a list says of a client or a server.
type Entry struct {
	Name    string   `yaml:"name" json:"name"`
	Command []string `yaml:"command" json:"command,omitempty"`
	Dir     string   `yaml:"dir" json:"dir,omitempty"` // in which the command is started
	SDK     string   `yaml:"sdk" json:"sdk,omitempty"`
	Report  string   `yaml:"report" json:"-"` // of the client or the server alone
	// Secrets name variables or files whose values are removed from everything that is written.
	Secrets []string `yaml:"secrets" json:"-"`

	alone *crosspage.Alone
	known []redact.Secret
	fails []string // requirements that it breaks alone
}

// ClientEntry is a client of a list.
type ClientEntry struct {
	Entry    `yaml:",inline"`
	Dialects []string `yaml:"dialects" json:"dialects"`
}

// ServerEntry is a server of a list.
type ServerEntry struct {
	Entry `yaml:",inline"`
	URL   string `yaml:"url" json:"url,omitempty"`
}

// maxEntries bounds each list.
const maxEntries = 200

// goodName is what an entry may be called: files are named after it.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// ReadClients reads the list of the clients. A mistake is an error with its line and the remedy.
func ReadClients(file string) ([]ClientEntry, error) {
	var list struct {
		Clients []ClientEntry `yaml:"clients"`
	}
	text, err := readList(file, &list)
	if err != nil {
		return nil, err
	}
	if len(list.Clients) == 0 {
		return nil, fmt.Errorf("%s:1: the list has no clients; write it like clients: [{name: mine, command: [node, my-client.js, \"{url}\", \"{text}\"]}]", file)
	}
	seen := map[string]bool{}
	for i := range list.Clients {
		c := &list.Clients[i]
		at := listPlace{file, text, []any{"clients", i}}
		if err := c.checkEntry(at, seen, len(list.Clients)); err != nil {
			return nil, err
		}
		if len(c.Command) == 0 {
			return nil, at.describeMistake("name", "the client %s has no command; write it like command: [node, my-client.js, \"{url}\", \"{text}\"]", c.Name)
		}
		if len(c.Dialects) == 0 {
			c.Dialects = pairDialects[:1]
		}
		for _, d := range c.Dialects {
			if !slices.Contains(pairDialects, d) {
				return nil, at.describeMistake("dialects", "dialects: %s", schema.Unknown("dialect of clients", d, pairDialects))
			}
		}
	}
	return list.Clients, nil
}

// ReadServers reads the list of the servers. A mistake is an error with its line and the remedy.
func ReadServers(file string) ([]ServerEntry, error) {
	var list struct {
		Servers []ServerEntry `yaml:"servers"`
	}
	text, err := readList(file, &list)
	if err != nil {
		return nil, err
	}
	if len(list.Servers) == 0 {
		return nil, fmt.Errorf("%s:1: the list has no servers; write it like servers: [{name: mine, url: http://localhost:9999}]", file)
	}
	seen := map[string]bool{}
	for i := range list.Servers {
		s := &list.Servers[i]
		at := listPlace{file, text, []any{"servers", i}}
		if err := s.checkEntry(at, seen, len(list.Servers)); err != nil {
			return nil, err
		}
		switch u, err := url.Parse(s.URL); {
		case s.URL == "" && len(s.Command) == 0:
			return nil, at.describeMistake("name", "the server %s has neither a URL nor a command; write url: http://localhost:9999, or command: [node, my-agent.js], which prints its URL", s.Name)
		case s.URL == "":
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			return nil, at.describeMistake("url", "url: %q is no URL of a server; write it like http://localhost:9999", redact.StripSecrets(s.URL))
		case u.User != nil:
			return nil, at.describeMistake("url", "url contains a user or password, and reports would show it; remove it")
		}
	}
	return list.Servers, nil
}

// readList reads a file into a list, and returns its text.
func readList(file string, list any) ([]byte, error) {
	text, err := schema.ReadFile(file, schema.MaxFile)
	if err != nil {
		return nil, err
	}
	text = config.Quoted(text)
	return text, schema.Strict(file, text, list)
}

// listPlace is an entry of a list, for errors about it.
type listPlace struct {
	file string
	text []byte
	path []any
}

// describeMistake returns an error at a key of the entry.
func (p listPlace) describeMistake(key, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, schema.LineOf(p.text, append(slices.Clone(p.path), key)...), fmt.Sprintf(format, args...))
}

// checkEntry finds mistakes in what both lists have, and reads the report.
func (e *Entry) checkEntry(at listPlace, seen map[string]bool, all int) error {
	switch {
	case all > maxEntries:
		return at.describeMistake("name", "the list has %d entries; at most %d are read", all, maxEntries)
	case !goodName.MatchString(e.Name):
		return at.describeMistake("name", "name: %q names no entry, since files are named after it; take up to 40 letters, digits, dots and dashes", e.Name)
	case seen[strings.ToLower(e.Name)]:
		return at.describeMistake("name", "name: there are two entries called %s; give each a name of its own", e.Name)
	case len(e.Command) > 0 && e.Command[0] == "":
		return at.describeMistake("command", "command: its first word is empty; write the program there")
	}
	seen[strings.ToLower(e.Name)] = true
	for _, source := range e.Secrets {
		value, err := config.FromOutside(source)
		if err != nil {
			return at.describeMistake("secrets", "secrets: %v", err)
		}
		secret := redact.Secret{Name: strings.Trim(source, "${}"), Value: value}
		if err := redact.CheckSecret(secret); err != nil {
			return at.describeMistake("secrets", "secrets: %v", err)
		}
		e.known = append(e.known, secret)
	}
	if e.Report == "" {
		return nil
	}
	r, err := conform.ReadReport(e.Report)
	if err != nil {
		return at.describeMistake("report", "report: %v", err)
	}
	wantsClient := at.path[0] == "clients"
	if r.Target.IsClient() != wantsClient {
		return at.describeMistake("report", "report: %s is the report of a %s; name that of this %s", e.Report, r.Target.Subject(), strings.TrimSuffix(at.path[0].(string), "s"))
	}
	e.alone = &crosspage.Alone{Report: e.Report, Verdict: string(r.Verdict), Passes: r.Verdict == report.Conformant || r.Verdict == report.Partial}
	for _, res := range r.Results {
		if res.Verdict == report.Fail && res.Level != schema.May {
			e.fails = append(e.fails, res.ID)
		}
	}
	return nil
}

// passesAlone reports whether the list names a report in which it passes.
func (e *Entry) passesAlone() bool { return e.alone != nil && e.alone.Passes }

// linkPage names the page next to the report, as a link from a page in a folder.
func (e *Entry) linkPage(dir string) {
	if e.alone == nil {
		return
	}
	folder := e.Report
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	page := filepath.Join(folder, files.HTMLFile)
	if info, err := os.Stat(page); err != nil || !info.Mode().IsRegular() {
		return
	}
	from, err := filepath.Abs(dir)
	to, failed := filepath.Abs(page)
	if err != nil || failed != nil {
		return
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		e.alone.Page = (&url.URL{Path: filepath.ToSlash(rel)}).String()
	}
}

// nameOfSDK returns the name of an SDK without its version, the same for all of its spellings.
func nameOfSDK(word string) string {
	if is, err := schema.FindSDK(word); err == nil {
		return is.Name
	}
	if i := strings.LastIndex(word, "@"); i > 0 {
		word = word[:i]
	}
	for _, s := range schema.KnownSDKs() {
		if word == s.Short {
			return s.Name
		}
	}
	return strings.ToLower(word)
}
