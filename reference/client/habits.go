package client

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// habits are what clients do differently. Those of the first two groups are liberties that
// the protocol gives; the others are mistakes, which only mutants have.
type habits struct {
	// How long the client waits, and how often it takes a stream up again.
	startPause     time.Duration // before everything
	pause          time.Duration // before the first look at a task; the next ones are longer, up to five times
	reconnectPause time.Duration // times the number of the attempt
	maxReconnects  int
	authPatience   time.Duration // with a task that waits for an authorisation by others

	style          style
	bindings       []string // that the client has
	history        int      // how many messages of the history it asks for when it looks at a task; 0 for no number
	streaming      bool     // messages are sent by a stream if the card claims streaming
	immediately    bool     // the agent is asked not to wait for the end of the task
	numericIDs     bool
	extraHeaders   bool
	bothPaths      bool // the older well-known path is asked too
	rich           bool // messages use every member
	lists          bool
	webhook        bool
	extendedCard   bool
	looksMeanwhile bool // a task is looked up once while its stream brings nothing
	keepsCard      bool // the card is kept as long as its response allows

	// At the card, and at the choice of the interface.
	cardPath           string
	cardStays          bool // redirects of its address are not followed
	cardFallback       bool // without a usable card, the given URL is called
	refuseCard         func(card object) error
	chooseEndpoints    func(s *session, all, usable []endpoint) []endpoint
	allExtensions      bool // whatever the card lists is activated
	firstInterfaceOnly bool
	extendedUndeclared bool
	streamUndeclared   bool
	webhookUndeclared  bool
	webhookEachTime    bool // a webhook goes with messages to a task that there is, too
	extendedIgnored    bool // the public card counts, whatever the extended one is
	freshCardFetched   bool // a card that is kept is fetched in full while it is fresh
	cardUnconditional  bool // a stale card is asked for without a condition
	unchangedCardFatal bool // the answer that a card is unchanged is read as a card
	firstCardStays     bool // cards that are fetched later change nothing

	// At a handshake of TLS.
	lowestTLS, highestTLS uint16 // 0 for those of crypto/tls
	anyIssuer             bool   // the certificate may be of anybody
	anyName               bool   // for any host
	anyTime               bool   // and of any time

	// At the signatures of a card.
	signaturesIgnored bool
	servedFormSigned  bool // they are verified over the card as it is served
	keysByHTTP        bool // keys are fetched from addresses of http too
	absentKeyTrusted  bool // a key that its address does not have is no reason to refuse

	// In a directory.
	anyAgent        bool // the first agent is called, whatever it has
	emptyListCalled bool // a task is sent although no agent was found
	directoryCalled bool // tasks are sent to the directory
	agentsByPost    bool

	// Before a request.
	beforeSending func(*call)

	// At credentials.
	credentialsEverywhere bool // with the card too
	firstAlternative      bool
	firstScheme           bool
	allBearer             bool
	keysInHeader          bool
	guessesTokenURL       bool
	credentialsByHTTP     bool // of a card that came by TLS
	withoutProofKey       bool // the authorization code flow is gone through without PKCE
	httpsBecomesHTTP      bool // the addresses of a card are called by plain HTTP
	afterCredentials      func(*call, *http.Request)
	awaitsExtensions      bool // an answer that activates none of those that were asked for is waited for
	leavesOrigin          bool // redirects to other origins are followed
	carriesCredentials    bool // and credentials go along
	postBecomesGet        bool

	// After a response.
	maxBody               int  // what comes later of a response is lost; 0 for nothing
	hangsAtLongBodies     bool // and is waited for
	refuseResult          func(s *session, result object) error
	rewriteError          func(c *call, e *rpcError, data any) error
	needsLength           bool
	statusHidesError      bool
	idBeforeError         bool
	takesAnyID            bool
	anythingIsSuccess     bool
	exactMediaType        bool
	readsAnythingAsStream bool
	ignoresAppend         bool
	anyEndIsDone          bool

	// On an event line, and in the life of a stream.
	stream        streamFaults
	readLimit     time.Duration // of a whole stream; 0 for none
	waitsForFinal bool
	waitsForClose bool
	cutIsSuccess  bool
	waitingIsCut  bool

	// Before what comes is reported.
	swapsReports     bool // an artifact of a stream is reported after the event that follows it, every second time
	readsStreamWhole bool
	takesAnyEventID  bool
	envelopesAlone   bool // an event without an envelope is not read

	// While a task is followed.
	endsOnlyAtCompleted  bool
	unknownIsEnd         bool
	authIsEnd            bool
	authIgnored          bool
	authIsFailure        bool
	followsNot           bool
	takesErrorsForNotYet bool
	insteadOfFollowing   func(s *session, m outgoingMessage) error
	afterwards           func(*session) error
	unlimited            bool

	// At a command of the variant reporting.
	lacks             string // the command for which the client has nothing
	wishIsState       bool   // a task that was to be canceled is reported as canceled
	questionIsEnd     bool   // a task that asks back is reported as ended
	appendsOldPieces  bool   // the task at the beginning of a subscription is added to what is known
	leavesStreamOpen  bool   // a stream that is not read any more is not closed for a while
	startsListOver    bool   // after the last page, the list is asked for once more by its empty token
	listsWithoutLimit bool   // a list is followed whatever its tokens are

	// At a push notification.
	plainJSONAlone  bool // those of the media type application/a2a+json are refused
	noticesLost     bool // all are answered by 404
	noticesBelieved bool // whatever they show
	tokenAlone      bool // a webhook is registered without an authentication
	tokenUnread     bool
	jwtUnverified   bool // the signature of a token, for whom it is and until when are not looked at
	jwtOfAnyAge     bool // when a token was issued is not looked at
	anyTaskNoticed  bool // those about tasks that are not known are passed on
	noticesRepeat   bool // as often as they come
	refuseNotice    func(content object) bool
	noticeDelay     time.Duration // before the first one is answered

	// At limits.
	limitsIgnored bool // calls are made although none is left

	// At a retry.
	retry func(attempt) (again bool, wait time.Duration)
}

// newHabits returns what clients do that are like no other.
func newHabits(pause time.Duration) *habits {
	return &habits{bindings: []string{jsonrpcBinding}, pause: pause, reconnectPause: pause * 3 / 2, maxReconnects: 3, authPatience: 15 * pause, retry: decideRetry}
}

// isEnd reports whether a task in the state is not followed any more: it has ended, or
// waits for the user.
func (h *habits) isEnd(s state) bool {
	switch {
	case h.endsOnlyAtCompleted:
		return s == completed
	case h.unknownIsEnd && !s.isKnown():
		return true
	}
	return s.isTerminal() || s == inputRequired
}

// A variant is a healthy client.
type variant struct {
	name, summary string
	dialect       string // "" for every one
	edit          func(*habits)
}

// belongsTo reports whether the variant is one of a dialect.
func (v *variant) belongsTo(dialect string) bool {
	d, err := findDialect(dialect)
	return err == nil && (v.dialect == "" || v.dialect == dialect) && d.hasChoice(v.name)
}

// defaultVariant is that of a client whose Options name none.
const defaultVariant = "plain"

var variants = []variant{
	{name: defaultVariant, summary: "sends, polls, and prints states and texts"},
	{name: "streaming", summary: "streams if the card claims streaming, and subscribes after a cut", edit: func(h *habits) { h.streaming = true }},
	{name: "terse", summary: "prints the result alone", edit: func(h *habits) { h.style = terseStyle }},
	{name: "chatty", summary: "streams, and prints everything with decoration", edit: func(h *habits) { h.style, h.streaming = chattyStyle, true }},
	{name: "numeric-ids", summary: "counts its calls in the id of JSON-RPC", edit: func(h *habits) { h.numericIDs = true }},
	{name: "extra-headers", summary: "sends headers for tracing and languages", edit: func(h *habits) { h.extraHeaders = true }},
	{name: "both-paths", summary: "asks for the card at the older well-known path too", edit: func(h *habits) { h.bothPaths = true }},
	{name: "polling", summary: "asks the agent not to wait, and polls", edit: func(h *habits) { h.immediately = true }},
	{name: "slow", summary: "waits before it begins", edit: func(h *habits) { h.startPause = h.pause * 3 / 2 }},
	{name: "rich", summary: "uses every member of a message", edit: func(h *habits) { h.rich = true }},
	{name: "webhook", summary: "registers a webhook with each message if the card claims push notifications", edit: func(h *habits) { h.webhook = true }},
	{name: "extended", summary: "asks for the extended card if there is one", edit: func(h *habits) { h.extendedCard = true }},
	{name: "reporting", summary: "does what its context asks for, and reports in JSON what it saw", edit: func(h *habits) {
		h.style, h.streaming, h.keepsCard, h.bindings = reportStyle, true, true, []string{jsonrpcBinding, grpcBinding}
	}},
	{name: "thorough", summary: "does what its context asks for and reports, with files, metadata, traces, webhooks and filters", edit: beThorough},
	{name: "thorough-rest", summary: "is thorough in HTTP+JSON alone", edit: func(h *habits) {
		beThorough(h)
		h.bindings = []string{restBinding}
	}},
	{name: "rest", summary: "makes its calls in HTTP+JSON, and lists tasks if there is a call for that", edit: func(h *habits) {
		h.bindings, h.streaming, h.immediately, h.history, h.lists = []string{restBinding}, true, true, 3, true
	}},
	{name: "both-bindings", summary: "makes its calls in JSON-RPC or HTTP+JSON, in the order of the card", edit: func(h *habits) { h.bindings = []string{jsonrpcBinding, restBinding} }},
	{name: "grpc", summary: "makes its calls in gRPC if the card has that alone", edit: func(h *habits) {
		h.bindings, h.streaming, h.immediately = []string{jsonrpcBinding, grpcBinding}, true, true
	}},
	{name: "lists", summary: "lists the tasks of the context at the end", dialect: "a2a-1.0", edit: func(h *habits) { h.lists = true }},
}

// beThorough makes the habits those of a client that reports, and does what is optional as well.
func beThorough(h *habits) {
	h.style, h.streaming, h.keepsCard, h.bindings = reportStyle, true, true, []string{jsonrpcBinding, grpcBinding}
	h.immediately, h.rich, h.extraHeaders, h.webhook, h.lists, h.history, h.looksMeanwhile = true, true, true, true, true, 3, true
}

// Info describes a variant or a mutant.
type Info struct {
	Name, Summary string
	Place         string // of a mutant: the step at which it differs
	Variant       string // of a mutant: in which variant it shows
}

// Variants returns the healthy clients of a dialect, the default one first.
func Variants(dialect string) (all []Info) {
	for _, v := range variants {
		if v.belongsTo(dialect) {
			all = append(all, Info{Name: v.name, Summary: v.summary})
		}
	}
	return all
}

func findVariant(dialect, name string) (variant, error) {
	for _, v := range variants {
		if v.name == name && v.belongsTo(dialect) {
			return v, nil
		}
	}
	return variant{}, fmt.Errorf("the client for %s has no variant %q; choose one of %s", dialect, name, joinNames(Variants(dialect)))
}

// joinNames returns the names of some variants or mutants as a text.
func joinNames(all []Info) string {
	var names []string
	for _, i := range all {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
