package client

import (
	"maps"
	"strings"
)

// toProto03 writes the parameters of a call of A2A 0.3 as the JSON of a2a.proto.
func toProto03(op operation, params object) object {
	switch op {
	case get, cancel, subscribe:
		out := maps.Clone(params)
		delete(out, "id")
		out["name"] = "tasks/" + getText(params, "id")
		return out
	case send, stream:
		out := maps.Clone(params)
		if m := getObject(params, "message"); m != nil {
			m = maps.Clone(m)
			delete(m, "kind")
			m["role"] = "ROLE_" + strings.ToUpper(getText(m, "role"))
			var parts []any
			for _, p := range getList(m, "parts") {
				parts = append(parts, partToProto03(getObject(p)))
			}
			delete(m, "parts")
			m["content"] = parts
			delete(out, "message")
			out["request"] = m
		}
		if c := getObject(params, "configuration"); c != nil {
			c = maps.Clone(c)
			if w := c["pushNotificationConfig"]; w != nil {
				delete(c, "pushNotificationConfig")
				c["pushNotification"] = w
			}
			out["configuration"] = c
		}
		return out
	}
	return params
}

// partToProto03 writes a part of a message as the JSON of a2a.proto.
func partToProto03(part object) object {
	out := maps.Clone(part)
	delete(out, "kind")
	if file := getObject(part, "file"); file != nil {
		file = maps.Clone(file)
		for from, to := range map[string]string{"bytes": "fileWithBytes", "uri": "fileWithUri"} {
			if v := file[from]; v != nil {
				delete(file, from)
				file[to] = v
			}
		}
		out["file"] = file
	}
	if data := part["data"]; data != nil {
		out["data"] = object{"data": data}
	}
	return out
}

// updateKinds03 are the members of an answer of a2a.proto, by what is in them.
var updateKinds03 = map[string]updateKind{"task": taskUpdate, "message": messageUpdate, "statusUpdate": statusUpdate, "artifactUpdate": artifactUpdate}

// fromProto03 reads the JSON of an answer of a2a.proto as A2A 0.3 has it.
func fromProto03(answer object) object {
	for member, kind := range updateKinds03 {
		if o := getObject(answer, member); o != nil {
			o["kind"] = string(kind)
			answer = o
			break
		}
	}
	if content := answer["content"]; content != nil {
		answer["parts"] = content
	}
	if status := getObject(answer, "status"); status != nil {
		if m := getObject(status, "update"); m != nil {
			m["parts"], status["message"] = m["content"], m
		}
		status["state"] = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(strings.Replace(getText(status, "state"), "CANCELLED", "CANCELED", 1), "TASK_STATE_"), "_", "-"))
	}
	return answer
}

// readGRPCAnswer reads what was made of an answer of gRPC: the result by itself, or an error.
func (s *session) readGRPCAnswer(c *call, answer object) (object, error) {
	if e := getObject(answer, "error"); e != nil {
		return nil, s.readStatusError(c, e)
	}
	return answer, s.checkResult(answer)
}
