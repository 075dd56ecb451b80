package recognition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Family is a kind of trait by which a server may tell clients apart.
type Family string

// The families: everything that a server sees of requests in HTTP/1.1.
const (
	Fields      Family = "which header fields there are"
	FieldOrder  Family = "the order of header fields, and how their names are written"
	FieldValues Family = "the values of header fields"
	Calls       Family = "which calls are made, and which follow each other"
	Members     Family = "which members a body has"
	MemberOrder Family = "the order of members"
	Spelling    Family = "white space and escapes"
	CallIDs     Family = "the form of the ids of calls"
	MessageIDs  Family = "the form of the ids of messages"
	OtherIDs    Family = "the form of other ids"
	Words       Family = "the words of texts"
	Queries     Family = "how the query of a URL is written"
	Connections Family = "the number of connections"
	Pauses      Family = "the pauses between requests"
)

// Families are all of them.
var Families = []Family{Fields, FieldOrder, FieldValues, Calls, Members, MemberOrder, Spelling, CallIDs, MessageIDs, OtherIDs, Words, Queries, Connections, Pauses}

// Trait is what a request answers to one question about it. That a question cannot be asked of
// a request reports nothing: what it is about belongs to another family.
type Trait struct {
	Family           Family
	Question, Answer string
}

// Traits returns what a server sees of each request of a recording.
func (r Recording) Traits() [][]Trait {
	out := make([][]Trait, len(r.Requests))
	last := map[int]Request{} // by connection
	for i, q := range r.Requests {
		o := observed{dialect: r.Dialect}
		o.readFields(q)
		o.readTarget(q)
		o.readBody(q)
		call := o.addTrait(Calls, "call", o.call)
		before, reused := last[q.Conn]
		o.addTrait(Connections, "connection", fmt.Sprint(reused))
		if i > 0 {
			o.addTrait(Pauses, "since the last request", orderOfMagnitude(q.At-r.Requests[i-1].At))
			o.addTrait(Calls, "call after "+callOf(r.Requests[i-1]), call)
		}
		if reused {
			o.addTrait(Pauses, "since the last request of the connection", orderOfMagnitude(q.At-before.At))
		}
		last[q.Conn] = q
		out[i] = o.traits
	}
	return out
}

// observed collects the traits of one request.
type observed struct {
	dialect string
	call    string
	traits  []Trait
}

func (o *observed) addTrait(f Family, question, answer string) string {
	o.traits = append(o.traits, Trait{f, o.dialect + ": " + question, answer})
	return answer
}

// addOrder adds the order of each two names.
func (o *observed) addOrder(f Family, place string, names []string) {
	for i, a := range names {
		for _, b := range names[i+1:] {
			first, second := min(a, b), max(a, b)
			if first != second {
				o.addTrait(f, place+": the first of "+first+", "+second, a)
			}
		}
	}
}

func (o *observed) readFields(q Request) {
	var names []string
	for _, f := range q.Fields {
		name := strings.ToLower(f[0])
		names = append(names, name)
		o.addTrait(FieldOrder, "spelling of "+name, f[0])
		if name != "host" && name != "content-length" {
			o.addTrait(FieldValues, "value of "+name, f[1])
		}
	}
	o.addOrder(FieldOrder, "fields", names)
	slices.Sort(names)
	o.addTrait(Fields, "fields of "+q.Method, strings.Join(names, " "))
}

func (o *observed) readTarget(q Request) {
	_, query, asks := strings.Cut(q.Target, "?")
	if !asks {
		return
	}
	var names []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	o.addOrder(Queries, "query", names)
	if values, err := url.ParseQuery(query); err == nil && strings.ContainsAny(query, "+%") {
		o.addTrait(Queries, "escapes", fmt.Sprint(values.Encode() == query))
	}
}

func (o *observed) readBody(q Request) {
	o.call = callOf(q)
	if q.Body == "" {
		return
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(q.Body)) != nil {
		o.addTrait(Members, "members", "no JSON")
		return
	}
	o.addTrait(Spelling, "white space", whitespaceOf(q.Body, compact.Len()))
	if strings.ContainsAny(compact.String(), "<>&") || strings.Contains(compact.String(), `\u00`) {
		o.addTrait(Spelling, "escapes", fmt.Sprint(strings.Contains(compact.String(), `\u00`)))
	}
	in := json.NewDecoder(bytes.NewReader(compact.Bytes()))
	in.UseNumber()
	o.readValue(in, "", "")
}

// whitespaceOf returns the places of white space in a text of JSON.
func whitespaceOf(text string, compact int) string {
	switch {
	case len(text) == compact:
		return "none"
	case strings.HasSuffix(text, "\n") && len(text) == compact+1:
		return "a line break at the end"
	case strings.Contains(text, "\n"):
		return "lines"
	}
	return "blanks"
}

// readValue reads a value at a place, and returns whether there was one.
func (o *observed) readValue(in *json.Decoder, place, name string) {
	token, err := in.Token()
	if err != nil {
		return
	}
	switch token {
	case json.Delim('['):
		for in.More() {
			o.readValue(in, place+"/*", "")
		}
		in.Token()
	case json.Delim('{'):
		var names []string
		for in.More() {
			key, _ := in.Token()
			member, _ := key.(string)
			names = append(names, member)
			o.readValue(in, place+"/"+member, member)
		}
		in.Token()
		o.addOrder(MemberOrder, "members of "+place, names)
		slices.Sort(names)
		o.addTrait(Members, "members of "+place, strings.Join(names, " "))
	default:
		o.readPlain(place, name, token)
	}
}

func (o *observed) readPlain(place, name string, value json.Token) {
	text, isText := value.(string)
	switch {
	case place == "/id":
		o.addTrait(CallIDs, "id of the call", formOf(value))
	case name == "messageId":
		o.addTrait(MessageIDs, "id of the message", formOf(value))
	case strings.HasSuffix(strings.ToLower(name), "id"):
		o.addTrait(OtherIDs, "form of "+name, formOf(value))
	case isText:
		for word := range strings.FieldsSeq(text) {
			o.addTrait(Words, "words of "+name, word)
		}
	default:
		o.addTrait(Words, "value of "+name, fmt.Sprint(value))
	}
}

var idForms = []struct {
	name string
	is   *regexp.Regexp
}{
	{"UUID of version ", regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$`)},
	{"UUID in capitals of version ", regexp.MustCompile(`^[0-9A-F]{8}-[0-9A-F]{4}-([0-9A-F])[0-9A-F]{3}-[0-9A-F]{4}-[0-9A-F]{12}$`)},
	{"hexadecimal digits", regexp.MustCompile(`^[0-9a-f]{32}()$`)},
	{"digits", regexp.MustCompile(`^[0-9]+()$`)},
	{"capitals and digits", regexp.MustCompile(`^[0-9A-Z]{20,}()$`)},
	{"UUID after ", regexp.MustCompile(`^(.+?)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)},
}

// formOf returns the form of an id.
func formOf(id json.Token) string {
	text, isText := id.(string)
	if !isText {
		return fmt.Sprintf("%T", id)
	}
	for _, form := range idForms {
		if m := form.is.FindStringSubmatch(text); m != nil {
			return form.name + m[1]
		}
	}
	return "another text"
}

// callOf returns the method of JSON-RPC that a request calls, or its verb and the end of its path.
func callOf(q Request) string {
	var call struct{ Method string }
	if json.Unmarshal([]byte(q.Body), &call) == nil && call.Method != "" {
		return call.Method
	}
	path := q.targetPath()
	return q.Method + " " + path[strings.LastIndexAny(path, "/:")+1:]
}

// orderOfMagnitude rounds a time to a factor of two.
func orderOfMagnitude(d time.Duration) string {
	n := 0
	for d > 100*time.Microsecond {
		n, d = n+1, d/2
	}
	return fmt.Sprint(n)
}
