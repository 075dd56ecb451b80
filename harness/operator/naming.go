package operator

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Naming is how the ids of a run are made: of calls, messages, contexts, tasks and
// webhooks. The zero value makes them by chance, so that none of them reports a
// server what it is asked for. Seed and Call are for tests and proofs, which need the same
// ids in every run or a server that knows the step.
type Naming struct {
	Seed string                   // of the ids, which are then the same in every run
	Call func(step string) string // the id of a call by its SCENARIO/STEP
	// Nonce is a text of somebody who wants to see that the run was made after he gave
	// it: the ids are derived from it, and from Salt, so that no two runs share one.
	Nonce, Salt string
}

// Varies reports whether the run may differ from other runs in what a server can notice
// next to the ids: a run by a seed is the same every time.
func (n Naming) Varies() bool { return n.Seed == "" }

// IDs makes the ids of one purpose.
func (n Naming) IDs(purpose ...string) *IDs {
	return &IDs{from: n.randomSource(purpose)}
}

// randomSource returns the bytes that what serves one purpose is made of.
func (n Naming) randomSource(purpose []string) io.Reader {
	switch {
	case n.Nonce != "":
		return newIDSource(n.Nonce, n.Salt, purpose)
	case n.Seed == "":
		return rand.Reader
	}
	return mathrand.NewChaCha8(sha256.Sum256([]byte(n.Seed + "\n" + strings.Join(purpose, "\n"))))
}

// Choose returns a number below n for a purpose: by chance, or from what the ids are made of,
// in which the purpose is distinguished from that of any id.
func (n Naming) Choose(below int, purpose ...string) int {
	var b [8]byte
	if _, err := io.ReadFull(n.randomSource(append([]string{"choice"}, purpose...)), b[:]); err != nil {
		panic(err) // neither source ends
	}
	return int(binary.BigEndian.Uint64(b[:]) % uint64(below))
}

// IDs makes ids that were never used before. A nil one makes them by chance.
type IDs struct {
	mu   sync.Mutex
	from io.Reader
}

// NewTimed returns another id, a UUID of version 7: it begins with the time, and has 62 bits
// of chance at its end.
func (i *IDs) NewTimed() string {
	id := uuid.MustParse(i.New())
	var now [8]byte
	binary.BigEndian.PutUint64(now[:], uint64(time.Now().UnixMilli()))
	copy(id[:6], now[2:])
	id[6] = id[6]&0x0f | 0x70
	return id.String()
}

// New returns another id, a random UUID.
func (i *IDs) New() string {
	if i == nil {
		return uuid.NewString()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return uuid.Must(uuid.NewRandomFromReader(i.from)).String()
}

// idSource are bytes that only somebody who has the nonce can make, and that look random to
// everybody else: HMAC-SHA256 with the nonce as its key.
type idSource struct {
	mac  hash.Hash
	info []byte
	n    uint64
}

func newIDSource(nonce, salt string, purpose []string) *idSource {
	d := &idSource{mac: hmac.New(sha256.New, []byte(nonce))}
	for _, s := range append([]string{"a2a-conform ids", salt}, purpose...) {
		d.info = append(strconv.AppendInt(d.info, int64(len(s)), 10), ':')
		d.info = append(d.info, s...)
	}
	return d
}

func (d *idSource) Read(p []byte) (int, error) {
	d.mac.Reset()
	d.mac.Write(d.info)
	d.mac.Write(binary.BigEndian.AppendUint64(nil, d.n))
	d.n++
	return copy(p, d.mac.Sum(nil)), nil
}

// The length of a nonce, in characters: one that can be guessed proves nothing.
const (
	minNonce = 16
	maxNonce = 200
)

// CheckNonceForm refuses a nonce that could be guessed, or be lost on its way.
func CheckNonceForm(nonce string) error {
	switch {
	case len(nonce) < minNonce:
		return fmt.Errorf("it has %d characters, and one of fewer than %d could be guessed; make one with: openssl rand -hex 16", len(nonce), minNonce)
	case len(nonce) > maxNonce:
		return fmt.Errorf("it has %d characters; the most are %d", len(nonce), maxNonce)
	case strings.ContainsFunc(nonce, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("it contains a space, a line break or a character that is not ASCII; make one with: openssl rand -hex 16")
	}
	return nil
}
