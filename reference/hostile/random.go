package hostile

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"strings"
	"time"
)

// Random returns a server that answers as the bundled one does, and mixes in answers
// that are composed at random of misbehaviour at the level of HTTP/1.1. A seed
// describes how often, of what kinds, and in which protocol. What happens to a call
// depends on the seed, on what it is, and on how many of its like came before.
func Random(seed uint64) Server {
	r := rand.New(rand.NewPCG(seed, 1))
	dialect := pickOne(r, "a2a-0.1", "a2a-0.3", "a2x-0.3", "jaf-0.3", "directory-0.1")
	l := &randomFault{seed: seed, share: pickOne(r, 0.02, 0.1, 0.3, 0.6, 1), card: pickOne(r, false, false, false, true)}
	for range 1 + r.IntN(6) {
		l.kinds = append(l.kinds, r.IntN(len(answerFaults)))
	}
	return Server{Name: fmt.Sprintf("random-%d", seed), Doc: "answers composed at random", dialect: dialect, corrupt: l.corruptAnswerByChance,
		Flags: []string{"--dialect", dialect, "--bearer-env", SecretVariable}}
}

// randomFault spoils answers.
type randomFault struct {
	seed  uint64
	share float64 // of the answers
	card  bool    // those to questions by GET, too
	kinds []int   // indexes of answerFaults that it may use
}

func (l *randomFault) corruptAnswerByChance(v *request) {
	r := rand.New(rand.NewPCG(l.seed, v.hashCallAndOccurrence()))
	if v.r.Method == "GET" && !l.card || r.Float64() >= l.share {
		v.passThrough()
		return
	}
	a := v.fetchHealthy()
	w := &answerDraft{r: r, v: v, version: "HTTP/1.1", status: fmt.Sprint(a.status), reason: "OK", body: a.text}
	w.addHeader("Content-Type", a.kind)
	w.framed = w.byLength
	for range 1 + r.IntN(3) {
		answerFaults[l.kinds[r.IntN(len(l.kinds))]](w)
	}
	v.takeConnection(w.writeAnswer)
}

// hashCallAndOccurrence returns a number for the call that is the same whenever the nth of its like is
// made.
func (v *request) hashCallAndOccurrence() uint64 {
	like := v.r.Method + " " + v.r.URL.Path
	if _, rest, named := strings.Cut(string(v.body), `"method":"`); named {
		like, _, _ = strings.Cut(rest, `"`)
	}
	v.lock.Lock()
	defer v.lock.Unlock()
	v.likes[like]++
	h := fnv.New64a()
	fmt.Fprint(h, like, v.likes[like])
	return h.Sum64()
}

// answerDraft is how an answer is put into bytes.
type answerDraft struct {
	r *rand.Rand
	v *request

	before, after           string // of the answer
	version, status, reason string
	head                    []string // its lines
	body                    string
	framed                  func() (head []string, body string)
	deliver                 func(c net.Conn, text string) (goOn bool) // nil: at once
	keep                    bool                                      // the connection stays open until the client has enough
}

func (w *answerDraft) addHeader(name, value string) { w.head = append(w.head, name+": "+value) }

// writeAnswer writes the answer.
func (w *answerDraft) writeAnswer(c net.Conn) {
	head, body := w.framed()
	text := w.before + w.version + " " + w.status + " " + w.reason + "\r\n" + strings.Join(append(w.head, head...), "\r\n") + "\r\n\r\n" + body
	if w.deliver != nil {
		if !w.deliver(c, text) {
			return
		}
	} else if _, err := c.Write([]byte(text)); err != nil {
		return
	}
	writeText(c, "%s", w.after)
	if w.keep {
		w.holdOpen(c)
	}
}

// longest is how long an answer is held back at most. The client's patience is
// shorter.
const longest = 20 * time.Second

// holdOpen waits until the client closes, or has had time enough to do so.
func (w *answerDraft) holdOpen(c net.Conn) {
	c.SetReadDeadline(time.Now().Add(longest))
	readToEnd(c)
}

// sleepUnlessStopped waits, unless the server is stopped.
func (w *answerDraft) sleepUnlessStopped(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-w.v.r.Context().Done():
	}
}

// pickCredentialOrCommand returns what must not be seen again, if the call had it, and otherwise what must
// not be obeyed.
func (w *answerDraft) pickCredentialOrCommand() string {
	if all := w.v.sentCredentials(); len(all) > 0 && w.r.IntN(3) > 0 {
		return all[0]
	}
	return Commands
}

// pickOne chooses.
func pickOne[V any](r *rand.Rand, of ...V) V { return of[r.IntN(len(of))] }
