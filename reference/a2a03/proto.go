package a2a03

import (
	"maps"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The objects of JSON-RPC and the messages of the definition of the service are two forms
// of the same. This file turns one into the other: what is read is ProtoJSON in its plain
// form, and what is written may have more members, which have no place in a message.

// messageOf is the type of the request, or else of the result, of a method.
func messageOf(method string, input bool) protoreflect.MessageDescriptor {
	service, err := Service()
	if err != nil {
		panic(err) // the definition is part of this program
	}
	for procedure, m := range methods {
		if m != method {
			continue
		}
		rpc := service.Methods().ByName(protoreflect.Name(procedure))
		if input {
			return rpc.Input()
		}
		return rpc.Output()
	}
	return nil
}

// readProto reads a request of HTTP+JSON in the form of the definition.
func readProto(method string, params any) (any, *front.RPCError) {
	var d protoreflect.MessageDescriptor
	switch method {
	case sendMethod, streamMethod:
		d = messageOf(method, true)
	case SetPushConfigMethod: // the body is one field of the request
		d = messageOf(method, true).Fields().ByName("config").Message()
	default:
		return fromProto(method, params), nil
	}
	read, err := front.ReadAs(params, d)
	if err != nil {
		return nil, &front.RPCError{Code: front.CodeInvalidParams, Message: "The body is no " + string(d.Name()) + "."}
	}
	if method == SetPushConfigMethod {
		read = map[string]any{"config": read}
	}
	return fromProto(method, read), nil
}

// readConfigured reads a push configuration that is in a member of the body, beside what
// the path says already or without it.
func readConfigured(params any) (any, *front.RPCError) {
	if m, ok := params.(map[string]any); ok {
		if config := front.Object(m, "config"); config != nil && front.Object(config, "pushNotificationConfig") == nil {
			m["config"] = map[string]any{"pushNotificationConfig": config}
		}
	}
	read, err := front.ReadAs(params, messageOf(SetPushConfigMethod, true))
	if err != nil {
		return nil, &front.RPCError{Code: front.CodeInvalidParams, Message: "The body holds no configuration."}
	}
	return fromProto(SetPushConfigMethod, read), nil
}

// writeProto writes a result over HTTP+JSON in the form of the definition. A lavish server
// leaves in what a message has no room for. The card is the one that all clients fetch.
func writeProto(x *front.Reply, result any) any {
	d := messageOf(x.Method(), false)
	if x.Method() == ExtendedCardMethod || d == nil || result == nil {
		return result
	}
	written := toProto(x.Method(), result)
	if x.Server.Variant.Lavish {
		return written
	}
	return front.WrittenAs(written, d)
}

// fromProto gives the params of a method the form of JSON-RPC. The name of what is meant
// stays beside the id that it holds; a name of another form holds none.
func fromProto(method string, params any) any {
	m, ok := params.(map[string]any)
	if !ok {
		return params
	}
	unlimited(m)
	switch method {
	case sendMethod, streamMethod:
		if message := front.Object(m, "message"); message != nil {
			readMessage(message)
		}
		if c := front.Object(m, "configuration"); c != nil {
			unlimited(c)
			if c["blocking"] == nil { // false and none are the same
				c["blocking"] = false
			}
			move(c, "pushNotification", "pushNotificationConfig")
		}
	case SetPushConfigMethod:
		task, _ := resource(front.Text(m, "parent"))
		return setParams(m, task)
	default:
		task, config := resource(front.Text(m, "parent") + front.Text(m, "name"))
		if task != "" {
			m["id"] = task
		}
		if config != "" {
			m["pushNotificationConfigId"] = config
		}
	}
	return m
}

// unlimited takes out a limit of 0, which is none here.
func unlimited(m map[string]any) {
	if m["historyLength"] == front.Num(0) {
		delete(m, "historyLength")
	}
}

// resource reads the name of a task, or of one of its push configurations.
func resource(name string) (task, config string) {
	rest, ok := strings.CutPrefix(name, "tasks/")
	if !ok {
		return "", ""
	}
	task, config, _ = strings.Cut(rest, "/pushNotificationConfigs/")
	if strings.Contains(task, "/") {
		return "", ""
	}
	return task, config
}

// setParams are the params that configure the push notifications of a task. The id of the
// configuration may be told in three places.
func setParams(m map[string]any, task string) any {
	params := map[string]any{}
	if task != "" {
		params["taskId"] = task
	}
	config := front.Object(m, "config/pushNotificationConfig")
	if config == nil {
		return params
	}
	_, named := resource(front.Text(m, "config/name"))
	for _, id := range []string{front.Text(config, "id"), named} {
		if front.Text(m, "configId") == "" && id != "" {
			m["configId"] = id
		}
	}
	if id := front.Text(m, "configId"); id != "" {
		config["id"] = id
	}
	params["pushNotificationConfig"] = config
	return params
}

// move gives a member of an object another name.
func move(m map[string]any, from, to string) {
	if v, there := m[from]; there {
		delete(m, from)
		m[to] = v
	}
}

func readMessage(m map[string]any) {
	m["kind"] = "message"
	if role, ok := strings.CutPrefix(front.Text(m, "role"), "ROLE_"); ok && role != "UNSPECIFIED" {
		m["role"] = strings.ToLower(role)
	} else {
		delete(m, "role") // of no name
	}
	move(m, "content", "parts")
	list, _ := m["parts"].([]any)
	for _, part := range list {
		if part, ok := part.(map[string]any); ok {
			readPart(part)
		}
	}
}

func readPart(p map[string]any) {
	switch file, data := front.Object(p, "file"), front.Object(p, "data"); {
	case file != nil:
		p["kind"] = "file"
		move(file, "fileWithBytes", "bytes")
		move(file, "fileWithUri", "uri")
	case data != nil:
		p["kind"] = "data"
		p["data"] = data["data"]
	case p["text"] != nil:
		p["kind"] = "text"
	}
}

// toProto gives the result of a method the form of its message.
func toProto(method string, result any) any {
	if list, ok := result.([]any); ok && method == ListPushConfigMethod {
		configs := []any{}
		for _, v := range list {
			configs = append(configs, writePush(v))
		}
		return map[string]any{"configs": configs}
	}
	m, ok := result.(map[string]any)
	if !ok {
		return result
	}
	m = maps.Clone(m)
	switch method {
	case sendMethod, streamMethod, resubscribeMethod:
		wrapped, _ := payload(method, m).(map[string]any)
		for kind, v := range wrapped {
			if v, ok := v.(map[string]any); ok {
				wrapped[kind] = writePayload(kind, v)
			}
		}
		return wrapped
	case getMethod, cancelMethod:
		return writePayload("task", m)
	case SetPushConfigMethod, GetPushConfigMethod:
		return writePush(m)
	case ExtendedCardMethod:
		return writeCard(m)
	}
	return m
}

// writePayload writes a task, a message or an update.
func writePayload(kind string, m map[string]any) any {
	delete(m, "kind")
	if kind == "message" {
		return writeMessage(m)
	}
	if status := front.Object(m, "status"); status != nil {
		if state, ok := status["state"].(string); ok {
			status["state"] = stateName(state)
		}
		writeIn(status, "message", writeMessage)
	}
	writeIn(m, "artifact", writeArtifact)
	writeIn(m, "artifacts", writeArtifact)
	writeIn(m, "history", writeMessage)
	return m
}

// writeIn writes the object that a member is, or those that are in it.
func writeIn(m map[string]any, name string, write func(map[string]any) any) {
	switch v := m[name].(type) {
	case map[string]any:
		m[name] = write(v)
	case []any:
		for i, element := range v {
			if element, ok := element.(map[string]any); ok {
				v[i] = write(element)
			}
		}
	}
}

// stateName is the name of a state in the definition, which writes one of them with one
// letter more.
func stateName(state string) string {
	switch state {
	case "canceled":
		return "TASK_STATE_CANCELLED"
	case "unknown":
		return "TASK_STATE_UNSPECIFIED"
	}
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
}

func writeMessage(m map[string]any) any {
	delete(m, "kind")
	if role, ok := m["role"].(string); ok {
		m["role"] = "ROLE_" + strings.ToUpper(role)
	}
	writeIn(m, "parts", writePart)
	move(m, "parts", "content")
	return m
}

func writeArtifact(m map[string]any) any {
	writeIn(m, "parts", writePart)
	return m
}

func writePart(p map[string]any) any {
	delete(p, "kind")
	if file := front.Object(p, "file"); file != nil {
		move(file, "bytes", "fileWithBytes")
		move(file, "uri", "fileWithUri")
	}
	if data, there := p["data"]; there {
		p["data"] = map[string]any{"data": data}
	}
	return p
}

func writePush(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	m = maps.Clone(m)
	m["name"] = "tasks/" + front.Text(m, "taskId") + "/pushNotificationConfigs/" + front.Text(m, "pushNotificationConfig/id")
	delete(m, "taskId")
	return m
}

// schemeNames are the kinds of security scheme by their types.
var schemeNames = map[string]string{
	"apiKey": "apiKeySecurityScheme", "http": "httpAuthSecurityScheme", "oauth2": "oauth2SecurityScheme",
	"openIdConnect": "openIdConnectSecurityScheme", "mutualTLS": "mtlsSecurityScheme",
}

func writeCard(c map[string]any) any {
	for name, scheme := range front.Object(c, "securitySchemes") {
		if scheme, ok := scheme.(map[string]any); ok {
			kind := schemeNames[front.Text(scheme, "type")]
			move(scheme, "in", "location")
			front.Object(c, "securitySchemes")[name] = map[string]any{kind: scheme}
		}
	}
	writeIn(c, "security", writeSecurity)
	writeIn(c, "skills", func(skill map[string]any) any {
		writeIn(skill, "security", writeSecurity)
		return skill
	})
	return c
}

func writeSecurity(s map[string]any) any {
	schemes := map[string]any{}
	for name, scopes := range s {
		schemes[name] = map[string]any{"list": scopes}
	}
	return map[string]any{"schemes": schemes}
}
