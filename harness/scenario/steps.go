package scenario

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/scenario/malformed"
	"github.com/a2a-conform/a2a-conform/schema"
)

// stepNames are the steps of every scenario but the blocks of probes: the names by which
// a requirement asks for what was said. # stands for a number, and * for the members
// that a dialect's writer can put into a message, which are no requirement's to name.
// Deliveries to a webhook bear its name and are not among them.
var stepNames = map[string]string{
	"card":          "configured well-known older",
	"quick":         "send task get",
	"unknown":       "get cancel",
	"stream":        "subscribe get",
	"stream-fault":  "subscribe",
	"slow":          "send poll-#",
	"cancel":        "send before before-# cancel cancel-again get later",
	"stays":         "send poll-# resubscribe look-1 look-2 look-3 look-4 look-5 again after-1 after-2",
	"drop":          "subscribe poll-# alive",
	"resubscribe":   "subscribe look plain members",
	"two-streams":   "a b",
	"cancel-stream": "subscribe cancel get after-# later",
	"chunks":        "subscribe get",
	"ask":           "send poll-# waiting-1 waiting-50 idle-1 idle-2 idle-3 answer after-# done-1 done-50",
	"ask-stream":    "subscribe poll-# waiting answer",
	"followed":      "send look-# first second",
	"followers":     "subscribe joined dropped get",
	"fail":          "subscribe send poll-# look-1 look-2 look-3",
	"history":       "send poll-# get-1 get-10 get-50",
	"two-tasks":     "a b get-a get-b",
	"sessions":      "first first-poll-# stranger stranger-poll-# second second-plain second-poll-# get-first get-second get-stranger",
	"finished":      "send poll-# before cancel get again-made again-poll-# before-stream again-stream after-stream",
	"unsupported":   "task push-set push-get push-list push-delete send-with-push stream resubscribe",
	"push": "other send send-plain poll-# get-sent list-sent get-task get-none set get set-again get-again get-first set-guarded get-guarded " +
		"clear get-cleared get-unknown set-unknown",
	"push-replaced":   "send set after poll-#",
	"kitchen-sink":    "all plain *",
	"null-members":    "all plain *",
	"part-kinds":      "all plain *",
	"output-hint":     "all plain *",
	"tls":             "modern outdated",
	"plain-http":      "send",
	"agents":          "list info-# info-other-# card-# send-# url url-# plain unknown-info unknown-card unknown-send health",
	"foreign-letters": "plain escaped",
	"turns":           "first second third",
	"crowd":           "call-# again-#",
	"cancel-reason":   "subscribe cancel",
	"deadline":        "send configured",
	"guard": "task bare-resubscribe push-set bare-push-set bare-push-get push-get bare-push-list bare-cancel look bare-get bare-stream " +
		"bare-push-delete bare-list second-resubscribe own-resubscribe own-look own-stream second-cancel second-look own-ask own-wait second-resubscribe-waiting own-resubscribe-waiting " +
		"second-cancel-waiting second-look-waiting second-send bare-stream-then bare-send bare-send-then wrong-send wrong-send-then in-body in-body-then bare-card agent bare-agent kept-with " +
		"kept-bare with-token with-key second-unknown second-get list list-# second-list second-list-all allowed forbidden second-push-set " +
		"second-push-get second-push-list second-push-delete",
	"schemes":             "bearer apikey basic",
	"anonymous":           "send",
	"need-auth":           "send poll-# look follow message",
	"heavy":               "large large-alive deep deep-alive",
	"sizes":               "all-below message-below parts-below text-below message-above parts-above text-above data-below data-above",
	"counted":             "call-#",
	"together":            "task-# task-beyond call-# call-beyond",
	"long":                "call stream",
	"flood":               "call-# again-1 again-2",
	"talk":                "send subscribe",
	"output-modes":        "send",
	"foreign-context":     "send poll-# before answer get beside beside-poll-# cancel cancel-plain list list-#",
	"artifact":            "send poll-# get",
	"extensions":          "send unknown without lower one-# among-others other-version",
	"required-extensions": "twin second second-close other-version stream",
	"older-version":       "send get",
	"paths":               "task plain escaped in-query collection no-such-path wrong-verb",
	"tenants":             "send here wrong there list-there",
	"interfaces":          "answers-# stream-there send poll-# here rest there unknown-here unknown-there cancel-there",
	"push-configs": "task poll-# list-none set-own get-only set-a get-a set-b get-a-still get-b list-all get-stranger get-unknown set-unknown " +
		"list-unknown delete-unknown set-a-again list-replaced delete-a list-deleted delete-again list-rest delete-no-config stream " +
		"list-streamed get-own page-# get-deleted set-guarded get-guarded get-elsewhere get-own-still",
	"push-several":  "send set-second set-gone delete after poll-#",
	"push-asked":    "send poll-# list get-1 get-2",
	"push-failing":  "send poll-# look-1 look-2 look-3",
	"extended-card": "unclaimed get get-empty keys-# bare wrong low",
	"large":         "text text-alive",
	"payment":       "demand poll-# pay after-# get",
	"open-card":     "keys-# get",
	"cached-card":   "again unchanged",
	"lookup":        "discover bare-discover list bare-list unknown-entry",
	"directory":     "a b find-1 find-2 find-3 find-either find-both find-part list entry bare again again-shared again-given-up again-list again-entry",
	"task":          "list path bare send a b stranger no-task-id no-action no-params no-sender no-input no-such-action fail timeout",
	"waiting":       "send silent told",
	"repeated":      "first again",
	"own-context":   "send get",
	"endings":       "failed-made failed-poll-# failed-before failed canceled-made canceled-cancel canceled-poll-# canceled-before canceled",
	"list": "all none done asking made first first-poll-# second second-poll-# context context-# page-# again-# both both-# neither neither-# history-0 history-1 since since-# " +
		"artifact bare bare-# without without-# with with-#",
	"crosswise": "send follow follow-# look poll-# get get-# get-again unknown unknown-# cancel-unknown cancel-unknown-# cancel-finished cancel-finished-# " +
		"send-finished send-finished-# resubscribe-finished resubscribe-finished-# own-# own-poll-2-# own-poll-3-# own-here-# own-there-# " +
		"stream stream-# list list-# extended-card extended-card-# push-set push-set-# push-list push-list-# push-get push-get-# " +
		"push-delete push-delete-#",
	"nested":       "before metadata metadata-alive",
	"push-trouble": "send send-plain set poll-# freed-# look-1 look-2 look-3",
}

// Steps are the names of the steps that a dialect's conversations may have, by
// scenario.
func Steps(d *schema.Dialect) map[string][]string {
	out := map[string][]string{"card": strings.Fields(stepNames["card"])}
	for _, s := range All(d) {
		out[s.Name] = strings.Fields(stepNames[s.Name])
	}
	for _, b := range d.Blocks {
		out[b.Name] = malformed.Steps(d, b)
	}
	return out
}

// IsStep reports whether a name is among those that Steps gives for a scenario.
func IsStep(steps []string, name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return slices.Contains(steps, name) || base != name && slices.Contains(steps, base+"#")
}
