package a2a10

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// shared lets every client use one method with the tasks of all.
func shared(methods ...string) func(*front.Caller) {
	return func(c *front.Caller) {
		if slices.Contains(methods, c.Method) {
			c.Owner = ""
		}
	}
}

// foreign edits the refusals of a task that is another client's.
func foreign(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers("", TaskNotFound) && x.Task().ID != "" && !slices.Contains(pushMethods, x.Method()) {
			edit(x)
		}
	}
}

// guardMutants are about who may do what (sections 7.4 and 13.1).
var guardMutants = append(front.In("guarded", front.InArea("auth",
	front.Mutant{Name: "guard-hidden", Variant: "full", Locked: true, Summary: "A credential is demanded that the card does not mention."},
	front.Mutant{Name: "guard-open-list", Summary: "ListTasks is open.", Guard: front.AnonymousTo(listMethod)},
	front.Mutant{Name: "guard-open-push-lists", Summary: "The push configurations can be listed without credentials.", Guard: front.AnonymousTo(listPushMethod, getPushMethod)},
	front.Mutant{Name: "guard-open-push-delete", Summary: "A push configuration can be deleted without credentials.",
		Guard: front.AnonymousTo(deletePushMethod)},
	front.Mutant{Name: "guard-key-unknown", Summary: "An API key is not accepted, though the card says so.",
		Guard: func(c *front.Caller) {
			if c.Http.Header.Get("Authorization") == "" {
				c.Client = ""
			}
		}},
	front.Mutant{Name: "guard-answers-500", Summary: "A call without credentials gives HTTP 500.",
		Reply: func(x *front.Reply) {
			if x.Status == http.StatusUnauthorized {
				x.Status = http.StatusInternalServerError
			}
		}},
	front.Mutant{Name: "guard-forbids-nothing", Summary: "A client with few rights may do everything.",
		Guard: func(c *front.Caller) {
			if c.Client == "low" && said(c.Body) == "forbidden" {
				c.Client = "first"
			}
		}},
	front.Mutant{Name: "forbidden-explained-too-much", Summary: "The refusal of what is not allowed holds what others may do.",
		Reply: func(x *front.Reply) {
			if x.Status == http.StatusForbidden {
				front.Put(x.Body, "error/message", "Only first and second may do this; first last did so with the token "+front.Token)
			}
		}},
	front.Mutant{Name: "forbidden-wordless", Summary: "The refusal of what is not allowed has no words.",
		Reply: func(x *front.Reply) {
			if x.Status == http.StatusForbidden {
				front.Put(x.Body, "error/message", "")
			}
		}},
	front.Mutant{Name: "guard-shares-get", Summary: "GetTask returns the tasks of others.", Guard: shared(getMethod)},
	front.Mutant{Name: "guard-shares-cancel", Summary: "CancelTask cancels the tasks of others.", Guard: shared(cancelMethod)},
	front.Mutant{Name: "guard-shares-send", Summary: "A message to the task of another is taken.", Guard: shared(sendMethod, streamMethod)},
	front.Mutant{Name: "guard-shares-push", Summary: "The push configurations of the tasks of others can be used.", Guard: shared(pushMethods...)},
	front.Mutant{Name: "foreign-forbidden", Summary: "A task of another is forbidden, a missing one unknown.",
		Reply: foreign(func(x *front.Reply) {
			x.Decline(Codes.Forbidden)
			x.Status = http.StatusForbidden
		})},
	front.Mutant{Name: "foreign-cancel-told", Summary: "The refusal to cancel a task of another says that it cannot be canceled.",
		Reply: foreign(func(x *front.Reply) {
			if x.Method() == cancelMethod {
				x.Decline(taskNotCancelable)
			}
		})},
	front.Mutant{Name: "foreign-explained", Summary: "The error about a task of another says so.",
		Reply: foreign(func(x *front.Reply) { front.Put(x.Body, "error/message", "Task belongs to another user") })},
	front.Mutant{Name: "credentials-echoed", Summary: "The error about an unknown task repeats the Authorization header.",
		Reply: func(x *front.Reply) {
			if x.Answers("", TaskNotFound) {
				front.Put(x.Body, "error/message", "Task not found for "+x.Http.Header.Get("Authorization"))
			}
		}},
)...), front.InArea("transport",
	front.Mutant{Name: "hsts-left-out", Variant: "tls", Summary: "Responses over TLS have no Strict-Transport-Security.",
		Reply: func(x *front.Reply) { x.Header.Del("Strict-Transport-Security") }},
)...)

// asks reports whether a request names an extension for which is holds.
func asks(r *http.Request, is func(uri string) bool) bool { return slices.ContainsFunc(asked(r), is) }

// another reports whether a URI names another version of the extension.
func another(uri string) bool {
	return uri != Trace && strings.HasPrefix(uri, strings.TrimSuffix(Trace, "v1"))
}

// optedIn makes a server that takes the required extension for active.
func optedIn(is func(*front.Call) bool) func(*front.Call) {
	return func(c *front.Call) {
		if is(c) {
			c.Http.Header.Add(extensionsHeader, Trace)
		}
	}
}

// extensionMutants are about extensions (section 4.6).
var extensionMutants = front.InArea("extension",
	front.Mutant{Name: "extension-not-enforced", Variant: "extended", Summary: "A message that does not activate the required extension is served.",
		Call: optedIn(func(c *front.Call) bool { return c.Method == sendMethod })},
	front.Mutant{Name: "extension-not-enforced-on-streams", Variant: "extended", Summary: "A streamed message that does not activate the required extension is served.",
		Call: optedIn(func(c *front.Call) bool { return c.Method == streamMethod })},
	front.Mutant{Name: "extension-never-seen", Variant: "extended", Summary: "The extensions of a message are not read, and every message is refused.",
		Call: func(c *front.Call) { c.Http.Header.Del(extensionsHeader) }},
	front.Mutant{Name: "extensions-first-only", Variant: "extended", Summary: "Of a list of extensions only the first is read.",
		Call: func(c *front.Call) {
			if list := asked(c.Http); len(list) > 1 {
				c.Http.Header.Set(extensionsHeader, list[0])
			}
		}},
	front.Mutant{Name: "extension-name-exact", Variant: "extended", Summary: "The name A2A-Extensions is found in its usual spellings only.", Bytes: blindTo(extensionsHeader)},
	front.Mutant{Name: "unknown-extension-refused", Summary: "A message that asks for an unknown extension is refused.",
		Reply: func(x *front.Reply) {
			if x.Method() == sendMethod && asks(x.Http, func(uri string) bool { return !strings.HasPrefix(uri, "https://conform.example.com/") }) {
				x.Decline(front.CodeInvalidParams)
			}
		}},
	front.Mutant{Name: "extension-version-ignored", Summary: "An extension is active when another version of it was asked for.",
		Reply: func(x *front.Reply) {
			if asks(x.Http, another) {
				x.Header.Set(extensionsHeader, Trace)
			}
		}},
	front.Mutant{Name: "extension-older-taken", Variant: "extended", Summary: "A message that asks for another version of the required extension is served.",
		Call: optedIn(func(c *front.Call) bool { return asks(c.Http, another) })},
	front.Mutant{Name: "extensions-unannounced", Summary: "No response says which extensions are active.",
		Reply: func(x *front.Reply) { x.Header.Del(extensionsHeader) }},
	front.Mutant{Name: "extension-misannounced", Summary: "A response names another extension than the one that is active.",
		Reply: func(x *front.Reply) {
			if x.Header.Get(extensionsHeader) != "" {
				x.Header.Set(extensionsHeader, Provenance)
			}
		}},
	front.Mutant{Name: "extensions-always-listed", Summary: "Every response lists an extension, whether it was asked for or not.",
		Reply: func(x *front.Reply) {
			if x.Document == "" {
				x.Header.Set(extensionsHeader, Trace)
			}
		}},
	front.Mutant{Name: "extension-always-on", Summary: "The messages of the agent are made with an extension, whether it was asked for or not.",
		Reply: onTask(func(_ *front.Reply, t map[string]any) { front.Put(t, "status/message/extensions", []any{Trace}) })},
	front.Mutant{Name: "extension-undeclared", Summary: "The messages of the agent are made with an extension that nobody knows.",
		Reply: onTask(func(_ *front.Reply, t map[string]any) {
			front.Put(t, "status/message/extensions", []any{"https://conform.example.com/ext/hidden/v1"})
		})},
)

// tenantMutants are about tenants.
var tenantMutants = front.InArea("tenant",
	front.Mutant{Name: "tenant-refused", Variant: "tenanted", Summary: "A message that names its tenant is refused.",
		Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool { return front.Has(params, "tenant") })},
	front.Mutant{Name: "tenant-demanded", Summary: "A tenant is demanded, though the card declares none.",
		Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool { return !front.Has(params, "tenant") })},
	front.Mutant{Name: "tenants-mixed", Variant: "tenanted", Summary: "The tasks of one tenant are shown to another.",
		Call: func(c *front.Call) {
			if front.Text(c.Body, "params/tenant") != "" {
				front.Put(c.Body, "params/tenant", tenants[0])
			}
		}},
	front.Mutant{Name: "tenants-listed-together", Variant: "tenanted", Summary: "ListTasks shows the tasks of the first tenant to all.",
		Call: front.Misread(listMethod, func(body any) { front.Replace(body, "params/tenant", tenants[0]) })},
	front.Mutant{Name: "push-tenant-refused", Variant: "tenanted", Summary: "A push configuration with a tenant is refused.",
		Reply: front.Declining(createPushMethod, front.CodeInvalidParams, func(params any) bool { return front.Has(params, "tenant") })},
	front.Mutant{Name: "push-tenant-replaced", Variant: "tenanted", Summary: "A push configuration that is read is another tenant's.",
		Reply: onResult(getPushMethod, func(x *front.Reply) { front.Put(x.Body, "result/tenant", tenants[1]) })},
)
