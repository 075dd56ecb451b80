package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what ObserveJSON takes apart, so that a hostile text costs no more
// than some tens of megabytes. A value costs about 160 bytes.
const (
	maxJSONDepth   = 1000
	MaxJSONValues  = 1 << 17
	maxJSONFaults  = 100  // faults kept of one kind
	maxJSONPointer = 4096 // bytes of a fault's pointer
)

// FaultKind names what is wrong with a JSON text.
type FaultKind string

// The kinds of JSONFault. The first four leave no root. TooDeep and
// TooLarge are limits of ours and prove nothing against the writer.
const (
	FaultEmpty           FaultKind = "empty"            // nothing but white space
	FaultNotJSON         FaultKind = "not-json"         // no text of RFC 8259's grammar
	FaultTooDeep         FaultKind = "too-deep"         // more than 1000 levels
	FaultTooLarge        FaultKind = "too-large"        // more than 131,072 values
	FaultTrailingBytes   FaultKind = "trailing-bytes"   // something follows the value
	FaultByteOrderMark   FaultKind = "byte-order-mark"  // RFC 8259, section 8.1, forbids to send it
	FaultDuplicateMember FaultKind = "duplicate-member" // an object has two members of one name
	FaultInvalidUTF8     FaultKind = "invalid-utf8"     // in a string; read as U+FFFD
	FaultLoneSurrogate   FaultKind = "lone-surrogate"   // half a pair of \u escapes; grammatical, read as U+FFFD
	FaultHugeNumber      FaultKind = "huge-number"      // more than 40 digits, or an exponent beyond ±400
)

// JSONFault is something wrong with a JSON text, and its place.
type JSONFault struct {
	Kind    FaultKind
	Offset  int    // in the observed text
	Pointer string // the value concerned, or the nearest one around it whose pointer is not too long to keep; it does not distinguish members of one name
	Detail  string
}

// ObserveJSON reads one JSON text as it was written: with duplicate members,
// the range of each value, and everything that is wrong with it. It is more
// patient than a decoder, so that one mistake of a server does not hide the rest of
// its answer. The root is nil only if the text is empty, is no JSON, or is beyond
// our limits. At most 100 faults of one kind are listed.
func ObserveJSON(text []byte) (root *Node, faults []JSONFault) {
	if len(text) > largeJSON {
		largeTexts <- struct{}{}
		defer func() { <-largeTexts }()
	}
	o := jsonObserver{bytes: text, text: string(text)}
	root = o.readText()
	return root, o.faults
}

// Large texts are taken apart one at a time: each may take a hundred times the
// memory of what comes of it in the end.
const largeJSON = 256 << 10

var largeTexts = make(chan struct{}, 1)

type jsonObserver struct {
	bytes  []byte
	text   string // the same; strings of nodes share it
	dec    *jsontext.Decoder
	base   int // offset of what dec reads
	end    int // offset after the last token
	stack  []jsonLevel
	slab   []Node
	values int
	faults []JSONFault
	counts map[FaultKind]int
}

// jsonLevel is an array or object whose end has not been seen.
type jsonLevel struct {
	node  *Node
	name  string // the member being read
	named int    // its offset
	await bool   // name is set and its value is due
	names map[string]struct{}
}

func (o *jsonObserver) readText() *Node {
	if bytes.HasPrefix(o.bytes, bom) {
		o.base, o.end = len(bom), len(bom)
		o.addFault(FaultByteOrderMark, 0, "the text begins with a byte order mark")
	}
	if len(o.textAfterLeadingSpace(o.end)) == 0 {
		o.addFault(FaultEmpty, o.end, "the text holds no value")
		return nil
	}
	// A decoder reads a bytes.Buffer in place and leaves its bytes alone.
	o.dec = jsontext.NewDecoder(bytes.NewBuffer(o.bytes[o.base:]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := o.dec.ReadToken()
		if err != nil {
			o.addSyntaxFault(err)
			return nil
		}
		start := o.tokenStart()
		o.end = o.base + int(o.dec.InputOffset())
		done := o.addTokenAndReturnCompleted(token, start)
		switch {
		case len(o.stack) > maxJSONDepth:
			o.addFault(FaultTooDeep, start, fmt.Sprintf("more than %d levels", maxJSONDepth))
			return nil
		case o.values > MaxJSONValues:
			o.addFault(FaultTooLarge, start, fmt.Sprintf("more than %d values", MaxJSONValues))
			return nil
		case done != nil && len(o.stack) == 0:
			return o.checkEnd(done)
		}
	}
}

// checkEnd looks at what follows the root.
func (o *jsonObserver) checkEnd(root *Node) *Node {
	rest := o.textAfterLeadingSpace(o.end)
	if len(rest) == 0 {
		return root
	}
	offset := len(o.text) - len(rest)
	if root.Kind <= Number && offset == o.end && strings.IndexByte(`{}[]",:`, rest[0]) < 0 {
		// Nothing ends such a value but another token: 01 and nullify are no values at all.
		o.addFault(FaultNotJSON, o.end, "invalid character "+firstRune(rest)+" inside a value")
		return nil
	}
	o.addFault(FaultTrailingBytes, offset, fmt.Sprintf("%d bytes follow the value, beginning with %s", len(rest), firstRune(rest)))
	return root
}

// addTokenAndReturnCompleted adds a token to the tree and returns the node it completed, if any.
func (o *jsonObserver) addTokenAndReturnCompleted(token jsontext.Token, start int) *Node {
	kind := token.Kind()
	if kind == jsontext.KindEndObject || kind == jsontext.KindEndArray {
		n := o.innermost().node
		n.End = o.end
		o.stack = o.stack[:len(o.stack)-1]
		return o.clearAwaitAndReturn(n)
	}
	if top := o.innermost(); top != nil && top.node.Kind == Object && !top.await {
		name := o.readString(token, start) // while a fault in it is still one of the object
		top.name, top.named, top.await = name, start, true
		o.checkDuplicate(top)
		return nil
	}
	n := o.newNode()
	n.Start, n.End = start, o.end
	o.attachNode(n)
	switch kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		n.Kind = Array
		if kind == jsontext.KindBeginObject {
			n.Kind = Object
		}
		o.stack = append(o.stack, jsonLevel{node: n})
		return nil
	case jsontext.KindTrue, jsontext.KindFalse:
		n.Kind, n.Bool = Bool, kind == jsontext.KindTrue
	case jsontext.KindNumber:
		n.Kind, n.Number = Number, o.text[start:o.end]
		if why := hugeNumber(n.Number); why != "" {
			o.addFault(FaultHugeNumber, start, why+"; it is judged as 0")
		}
	case jsontext.KindString:
		n.Kind, n.String = String, o.readString(token, start)
	}
	return o.clearAwaitAndReturn(n)
}

// clearAwaitAndReturn returns n after making its place around it ready for what comes next.
func (o *jsonObserver) clearAwaitAndReturn(n *Node) *Node {
	if top := o.innermost(); top != nil {
		top.await = false
	}
	return n
}

// attachNode hangs a node below the innermost open array or object.
func (o *jsonObserver) attachNode(n *Node) {
	top := o.innermost()
	switch {
	case top == nil:
	case top.node.Kind == Array:
		top.node.Elems = append(top.node.Elems, n)
	default:
		top.node.Members = append(top.node.Members, Member{top.name, n, top.named})
	}
}

// readString is the value of a string token, sharing the text if it can.
func (o *jsonObserver) readString(token jsontext.Token, start int) string {
	raw := o.text[start:o.end]
	valid := utf8.ValidString(raw)
	if !valid {
		i := invalidUTF8At(o.bytes[start:o.end])
		o.addFault(FaultInvalidUTF8, start+i, fmt.Sprintf("byte 0x%x", raw[i]))
	}
	if strings.IndexByte(raw, '\\') < 0 && valid {
		return raw[1 : len(raw)-1]
	}
	if valid && strings.Contains(raw, `\u`) {
		s, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			o.addFault(FaultLoneSurrogate, start, syntaxReason(err))
		}
		return string(s)
	}
	return token.String()
}

// checkDuplicate notes the member's name and reports it if its object has it already.
func (o *jsonObserver) checkDuplicate(l *jsonLevel) {
	members := l.node.Members
	if l.names == nil && len(members) >= 8 { // comparing beats hashing before
		l.names = make(map[string]struct{}, 2*len(members))
		for i := range members {
			l.names[members[i].Name] = struct{}{}
		}
	}
	_, known := l.names[l.name]
	if l.names != nil {
		l.names[l.name] = struct{}{}
	} else {
		known = slices.ContainsFunc(members, func(m Member) bool { return m.Name == l.name })
	}
	if known {
		o.addFault(FaultDuplicateMember, l.named, "the object has a member "+quoteShort(l.name)+" before this one")
	}
}

func (o *jsonObserver) innermost() *jsonLevel {
	if len(o.stack) == 0 {
		return nil
	}
	return &o.stack[len(o.stack)-1]
}

// newNode takes nodes from slabs that grow with the text.
func (o *jsonObserver) newNode() *Node {
	if len(o.slab) == 0 {
		o.slab = make([]Node, min(max(o.values, 8), 1024, len(o.text)/2+1))
	}
	n := &o.slab[0]
	o.slab = o.slab[1:]
	o.values++
	return n
}

// tokenStart returns the offset of the token that was read last: after the previous
// one's end, with white space and at most one delimiter between.
func (o *jsonObserver) tokenStart() int {
	rest := o.textAfterLeadingSpace(o.end)
	if rest != "" && (rest[0] == ',' || rest[0] == ':') {
		rest = o.textAfterLeadingSpace(len(o.text) - len(rest) + 1)
	}
	return len(o.text) - len(rest)
}

// textAfterLeadingSpace is the text from an offset on without its leading white space.
func (o *jsonObserver) textAfterLeadingSpace(offset int) string {
	for offset < len(o.text) {
		switch o.text[offset] {
		case ' ', '\t', '\r', '\n':
			offset++
		default:
			return o.text[offset:]
		}
	}
	return ""
}

func (o *jsonObserver) addSyntaxFault(err error) {
	offset, detail := len(o.text), "the text ends inside a value"
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		detail = syntaxReason(err)
		if s := (*jsontext.SyntacticError)(nil); errors.As(err, &s) {
			offset = o.base + int(s.ByteOffset)
		}
	}
	o.addFault(FaultNotJSON, offset, detail)
}

// addFault reports a fault of what is being read.
func (o *jsonObserver) addFault(kind FaultKind, offset int, detail string) {
	if o.counts == nil {
		o.counts = map[FaultKind]int{}
	}
	if o.counts[kind]++; o.counts[kind] <= maxJSONFaults {
		o.faults = append(o.faults, JSONFault{kind, offset, o.currentPointer(), detail})
	}
}

// currentPointer leads through the open arrays and objects to what is being read.
func (o *jsonObserver) currentPointer() string {
	var b strings.Builder
	for _, l := range o.stack {
		var token string
		switch {
		case l.node.Kind == Array && len(l.node.Elems) > 0:
			token = strconv.Itoa(len(l.node.Elems) - 1)
		case l.node.Kind == Object && l.await:
			token = l.name
		default:
			return b.String()
		}
		if b.Len()+len(token) >= maxJSONPointer {
			return b.String()
		}
		b.WriteString(Pointer(token))
	}
	return b.String()
}

// syntaxReason returns the error text of a decoder, without its own name and position.
func syntaxReason(err error) string {
	if s := (*jsontext.SyntacticError)(nil); errors.As(err, &s) && s.Err != nil {
		err = s.Err
	}
	return err.Error()
}

func firstRune(s string) string {
	c, _ := utf8.DecodeRuneInString(s)
	return strconv.QuoteRune(c)
}

func quoteShort(s string) string {
	if len(s) > 80 {
		s = string(cutUTF8([]byte(s[:84]), 80)) + "…"
	}
	return strconv.Quote(s)
}
