package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/signature"
)

// hookedClient is a client that registers a webhook with its message, and waits until that was called for the end of its task.
type hookedClient struct {
	answer http.HandlerFunc // of the webhook
	config string           // a template of the webhook's configuration
	hooks  []string         // addresses that are registered in place of its own
	leaves bool             // as soon as it has registered them
	waits  bool             // for the end of its task, before it registers anything
	anew   string           // as config: what it registers for the task after its message
	after  int              // the notifications that it gets before that
	with   []string         // further extras

	started func(t *Task) // is called at each start; may be nil
	drops   bool          // it takes the webhook back in place of that
	polls   bool          // until its task has ended, and not until its webhook was called for that

	scenario string // whose last start is looked at
	mu       sync.Mutex
	came     []*http.Request
	text     []string
}

func (c *hookedClient) run(ctx context.Context, t *Task) error {
	if c.started != nil {
		c.started(t)
	}
	if t.Scenario == c.scenario { // it is played again if the machine was busy
		c.mu.Lock()
		c.came, c.text = nil, nil
		c.mu.Unlock()
	}
	ended, due := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		if t.Scenario == c.scenario {
			c.mu.Lock()
			c.came, c.text = append(c.came, q), append(c.text, string(body))
			if len(c.came) == c.after {
				close(due)
			}
			c.mu.Unlock()
		}
		if c.answer != nil {
			c.answer(w, q)
		}
		if strings.Contains(strings.ToLower(string(body)), "completed") {
			close(ended)
		}
	}))
	defer server.Close()
	member, method, wait := "taskPushNotificationConfig", "SendMessage", `"returnImmediately":true`
	if t.Dialect == a2a03 {
		member, method, wait = "pushNotificationConfig", "message/send", `"blocking":false`
	}
	all := c.hooks
	if len(all) == 0 {
		all = []string{server.URL + "/hook"}
	}
	for _, address := range all {
		config := ""
		if strings.HasPrefix(t.Scenario, "push") && !c.waits {
			address = strings.ReplaceAll(address, "OWN", strings.TrimPrefix(t.URL, "http://"))
			config = fmt.Sprintf(`,%q:{"url":%q%s}`, member, address, c.config)
		}
		if c.waits {
			wait = `"historyLength":1`
		}
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"message":{"messageId":"m","role":"user","parts":[{"text":"x"}]},"configuration":{%s%s}}}`, method, wait, config)
		answer, err := postCall(t, text)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(t.Scenario, "push") || c.anew == "" && !c.drops {
			continue
		}
		if c.after > 0 {
			select {
			case <-due:
			case <-ctx.Done():
			}
		}
		var made struct {
			Result struct{ Task struct{ ID string } }
		}
		if err := json.Unmarshal(answer, &made); err != nil {
			return err
		}
		text = fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"CreateTaskPushNotificationConfig","params":{"taskId":%q,"url":"%s/anew"%s}}`, made.Result.Task.ID, server.URL, c.anew)
		if c.drops {
			text = fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"DeleteTaskPushNotificationConfig","params":{"taskId":%q,"id":"1"}}`, made.Result.Task.ID)
		}
		if _, err := postCall(t, text); err != nil || c.drops {
			return err
		}
	}
	for strings.HasPrefix(t.Scenario, "push") && !c.leaves && ctx.Err() == nil {
		if c.polls && c.hasEnded(t) {
			return nil
		}
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond): // before the next look
		}
	}
	return nil
}

// postCall makes a call by JSON-RPC, prints the answer and returns it.
func postCall(t *Task, text string) ([]byte, error) {
	q, _ := http.NewRequest(http.MethodPost, t.RPC, strings.NewReader(text))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("A2A-Version", "1.0")
	response, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	t.Stdout.Write(answer)
	return answer, err
}

// hasEnded reports whether the first task of the client has ended.
func (c *hookedClient) hasEnded(t *Task) bool {
	response, err := http.Get(strings.TrimSuffix(t.RPC, rpcPath) + restPath + "/tasks")
	if err != nil {
		return true
	}
	defer response.Body.Close()
	var list struct {
		Tasks []struct{ Status struct{ State string } }
	}
	return json.NewDecoder(response.Body).Decode(&list) != nil || len(list.Tasks) == 0 || list.Tasks[0].Status.State == "TASK_STATE_COMPLETED"
}

// playHooked plays a scenario with a client that registers a webhook.
func playHooked(t *testing.T, dialect, scenario, hook string, c *hookedClient) *record.Play {
	t.Helper()
	c.scenario = scenario
	tr, err := Run(t.Context(), Config{Dialect: loadDialect(t, dialect), Scenarios: []string{scenario}, With: append([]string{WithWebhook}, c.with...), Hook: hook, Func: c.run, pace: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := record.WriteHAR(&text, tr); err != nil {
		t.Fatal(err)
	}
	back, err := record.ReadHAR(&text)
	if err != nil {
		t.Fatal(err)
	}
	return back.Play(scenario)
}

// describeDeliveries returns the steps of deliveries in short.
func describeDeliveries(p *record.Play) string {
	var out []string
	for _, s := range p.Steps {
		switch {
		case !strings.HasPrefix(s.Name, "notify-"):
		case s.Exchange == nil:
			out = append(out, s.Name+" unsent")
		default:
			out = append(out, fmt.Sprintf("%s %d", s.Name, s.Exchange.Status()))
		}
	}
	return strings.Join(out, ", ")
}

const bearerHook = `,"token":"the-token","authentication":{"scheme":"Bearer","schemes":["Bearer"],"credentials":"the-credential"}`

func TestCourierBringsGenuineNotifications(t *testing.T) {
	t.Parallel()
	for dialect, want := range map[string]string{
		a2a10: "notify-task 200, notify-message 200, notify-artifact 200, notify-unknown 200, notify-state 200, notify-state-2 200, notify-end 200",
		a2a03: "notify-task 200, notify-short 200, notify-unknown 200, notify-state 200, notify-state-2 200, notify-end 200",
	} {
		c := &hookedClient{config: bearerHook}
		p := playHooked(t, dialect, "push", "", c)
		if got := describeDeliveries(p); got != want {
			t.Errorf("%s: got %s, want %s", dialect, got, want)
		}
		for i, q := range c.came {
			if q.Header.Get("Authorization") != "Bearer the-credential" || q.Header.Get("X-A2A-Notification-Token") != "the-token" || !json.Valid([]byte(c.text[i])) || !strings.Contains(c.text[i], p.Step("notify-task").Task) {
				t.Errorf("%s: %v brought %s", dialect, q.Header, c.text[i])
			}
		}
		if n := len(c.text); n > 2 && c.text[n-2] != c.text[n-3] {
			t.Errorf("%s: the repeated notification is another one: %s", dialect, c.text[n-2])
		}
		for _, s := range p.Steps {
			if x := s.Exchange; strings.HasPrefix(s.Name, "notify-") && (x.Dir != record.Out || s.Invalid || bytes.Contains(x.Request.Head, []byte("the-credential"))) {
				t.Errorf("%s: the record has %s %s", dialect, x.Dir, x.Request.Head)
			}
		}
	}
}

func TestCourierBringsForgedNotifications(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		bearerHook:             "notify-genuine 200, notify-genuine-2 200, notify-genuine-3 200, notify-bare 200, notify-wrong 200, notify-token-wrong 200, notify-token-none 200, notify-stranger 200, notify-end 200",
		`,"token":"the-token"`: "notify-genuine 200, notify-genuine-2 200, notify-genuine-3 200, notify-token-wrong 200, notify-token-none 200, notify-stranger 200, notify-end 200",
		``:                     "notify-genuine 200, notify-genuine-2 200, notify-genuine-3 200, notify-stranger 200, notify-end 200",
		`,"authentication":{"scheme":"Basic","credentials":"user:word"}`: "notify-genuine unsent, notify-genuine-2 unsent, notify-genuine-3 unsent, notify-stranger unsent, notify-end unsent",
		`,"authentication":{"scheme":"Basic","credentials":"dTp3"}`:      "notify-genuine 200, notify-genuine-2 200, notify-genuine-3 200, notify-bare 200, notify-wrong 200, notify-stranger 200, notify-end 200",
		`,"authentication":{"scheme":"Bearer"}`:                          "notify-genuine unsent, notify-genuine-2 unsent, notify-genuine-3 unsent, notify-stranger unsent, notify-end unsent",
	} {
		c := &hookedClient{config: config, polls: strings.Contains(want, "unsent")}
		p := playHooked(t, a2a10, "push-forged", "", c)
		if got := describeDeliveries(p); got != want {
			t.Errorf("%s: got %s, want %s", config, got, want)
		}
		for i, q := range c.came {
			known := strings.Contains(c.text[i], p.Step("notify-genuine").Task)
			right := q.Header.Get("Authorization") == "Bearer the-credential" && q.Header.Get("X-A2A-Notification-Token") == "the-token"
			forged := strings.Contains(c.text[i], "REQUIRED") || !known
			if config == bearerHook && (known && right == forged) {
				t.Errorf("%v brought %s", q.Header, c.text[i])
			}
		}
		for _, s := range p.Steps {
			if genuine := strings.HasPrefix(s.Name, "notify-genuine") || s.Name == "notify-end"; strings.HasPrefix(s.Name, "notify-") && s.Invalid == genuine {
				t.Errorf("%s: invalid is %v", s.Name, s.Invalid)
			}
		}
	}
}

// The second webhook of a task has no foreign credentials: both are the client's own for it.
// A webhook that asks for tokens gets genuine ones, each for it alone, and then others; one with a credential of its own gets that.
func TestCourierBringsTokens(t *testing.T) {
	t.Parallel()
	const forged = ", notify-jwt-none 200, notify-jwt-stranger 200, notify-jwt-changed 200, notify-jwt-audience 200, notify-jwt-expired 200, notify-jwt-old 200"
	for dialect, config := range map[string]string{a2a10: `,"authentication":{"scheme":"bearer"}`, a2a03: `,"authentication":{"schemes":["Bearer"]}`, a2a10 + " ": bearerHook} {
		var keys *signature.Keys
		c := &hookedClient{config: config, with: []string{WithKeys}}
		c.started = func(task *Task) {
			if task.Scenario != "push-jwt" { // of others that run at the same time
				return
			}
			if text, err := os.ReadFile(task.Keys); err == nil {
				keys, _ = signature.ReadKeys(text)
			}
		}
		want := "notify-genuine 200, notify-genuine-2 200, notify-genuine-3 200" + forged + ", notify-end 200"
		asks := config != bearerHook
		if !asks {
			want = strings.Replace(want, forged, "", 1)
		}
		p := playHooked(t, strings.TrimSpace(dialect), "push-jwt", "", c)
		if got := describeDeliveries(p); got != want {
			t.Errorf("%s: got %s, want %s", dialect, got, want)
			continue
		}
		if !asks {
			if got := c.came[0].Header.Get("Authorization"); got != "Bearer the-credential" {
				t.Errorf("got %s", got)
			}
			continue
		}
		var seen []string
		for i, q := range c.came {
			_, token, _ := strings.Cut(q.Header.Get("Authorization"), " ")
			parts := strings.Split(token, ".")
			var claims struct {
				Aud      any
				Iat, Exp int64
				Digest   string `json:"request_body_sha256"`
			}
			content, err := base64.RawURLEncoding.DecodeString(parts[1])
			if err != nil || len(parts) != 3 || json.Unmarshal(content, &claims) != nil {
				t.Fatalf("%s is no token: %v", token, err)
			}
			state := "unsigned"
			if made, err := signature.Read(parts[0], parts[2]); err == nil && slices.ContainsFunc(keys.For("conform-own", "ES256"), func(k signature.Key) bool { return made.Covers(content, k) }) {
				state = "signed"
			}
			if !strings.Contains(fmt.Sprint(claims.Aud), "http://"+q.Host+q.URL.Path) {
				state += " for another"
			}
			if now := time.Now().Unix(); claims.Exp != 0 && claims.Exp < now {
				state += " over"
			} else if claims.Exp == 0 {
				state += fmt.Sprintf(" %d h old", (now-claims.Iat)/3600)
			}
			if digest := sha256.Sum256([]byte(c.text[i])); hex.EncodeToString(digest[:]) != claims.Digest {
				t.Errorf("%s: the digest %s is that of another body", dialect, claims.Digest)
			}
			seen = append(seen, state)
		}
		if got, want := strings.Join(seen, ", "), "signed, signed, signed, unsigned, unsigned, unsigned, signed for another, signed over, signed 1 h old, signed"; got != want {
			t.Errorf("%s: got %s, want %s", dialect, got, want)
		}
	}
}

func TestCourierTellsWebhooksOfTasksApart(t *testing.T) {
	t.Parallel()
	const other = `,"token":"another","authentication":{"scheme":"Bearer","credentials":"another"}`
	bare := "notify-bare 200, notify-wrong 200, "
	token := "notify-token-wrong 200, notify-token-none 200, "
	for configs, want := range map[[2]string]string{
		{bearerHook, other}:             bare + token,
		{"", other}:                     "",
		{`,"token":"the-token"`, other}: token,
	} {
		c := &hookedClient{config: configs[0], anew: configs[1]}
		p := playHooked(t, a2a10, "push-forged", "", c)
		if got, want := describeDeliveries(p), "notify-genuine 200, notify-genuine-2 200, notify-genuine-3 200, "+want+"notify-stranger 200, notify-end 200"; got != want {
			t.Errorf("%s: got %s, want %s", configs, got, want)
		}
	}
}

func TestCourierAwaitsTheWebhookOfAnotherTask(t *testing.T) {
	t.Parallel()
	st := &stage{pace: 0.01}
	one, two := &task{id: "1"}, &task{id: "2"}
	c := &courier{stage: st, ctx: t.Context(), hooks: []*hook{{task: one}}, more: make(chan struct{}, 1)}
	if got := c.awaitHookOfOtherTask(one); got != nil {
		t.Errorf("got %v for one task", got)
	}
	c.hooks = append(c.hooks, &hook{task: two})
	if got := c.awaitHookOfOtherTask(one); got != c.hooks[1] {
		t.Errorf("got %v, want the webhook of the other task", got)
	}
}

// Once a client has registered other credentials for a task, it sees those alone.
func TestCourierBringsWhatWasRegisteredLast(t *testing.T) {
	t.Parallel()
	c := &hookedClient{config: bearerHook, anew: `,"token":"new","authentication":{"scheme":"Bearer","credentials":"new"}`, after: 2}
	p := playHooked(t, a2a10, "push", "", c)
	if got, want := describeDeliveries(p), "notify-task 200, notify-message 200, notify-artifact 200, notify-unknown 200, notify-state 200, notify-state-2 200, notify-end 200"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i, q := range c.came {
		if fresh := q.URL.Path == "/anew" && q.Header.Get("Authorization") == "Bearer new" && q.Header.Get("X-A2A-Notification-Token") == "new"; i != 2 && fresh != (i > 2) { // the third may be on its way
			t.Errorf("notification %d came to %s with %v", i+1, q.URL.Path, q.Header)
		}
	}
}

func TestCourierBringsNothingToWebhooksThatAreTakenBack(t *testing.T) {
	t.Parallel()
	c := &hookedClient{config: bearerHook, drops: true, after: 2}
	p := playHooked(t, a2a10, "push", "https://hooks.example.com/a", c) // which may outlive the client
	if got := describeDeliveries(p); strings.Contains(got, "notify-end") || !strings.HasPrefix(got, "notify-task 200, notify-message 200") {
		t.Errorf("got %s", got)
	}
}

// A task that had ended before its webhook was registered does not come to life again.
func TestCourierRevivesNoTask(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"push", "push-forged"} {
		c := &hookedClient{waits: true, anew: bearerHook}
		p := playHooked(t, a2a10, scenario, "", c)
		if got := describeDeliveries(p); got != "notify-end 200" {
			t.Errorf("%s: got %s", scenario, got)
		}
	}
}

// What a client registers is untrusted.
func TestCourierCallsNoOtherHosts(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://192.0.2.1/hook":           "neither on this machine nor at the host",
		"https://hooks.example.com/":      "neither on this machine nor at the host",
		"http://localhost.example.com/":   "neither on this machine nor at the host",
		"http://127.0.0.1@hooks.example/": "has a user or password",
		"http://OWN/agent/rpc":            "an address of this program",
		"file:///etc/passwd":              "no http or https URL",
		"//127.0.0.1:1/":                  "no http or https URL",
		"127.0.0.1:80":                    "no http or https URL",
		"":                                "no http or https URL",
		"http://[::ffff:192.0.2.1]:80/x":  "neither on this machine nor at the host",
		"http://127.0.0.1:1/" + strings.Repeat("x", record.MaxID): "no http or https URL",
	} {
		p := playHooked(t, a2a10, "push", "", &hookedClient{hooks: []string{address}, config: bearerHook, polls: true})
		if s := p.Step("notify-task"); s == nil || s.Exchange != nil || !strings.Contains(s.NotSent, want) {
			t.Errorf("%.60s: %+v", address, s)
		}
	}
}

// The host that the operator names is called, whatever the rest of the address is.
func TestCourierCallsTheHostThatIsNamed(t *testing.T) {
	t.Parallel()
	c := &courier{stage: &stage{bases: []string{"http://127.0.0.1:9"}}, session: &session{}}
	if err := (&Config{With: []string{WithWebhook}, Hook: "https://hooks.example.com/a"}).validateHook(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Config{{Hook: "https://hooks.example.com/a"}, {With: []string{WithWebhook}, Hook: "hooks.example.com"}, {With: []string{WithWebhook}, Hook: "ftp://hooks.example.com"}, {With: []string{WithWebhook}, Hook: "http://a:b@hooks.example.com"}} {
		if err := bad.validateHook(); err == nil {
			t.Errorf("%s is accepted", bad.Hook)
		}
	}
	for named, addresses := range map[string]map[string]bool{
		"":                              {"203.0.113.7:443": false, "127.0.0.1:8": true, "[::1]:8": true, "192.0.2.1:80": false},
		"https://hooks.example.com/any": {"203.0.113.7:443": true, "203.0.113.7:22": false, "127.0.0.1:8": true},
	} {
		c.named = parseAddress(named)
		for address, want := range addresses {
			if err := c.checkReach("tcp", address); (err == nil) != want {
				t.Errorf("named %q: %s: %v", named, address, err)
			}
		}
	}
	c.named = parseAddress("https://hooks.example.com/any")
	for address, want := range map[string]bool{"https://hooks.example.com/other": true, "https://HOOKS.example.com:443": true, "https://hooks.example.com:8443/": false, "http://hooks.example.com/": false} {
		if why, _ := c.checkAddress(address); (why == "") != want {
			t.Errorf("%s: %s", address, why)
		}
	}
}

func TestCourierReadsLittleAndFollowsNothing(t *testing.T) {
	t.Parallel()
	followed := false
	c := &hookedClient{answer: func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path == "/followed":
			followed = true
		case strings.Contains(q.URL.Path, "hook"):
			w.Header().Set("Location", "/followed")
			w.WriteHeader(http.StatusTemporaryRedirect)
			w.Write(bytes.Repeat([]byte("x"), 1<<20))
		}
	}}
	p := playHooked(t, a2a03, "push", "", c)
	s := p.Step("notify-task")
	if followed || s == nil || s.Exchange.Status() != http.StatusTemporaryRedirect || len(s.Exchange.Response.Body) > 2*maxAcknowledgement || s.Exchange.Ended != record.OurClose {
		t.Errorf("followed %v, %+v", followed, s)
	}
}

// A client that goes before its task has ended is notified no more, and the play ends with it.
func TestCourierEndsWithTheClient(t *testing.T) {
	t.Parallel()
	c := &hookedClient{config: bearerHook, leaves: true}
	tr, err := Run(t.Context(), Config{Dialect: loadDialect(t, a2a10), Scenarios: []string{"push"}, With: []string{WithWebhook}, Func: c.run, pace: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if got := describeDeliveries(tr.Play("push")); got != "" || tr.Duration > leaveTime*1000 {
		t.Errorf("got %s after %v", got, tr.Duration)
	}
}

func parseAddress(text string) *url.URL {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}
