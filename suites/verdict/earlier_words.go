package verdict

import (
	"regexp"
)

// A waiver may quote the text of a failure. So that no waiver stops to hold because this
// program describes the same failure in other words, what it quotes is also looked for in
// the words of earlier versions.

// A rewording is a phrase that changed: its wording now, and its wording before.
type rewording struct {
	now *regexp.Regexp
	was string
}

// rewordings are in the order in which they are undone.
var rewordings = []rewording{
	{regexp.MustCompile(`^(.*); expected (.+?) \(((?:[^()]*[§“]|this suite)[^()]*)\)(: .*?)?( \[.*\])?$`), "$1; $3 asks for $2$4$5"},
	{regexp.MustCompile(`a JSON-RPC error (-\d+)`), "$1"},
	{regexp.MustCompile(` \[([^\[\]]*)\]$`), " ($1)"},
	{regexp.MustCompile(`answered with error (-?\d+)( \([\w]+\))?: "`), `answered code $1$2 "`},
	{regexp.MustCompile(`(answered|refused it) with error (-?\d+)`), "$1 code $2"},
	{regexp.MustCompile(`of error (-?\d+)`), "of code $1"},
	{regexp.MustCompile(`(?:refused the call with|failed with) HTTP (\d+)`), "answered HTTP $1"},
	{regexp.MustCompile(`answered HTTP (\d+) (?:and|with) its own JSON .*?(; [^;]+ asks for .*)?$`), "answered HTTP $1 with JSON that is no JSON-RPC response$2"},
	{regexp.MustCompile(`answered HTTP (\d+) (?:and|with) (\w+/[\w.+-]+)(?: "(?:[^"\\]|\\.)*")?(?:, which is not JSON)?`), "answered HTTP $1 with $2 that is not JSON"},
	{regexp.MustCompile(`answered HTTP (\d+) and (without a body)`), "answered HTTP $1 $2"},
	{regexp.MustCompile("the [\\w -]+?(?:'s `[^`]+`)? has no `([^`]+)`; it has ([^;]+); "), "the server left out $1, and has only $2; "},
	{regexp.MustCompile("the [\\w -]+?(?:'s `[^`]+`)? has no `([^`]+)`"), "the server left out $1"},
	{regexp.MustCompile("asks for `[^`]+`, which is required"), "asks for this member"},
	{regexp.MustCompile("the [\\w -]+'s `(?:[^`]*\\.)?(\\w+)(?:\\[\\d+\\])?` is (an? \\w+|null);"), "the server sent $1, which is $2;"},
	{regexp.MustCompile(`with a status update to "`), `with a result: a task in state "`},
	{regexp.MustCompile(`(POST|GET) /: the server answered with (\w+), and at the other interface with`), "$1 /: the server answered $2, and at the other interface"},
	{regexp.MustCompile(`answered with (an? \w+|\w+), and at the other interface with`), "answered $1, and at the other interface"},
	{regexp.MustCompile(`does not offer (.+?): \w+; it offers (.+?): ([^;]+);`), "does not offer $1, and offers $2 ($3);"},
	{regexp.MustCompile(`(listed \d+ tasks), which are not these`), "$1, not all of them these"},
	{regexp.MustCompile(`(listed|left out) the task \S+ of "`), `$1 the task of "`},
	{regexp.MustCompile(`no task from before \S+, the time of the call`), "no task of an earlier time than was asked for"},
	{regexp.MustCompile(`every task from \S+ on, the time of the call`), "every task of the time that was asked for or later"},
	{regexp.MustCompile(`the same order as when the same was asked before: (".*?") at this place`), "the order of the time before, in which $1 stood here"},
	{regexp.MustCompile(`listed (\d+) tasks on all pages, and (\d+) when the same was asked before`), "brought $1 tasks on all pages, and $2 the time before"},
	{regexp.MustCompile(`refused the task of another client in a way of its own: it `), "refused the task of another in another way: the server "},
	{regexp.MustCompile(`the same refusal as for a task that does not exist \((.*)\) \(`), "the refusal that a task gets which never was: the server $1 ("},
	{regexp.MustCompile(`answered in another session with (".*?"), which was given in this one only`), "told another session $1, which only this one knew"},
	{regexp.MustCompile(`nothing of what was given in another session`), "nothing of what another session was told"},
	{regexp.MustCompile(`answered with (".*?"), which was given in another context only`), "told $1, which only another context knew"},
	{regexp.MustCompile(`nothing of what was given in another context`), "nothing of what another context was told"},
	{regexp.MustCompile(`which was given in this context before`), "which this context was told before"},
	{regexp.MustCompile(`the last state in the stream to be one in which the task has ended`), "a state in which the task has ended as the last that the stream tells"},
	{regexp.MustCompile(`every open stream of the task to show its end`), "every open stream about the task to be told of its end"},
	{regexp.MustCompile(`sent a signature that does not verify for this card`), "signed something that a client cannot make of the card: the signature does not verify"},
	{regexp.MustCompile(`a name that only the current version has`), "a word of today's"},
	{regexp.MustCompile(`notified (\d+) of the`), "told $1 of the"},
	{regexp.MustCompile(`to be notified`), "to be told"},
	{regexp.MustCompile(`a time that is not before (")`), "none before $1"},
	{regexp.MustCompile(`an update with the state canceled`), "an update that tells of the state canceled"},
}

// toEarlierWords returns the text of a failure in the words of earlier versions.
func toEarlierWords(text string) string { return restoreEarlierWording(text, rewordings) }

func restoreEarlierWording(text string, all []rewording) string {
	for _, r := range all {
		text = r.now.ReplaceAllString(text, r.was)
	}
	return text
}

// details are what texts show by now, or showed before, besides the same words: the type before
// the name of a member, what was not sent with an unknown method, the name of a configuration
// that we chose, what a call was about, a media type of ours, and the
// second place of two that clash.
var details = []rewording{
	{regexp.MustCompile(`(left out|sent) (?:[A-Z][A-Za-z0-9]*\.)+(?:[\w.]+\.)?(\w+)`), "$1 $2"},
	{regexp.MustCompile(`(left out) [\w.\[\]]*\.(\w+)`), "$1 $2"},
	{regexp.MustCompile(`(the unknown method \S+) without params`), "$1"},
	{regexp.MustCompile(` with pushNotificationConfigId "[^"]*"`), ""},
	{regexp.MustCompile(` to (an unknown task|a task made before|a task in state)`), " of $1"},
	{regexp.MustCompile(` of a task made before`), " of an unknown task"}, // which is what some of them were
	{regexp.MustCompile(`of the media type application/x-unlisted[-\w]*`), "of an unknown media type"},
	{regexp.MustCompile(`; against exchange \d+[^)\]]*`), ""},
	{regexp.MustCompile(`answered HTTP (\d+) with (?:an array: )?[{\[].*[}\]];`), "answered HTTP $1 with JSON that is no JSON-RPC response;"},
}

// withoutDetails returns a text without them.
func withoutDetails(text string) string { return restoreEarlierWording(text, details) }
