package shape

// Valid instances of every definition, full ones first: the rules of a
// definition are broken on the first instance that has the place.

const (
	a2aMessage  = `{"role":"agent","parts":[{"type":"text","text":"hi","metadata":{}},{"type":"file","file":{"name":"a","mimeType":"image/png","bytes":"aGk=","uri":null}},{"type":"data","data":[1]}],"metadata":{"a":1}}`
	a2aArtifact = `{"name":"n","description":"d","parts":[{"type":"text","text":"hi"}],"index":0,"append":false,"lastChunk":true,"metadata":{}}`
	a2aStatus   = `{"state":"working","message":` + a2aMessage + `,"timestamp":"2024-03-15T10:00:05Z"}`
	a2aPush     = `{"url":"https://x.invalid/h","token":"t","authentication":{"schemes":["Bearer"],"credentials":"c"}}`
)

var a2aExamples = map[string][]string{
	"AgentCard": {
		`{"name":"n","description":"d","url":"https://x.invalid","provider":{"organization":"o","url":"u"},"version":"1",
		  "documentationUrl":"u","capabilities":{"streaming":true,"pushNotifications":false,"stateTransitionHistory":false},
		  "authentication":{"schemes":["Bearer"],"credentials":"c"},"defaultInputModes":["text/plain; charset=utf-8","*/*"],
		  "defaultOutputModes":["image/*"],"skills":[{"id":"i","name":"n"}],"extra":1}`,
		`{"name":"n","description":null,"url":"u","provider":null,"version":"1","documentationUrl":null,"capabilities":{},"authentication":null,"skills":[]}`,
	},
	"AgentProvider":       {`{"organization":"o","url":"u"}`, `{"organization":"o","url":null}`},
	"AgentCapabilities":   {`{"streaming":true,"pushNotifications":false,"stateTransitionHistory":false}`, `{}`},
	"AgentAuthentication": {`{"schemes":["Bearer"],"credentials":"c"}`, `{"schemes":[]}`},
	"AgentSkill": {
		`{"id":"i","name":"n","description":"d","tags":["t"],"examples":["e"],"inputModes":["text/plain"],"outputModes":["application/vnd.geo+json"]}`,
		`{"id":"i","name":"","description":null,"tags":null,"examples":null,"inputModes":null,"outputModes":null}`,
	},
	"Task": {
		`{"id":"t","sessionId":"s","status":` + a2aStatus + `,"artifacts":[` + a2aArtifact + `],"history":[` + a2aMessage + `],"metadata":{}}`,
		`{"id":"t","sessionId":null,"status":{"state":"unknown","message":null,"timestamp":null},"artifacts":null,"history":null,"metadata":null}`,
	},
	"TaskStatus":                 {a2aStatus, `{"state":"submitted"}`},
	"TaskState":                  {`"input-required"`},
	"Message":                    {a2aMessage},
	"Part":                       {`{"type":"text","text":"hi","metadata":{}}`, `{"type":"data","data":{}}`},
	"TextPart":                   {`{"type":"text","text":""}`},
	"FilePart":                   {`{"type":"file","file":{}}`},
	"DataPart":                   {`{"type":"data","data":[]}`, `{"type":"data","data":{}}`},
	"FileContent":                {`{"name":"a","mimeType":"image/png","bytes":"aGk=","uri":null}`, `{"bytes":null,"uri":"u"}`, `{}`},
	"Artifact":                   {a2aArtifact, `{"parts":[{"type":"data","data":[]}],"append":null,"index":1.0}`},
	"PushNotificationConfig":     {a2aPush, `{"url":"u","token":null,"authentication":null}`},
	"AuthenticationInfo":         {`{"schemes":["Bearer"],"credentials":"c"}`},
	"TaskPushNotificationConfig": {`{"id":"t","pushNotificationConfig":` + a2aPush + `}`, `{"id":"t","pushNotificationConfig":null}`},
	"JSONRPCRequest":             {`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}`},
	"JSONRPCResponse":            {`{"jsonrpc":"2.0","id":"a","result":null}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`},
	"JSONRPCError":               {`{"code":-32700,"message":"","data":null}`, `{"code":1.0,"message":"m"}`},
	"SendTaskStreamingResponse": {
		`{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":"working"}},"error":null}`,
		`{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"m"}}`,
	},
	"StreamEvent": {
		`{"id":"t","status":{"state":"working"},"final":false}`,
		`{"id":"t","artifact":` + a2aArtifact + `,"status":null}`,
	},
	"TaskStatusUpdateEvent":   {`{"id":"t","status":{"state":"working"},"final":false,"metadata":null}`},
	"TaskArtifactUpdateEvent": {`{"id":"t","artifact":` + a2aArtifact + `,"metadata":{}}`},
	"TaskSendParams":          {`{"id":"t","sessionId":null,"message":` + a2aMessage + `,"pushNotification":` + a2aPush + `,"historyLength":3,"metadata":null}`},
	"TaskQueryParams":         {`{"id":"t","historyLength":null,"metadata":{}}`},
	"TaskIdParams":            {`{"id":"t","metadata":{}}`},
}

const (
	jafMessage = `{"role":"agent","parts":[{"kind":"text","text":"hi"},{"kind":"data","data":{}},{"kind":"hologram"}],"messageId":"m","contextId":"c","kind":"message","timestamp":"2024-03-15T14:30:00Z","metadata":{}}`
	jafStatus  = `{"state":"failed","message":` + jafMessage + `,"timestamp":"2024-03-15T14:30:00Z","error":{"code":-32000,"message":"m","data":{}}}`
)

var jafExamples = map[string][]string{
	"AgentCard": {
		`{"name":"n","description":"d","version":"1.0.0","protocolVersion":"0.3.0","url":"https://x.invalid","capabilities":{"streaming":true},
		  "skills":[{"id":"i","name":"n","description":"d"}],"inputModes":["text"],"outputModes":["data"],
		  "authentication":{"required":false,"schemes":["bearer"]},"rateLimit":{"requests":100,"window":60,"burst":20}}`,
		`{"name":"n","description":"","version":"1","protocolVersion":"0.3.0","url":"u","capabilities":{},"skills":[],"inputModes":[],"outputModes":[],"authentication":null,"rateLimit":null}`,
	},
	"AgentCapabilities":   {`{"streaming":true,"pushNotifications":false,"stateTransitionHistory":null,"contextAccumulation":true}`, `{}`},
	"AgentSkill":          {`{"id":"i","name":"n","description":"d","tags":["t"],"examples":[{"input":"a","output":"b"}]}`, `{"id":"i","name":"n","description":"d","tags":null,"examples":null}`},
	"SkillExample":        {`{"input":"a","output":"b"}`},
	"AgentAuthentication": {`{"required":true,"schemes":["bearer"]}`},
	"RateLimit":           {`{"requests":100,"window":60,"burst":0}`, `{"requests":1,"window":1,"burst":null}`},
	"Message":             {jafMessage, `{"role":"system","parts":[{"kind":"x"}],"messageId":"m","contextId":"","kind":"message","timestamp":null,"metadata":null}`},
	"Part":                {`{"kind":"text","text":"hi"}`, `{"kind":"data","payload":1}`, `{"kind":"hologram"}`},
	"TextPart":            {`{"kind":"text","text":""}`},
	"DataPart":            {`{"kind":"data","data":null,"metadata":{}}`},
	"Task":                {`{"id":"t","contextId":"c","kind":"task","status":` + jafStatus + `}`},
	"TaskStatus":          {jafStatus, `{"state":"cancelled","message":null,"timestamp":"x","error":null}`},
	"TaskState":           {`"submitted"`},
	"A2AError":            {`{"code":-32000,"message":"","data":[]}`},
	"JSONRPCRequest":      {`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}}`},
	"JSONRPCResponse":     {`{"jsonrpc":"2.0","id":"a","result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`},
	"JSONRPCError":        {`{"code":-32000,"message":"m","data":{"errorType":"E","traceId":"t","other":1}}`, `{"code":1,"message":"m","data":null}`},
	"Completion":          {`{"kind":"completion","taskId":"t","contextId":"c","message":` + jafMessage + `,"final":true}`},
	"CancelResult":        {`{"id":"t","cancelled":false,"timestamp":"x"}`},
	"StreamResponse": {
		`{"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t","status":` + jafStatus + `,"final":false}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m"}}`,
	},
	"StreamEvent": {
		`{"kind":"status-update","taskId":"t","status":` + jafStatus + `,"final":true}`,
		`{"kind":"partial-completion","taskId":"t","message":` + jafMessage + `,"final":false}`,
		`{"kind":"completion","taskId":"t","message":` + jafMessage + `,"final":true}`,
		`{"kind":"error","error":{}}`,
	},
	"StatusUpdate":      {`{"kind":"status-update","status":` + jafStatus + `}`},
	"PartialCompletion": {`{"kind":"partial-completion","message":` + jafMessage + `,"final":false}`},
	"CompletionEvent":   {`{"kind":"completion","message":` + jafMessage + `,"final":true}`},
	"ErrorEvent":        {`{"kind":"error","error":null}`},
	"MessageSendParams": {`{"message":` + jafMessage + `,"configuration":{}}`, `{"message":` + jafMessage + `,"configuration":null}`},
	"Configuration":     {`{"maxTurns":10,"timeout":30000,"priority":"normal"}`, `{}`},
	"TaskQueryParams":   {`{"id":"t"}`},
	"TaskCancelParams":  {`{"id":"t","reason":"r"}`},
}
