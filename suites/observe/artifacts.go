package observe

import (
	"maps"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// ArtifactPiece is what one update brings of an artifact: all of it, or a piece that is
// appended to the pieces before.
type ArtifactPiece struct {
	judge.Value               // the artifact as the update has it
	Key         string        // distinguishes the artifact from the others of its task
	Update      judge.Value   // the update, or the task that has the artifact
	Whole       bool          // a task showed the artifact as it was by then
	Known       bool          // the stream brought something of this artifact before
	Before      *FoldedPieces // what the artifact consists of when the piece comes
}

// Appends reports whether the piece is added to those before. Any other piece takes the
// place of all that was sent of the artifact.
func (p ArtifactPiece) Appends() bool { return !p.Whole && p.Update.Read("chunk.append").True() }

// IsLast reports whether the piece is declared to be the last of its artifact.
func (p ArtifactPiece) IsLast() bool { return !p.Whole && p.Update.Read("chunk.last").True() }

// FoldedPieces are the pieces of which an artifact consists after some updates.
type FoldedPieces struct {
	Key    string
	Pieces []ArtifactPiece
	Closed bool // one of the pieces was declared to be the last
}

// Text returns what the pieces add up to. A server may store in one part what it streamed in
// several, so only texts can be compared.
func (f *FoldedPieces) Text(t *judge.T) string {
	text := ""
	for _, p := range f.Pieces {
		text += TextOf(t, p.Value, "artifact")
	}
	return text
}

// ArtifactKey returns what distinguishes an artifact from the others of its task: a name or a
// number, which is 0 if it is left out.
func ArtifactKey(t *judge.T, artifact judge.Value) string {
	keys := ExpandDialectPlace(t, artifact, "artifact", "key")
	if len(keys) == 0 {
		return "0"
	}
	if n, ok := keys[0].Int(); ok {
		return strconv.Itoa(n)
	}
	return keys[0].Text()
}

// StoredTexts returns the texts of the artifacts of a task, by key.
func StoredTexts(t *judge.T, task judge.Value) map[string]string {
	out := map[string]string{}
	for _, a := range task.Read("task.artifacts").Elems() {
		out[ArtifactKey(t, a)] += TextOf(t, a, "artifact")
	}
	return out
}

// ArtifactPieces returns the pieces of artifacts that a stream brings, each with what came
// before it. It is the only place that decides what an update does to an artifact.
func ArtifactPieces(t *judge.T, s judge.Step) []ArtifactPiece {
	pieces, _ := foldArtifacts(t, Updates(t, s))
	return pieces
}

// FoldedArtifacts returns the artifacts that the updates of a stream add up to, in the order
// of their keys.
func FoldedArtifacts(t *judge.T, s judge.Step) []*FoldedPieces {
	_, folded := foldArtifacts(t, Updates(t, s))
	var out []*FoldedPieces
	for _, key := range slices.Sorted(maps.Keys(folded)) {
		out = append(out, folded[key])
	}
	return out
}

func foldArtifacts(t *judge.T, updates []judge.Value) (pieces []ArtifactPiece, folded map[string]*FoldedPieces) {
	folded = map[string]*FoldedPieces{}
	add := func(p ArtifactPiece) {
		p.Key = ArtifactKey(t, p.Value)
		before, known := folded[p.Key]
		if !known {
			before = &FoldedPieces{Key: p.Key}
		}
		p.Known, p.Before = known, before
		after := &FoldedPieces{Key: p.Key, Closed: p.IsLast()}
		if p.Appends() {
			after.Pieces, after.Closed = slices.Clone(before.Pieces), before.Closed || p.IsLast()
		}
		after.Pieces = append(after.Pieces, p)
		pieces, folded[p.Key] = append(pieces, p), after
	}
	for _, u := range updates {
		for _, a := range u.Read("task.artifacts").Elems() {
			if folded[ArtifactKey(t, a)] == nil { // later tasks repeat what the updates brought
				add(ArtifactPiece{Value: a, Update: u, Whole: true})
			}
		}
		if a := u.Read("event.artifact"); a.IsObject() {
			add(ArtifactPiece{Value: a, Update: u})
		}
	}
	return pieces, folded
}
