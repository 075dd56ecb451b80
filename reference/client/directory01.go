package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// directory01 is A2A MVP 0.1.0: the client looks for an agent in a directory, and sends it a task, whose answer is its end.
var directory01 = dialect{
	name:    "directory-0.1",
	methods: map[operation]string{send: "a2a/task", register: "a2a/register", discover: "a2a/discover"},
	errors: map[int]string{
		-32700: "ParseError", -32600: "InvalidRequest", -32601: "MethodNotFound", -32602: "InvalidParams", -32603: "InternalError",
		-32001: "TaskFailed", -32002: "TaskTimeout",
	},
	keeps: makeSet("plain streaming terse chatty numeric-ids extra-headers slow rich reporting thorough",
		"jsonrpc-missing jsonrpc-blank id-object id-missing id-null id-reused method-misspelt params-list body-labelled-text error-as-success any-end-is-done",
		"endpoint-missing capabilities-as-text endpoint-without-scheme agent-id-shared capability-word any-agent-called first-of-none-called sender-missing",
		"task-id-same tasks-to-directory timeout-as-success agents-by-post discovers-by-get method-without-prefix reason-lost credentials-to-directory"),

	findAgent:    (*session).findInDirectory,
	completeCall: nameTaskByCall,
	writeParams:  writeTask,
	taskMember:   []string{"taskId"},
	readUpdate:   readTaskEnd,
	members:      makeSet("taskId status output"),
}

// The operations of a directory.
const (
	register operation = "register"
	discover operation = "discover"
)

// timedOut is the state of a task that took too long, which a directory's agents alone have.
const timedOut state = "timeout"

// wantedCapabilities are what the client looks for in an agent.
var wantedCapabilities = []any{"echo", "test"}

// ownID is the id by which the client registers itself, and under which it sends tasks.
const ownID = "reference-client"

// findInDirectory finds an agent that can be called. A rich client registers itself meanwhile, and reads the list of agents.
func (s *session) findInDirectory() error {
	s.card = &card{document: object{}, endpoints: []endpoint{{url: s.options.URL, binding: jsonrpcBinding}}}
	own := s.newCall(register, object{"agentId": ownID, "name": "Reference client", "capabilities": []any{"ask"}, "endpoint": "http://127.0.0.1:1/agent"})
	search := s.newCall(discover, object{"capabilities": wantedCapabilities})
	var registering sync.WaitGroup
	if s.habits.rich {
		registering.Go(func() {
			_, _ = s.makeCall(own) // to be found by others is none of what the client is asked for
		})
	}
	found, err := s.makeCall(search)
	registering.Wait()
	if err == nil && s.habits.rich {
		err = s.readAgents()
	}
	if err != nil {
		return err
	}
	return s.chooseAgent(getList(found, "agents"))
}

// chooseAgent directs calls to the first agent that has all that is wanted.
func (s *session) chooseAgent(agents []any) error {
	i := slices.IndexFunc(agents, func(agent any) bool {
		has := getList(agent, "capabilities")
		return s.habits.anyAgent || !slices.ContainsFunc(wantedCapabilities, func(wanted any) bool { return !slices.Contains(has, wanted) })
	})
	if i < 0 {
		if s.habits.emptyListCalled {
			return nil
		}
		return errors.New("no agent was found that has what is wanted")
	}
	address := getText(agents[i], "endpoint")
	if u, err := url.Parse(address); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("the agent cannot be called: its endpoint is %q", address)
	}
	if !s.habits.directoryCalled {
		s.card.endpoints[0].url = address
	}
	s.card.document = object{"name": getText(agents[i], "name")}
	s.printCard()
	return nil
}

// readAgents reads the list of agents, and the first one of it. The list may be the whole document.
func (s *session) readAgents() error {
	list, err := s.readDocument("/a2a/agents")
	if err != nil {
		return err
	}
	agents, is := list.([]any)
	if !is {
		agents = getList(list, "agents")
	}
	for _, agent := range agents {
		if id := getText(agent, "agentId"); id != "" {
			_, err = s.readDocument("/a2a/agents/" + url.PathEscape(id))
			return err
		}
	}
	return nil
}

// readDocument gets a document of the directory.
func (s *session) readDocument(path string) (any, error) {
	method := http.MethodGet
	if s.habits.agentsByPost {
		method = http.MethodPost
	}
	body, err := s.fetchDocument(method, strings.TrimRight(s.options.URL, "/")+path, maxCard)
	if err != nil {
		return nil, err
	}
	var document any
	err = decodeJSON(body, &document)
	return document, err
}

// nameTaskByCall gives a new task the id of its call, and addresses calls of a rich client by their methods.
func nameTaskByCall(c *call) {
	if c.op == send {
		c.getParams()["taskId"] = fmt.Sprint(c.envelope["id"])
	}
	if c.session.habits.rich {
		c.url = strings.TrimRight(c.url, "/") + "/" + c.session.dialect.methods[c.op]
	}
}

// writeTask writes the parameters of a task: its action is the text up to the first space, and its input what follows.
func writeTask(_ *dialect, m outgoingMessage, _ object) object {
	action, rest, _ := strings.Cut(strings.TrimSpace(m.text), " ")
	input := object{}
	if rest != "" {
		input["text"] = rest
	}
	return object{"action": action, "sender": ownID, "input": input}
}

// readTaskEnd reads how a task ended, and its output as a text.
func readTaskEnd(result object) update {
	u := update{kind: taskUpdate, task: getText(result, "taskId"), state: readStateJAF(getText(result, "status"))}
	if u.state == "" {
		return update{}
	}
	if output := result["output"]; output != nil {
		text := getText(output, "text")
		if text == "" {
			text = string(encodeJSON(output))
		}
		u.artifacts = []artifact{{id: replyID, text: text}}
	}
	return u
}
