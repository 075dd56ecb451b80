package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// notify is a notification that we brought to a webhook of the client, and what that answered.
func notify(step, words string, status int) string {
	return fmt.Sprintf("%s delivery %s\n  > {}\n  < %d - \n", step, words, status)
}

func TestNotificationsOfAClient(t *testing.T) {
	const knows = "knows works adapter\n"
	send := call("push/send send", "do", message(""), done)                                                    // from second 1 on
	first := send + notify("push/notify-task", "task=7", 200)                                                  // 3
	twice := first + notify("push/notify-state", "task=7", 200) + notify("push/notify-state-2", "task=7", 200) // 5 and 7
	late := "push/notify-task delivery task=7\n  ! timeout\n"
	end := notify("push/notify-end", "task=7", 200)                  // 9
	forged := func(genuine, status int, kind, words string) string { // 3 and 5
		return send + notify("push/notify-genuine", "task=7", genuine) + notify("push/notify-"+kind, "invalid "+words, status)
	}
	reports := func(second int, line string) string { return fmt.Sprintf("reports push %d %s\n", second, line) }
	seen := reports(4, `{"saw":"notice","task":"7","state":"busy"}`)
	look := func(step string) string { return call(step+" get", "look", `{"number":"7"}`, working) }
	genuine := func(nth string) string {
		return notify("push/notify-genuine"+nth, "task=7", 200) + look("push/got"+nth)
	}
	believed := "{plays: [push], ops: [push-set], what: believed, kinds: [bare, wrong], of: credentials, state: asks, mark: forged, gets: [get]}"
	runClientTrials(t, "client_notices", []trial{
		{"client/notices", "{plays: [push], ops: [push-set], message: /hook, what: acknowledged}", map[string]string{
			"pass": first, "pass: one of two": send + notify("push/notify-task", "task=7", 500) + end, "fail": send + notify("push/notify-task", "task=7", 415), "inconclusive: no answer": send + late,
			"fail: one of two": send + late + notify("push/notify-state", "task=7", 400), "inconclusive: of an ended task": send + notify("push/notify-end", "task=7", 410), "fail: of an ended task": send + notify("push/notify-end", "task=7", 415),
			"inconclusive": send, "inconclusive: closed": send + "push/notify-task delivery task=7\n  ! no-dial\n", "inconclusive: elsewhere": send + "push/notify-task delivery unsent=it the webhook is elsewhere\n",
			"not-applicable": "knows works never=push-set\n" + send, "inconclusive: token elsewhere": send + notify("push/notify-task", "task=7", 401) + "  X-A2A-Notification-Token: t\n", "fail: no token": send + notify("push/notify-task", "task=7", 401), "inconclusive: waited": call("push/send send", "do", `{"hook":{"to":"https://h.example/"}}`, done), "inconclusive: forged alone": send + notify("push/notify-bare", "invalid task=7", 200), "inconclusive: not played": call("hello/send send", "do", message(""), done),
		}},
		{"client/notices", "{plays: [push], ops: [push-set], what: kinds}", map[string]string{
			"pass": twice + end, "fail": first + notify("push/notify-message", "task=7", 400), "inconclusive": send + notify("push/notify-task", "task=7", 400),
			"pass: repeated": first + notify("push/notify-task-2", "task=7", 409), "pass: late": first + strings.ReplaceAll(late, "task ", "message "), "pass: limited": first + notify("push/notify-message", "task=7", 429) + notify("push/notify-state", "task=7", 503),
		}},
		{"client/notices", "{plays: [push], ops: [push-set], what: once, kinds: [state], state: busy}", map[string]string{
			"pass": knows + twice + end + reports(6, `{"saw":"notice","task":"7","state":"busy"}`), "fail": knows + twice + end + reports(6, `{"saw":"notice","state":"BUSY"}`) + reports(8, `{"saw":"notice","state":"BUSY"}`),
			"fail: without states": knows + twice + end + reports(6, `{"saw":"notice"}`) + reports(8, `{"saw":"notice"}`), "pass: without states": knows + twice + end + reports(4, `{"saw":"notice"}`) + reports(6, `{"saw":"notice"}`) + reports(9, `{"saw":"notice"}`),
			"inconclusive": knows + twice, "inconclusive: one alone": knows + first + notify("push/notify-state", "task=7", 200), "inconclusive: reports nothing": twice,
		}},
		{"client/notices", believed, map[string]string{
			"pass": forged(200, 401, "bare", "task=7"), "pass: dropped": knows + forged(200, 200, "bare", "task=7") + seen,
			"fail": knows + forged(200, 200, "wrong", "task=7") + seen + reports(6, `{"saw":"notice","task":"7","state":"asks"}`), "fail: as a status": knows + forged(200, 200, "wrong", "task=7") + reports(6, `{"saw":"status","task":"7","state":"asks"}`),
			"fail: without states": knows + forged(200, 200, "bare", "task=7") + reports(4, `{"saw":"notice"}`) + reports(6, `{"saw":"notice"}`), "pass: printed": "run push printed=forged printed=notice\n" + forged(200, 200, "bare", "task=7"),
			"inconclusive: printed, but one refused": "run push printed=forged printed=notice\n" + forged(200, 401, "bare", "task=7") + notify("push/notify-wrong", "invalid task=7", 200),
			"fail: looked up":                        send + genuine("") + genuine("-2") + genuine("-3") + notify("push/notify-bare", "invalid task=7", 200) + look("push/get"),
			"inconclusive: two looks":                send + genuine("") + genuine("-2") + notify("push/notify-bare", "invalid task=7", 200) + look("push/get"),
			"inconclusive: not each":                 send + genuine("") + genuine("-2") + genuine("-3") + notify("push/notify-genuine-4", "task=7", 200) + notify("push/notify-bare", "invalid task=7", 200) + look("push/get"),
			"inconclusive: another task":             send + genuine("") + genuine("-2") + genuine("-3") + notify("push/notify-bare", "invalid task=7", 200) + call("push/get get", "look", `{"number":"8"}`, working),
			"inconclusive: others are looked up":     send + strings.ReplaceAll(genuine("")+genuine("-2")+genuine("-3"), `"number":"7"}}`, `"number":"8"}}`) + notify("push/notify-bare", "invalid task=7", 200) + look("push/get"),
			"inconclusive":                           forged(200, 200, "bare", "task=7"), "inconclusive: printed alone": "run push printed=forged\n" + forged(200, 200, "bare", "task=7"), "inconclusive: refuses all": forged(401, 401, "bare", "task=7"), "not-applicable": send + notify("push/notify-genuine", "task=7", 200) + notify("push/notify-stranger", "invalid task=9", 200),
			"inconclusive: looks by the clock": send + look("push/get") + genuine("") + genuine("-2") + genuine("-3") + notify("push/notify-bare", "invalid task=7", 200) + look("push/get-2"),
			"inconclusive: late reports":       knows + forged(200, 200, "bare", "task=7") + reports(6, `{"saw":"status"}`),
		}},
		{"client/notices", "{plays: [push], ops: [push-set], what: believed, kinds: [token], of: token, state: asks, mark: forged, gets: [get], more: bare}", map[string]string{
			"pass":                       knows + forged(200, 200, "bare", "task=7") + notify("push/notify-token", "invalid task=7", 200) + reports(8, `{"saw":"notice","task":"7","state":"asks"}`),
			"fail":                       knows + forged(200, 200, "token", "task=7") + reports(6, `{"saw":"notice","task":"7","state":"asks"}`),
			"inconclusive: nothing came": send,
		}},
		{"client/notices", "{plays: [push], ops: [push-set], what: believed, kinds: [stranger], of: credentials, mark: forged, free: true}", map[string]string{
			"pass": knows + forged(200, 202, "stranger", "task=9") + seen, "fail": knows + forged(200, 200, "stranger", "task=9") + reports(6, `{"saw":"notice","task":"9","state":"busy"}`),
			"inconclusive": knows + forged(200, 200, "stranger", "task=9"),
		}},
		{"client/webhooks", "{ops: [push-set], at: /tell, message: /hook, what: address, url: to}", map[string]string{
			"pass": call("hello/push-set push-set", "aim", `{"number":"7","tell":{"to":"https://h.example/"}}`, done), "fail": call("hello/push-set push-set", "aim", `{"number":"7","tell":{"word":"a"}}`, done),
			"fail: in a message": call("hello/send send", "do", `{"hook":{"to":"h.example"}}`, done), "pass: another scheme": call("hello/push-set push-set", "aim", `{"number":"7","tell":{"to":"urn://h"}}`, done), "inconclusive": call("hello/send send", "do", message(""), done),
		}},
		{"client/webhooks", "{ops: [push-set], at: /tell, message: /hook, what: schemes, schemes: /key/kind, word: true}", map[string]string{
			"pass": call("hello/push-set push-set", "aim", `{"tell":{"key":{"kind":"Bearer"}}}`, done), "fail": call("hello/push-set push-set", "aim", `{"tell":{"key":{"kind":""}}}`, done), "inconclusive": call("hello/send send", "do", message(""), done),
		}},
	})
}

// Some sentences on notifications cannot be broken by one conversation: it takes another bound, or no use of a permission.
func TestTimesAndUsesOfNotifications(t *testing.T) {
	t.Parallel()
	first := call("push/send send", "do", message(""), done) + notify("push/notify-task", "task=7", 200)
	look := call("push/get get", "look", `{"number":"7"}`, working)
	for _, c := range []struct{ with, text, want, says string }{
		{"what: prompt, seconds: 2", first, "pass", ""},
		{"what: prompt, seconds: 0.5", first, "fail", "answered the notification `task` by HTTP 200 after 1.0 s"},
		{"what: prompt, seconds: 2", "run push disturbed\n" + first, "inconclusive", "our own response was late"},
		{"what: fetches, gets: [get]", first + look, "pass", ""},
		{"what: fetches, gets: [get]", look + first, "not-applicable", "it looked no task up after a notification"},
		{"what: fetches, gets: [get]", look, "inconclusive", "the client registered no webhook"},
	} {
		d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: client/notices, with: {plays: [push], ops: [push-set], "+c.with+"}}\n")
		r := verdict.NewDecider(d, clientTranscript(t, c.text), suites.Checks(), nil).Result("ZZ99-X-001")
		if string(r.Verdict) != c.want || !strings.Contains(r.Reason, c.says) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.with, r.Verdict, r.Reason, c.want, c.says)
		}
	}
}
