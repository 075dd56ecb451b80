package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// isRead is what is expected of a file that is read although it is strange: the run goes on to
// its target, and nobody is there.
const isRead = "it is read"

// writeUTF16 writes a text in UTF-16, with a byte order mark.
func writeUTF16(s string) func(io.Writer) {
	return func(w io.Writer) {
		out := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(s)) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		w.Write(out)
	}
}

// writeUTF32 writes a text in UTF-32, with a byte order mark.
func writeUTF32(s string) func(io.Writer) {
	return func(w io.Writer) {
		out := []byte{0xff, 0xfe, 0, 0}
		for _, r := range s {
			out = append(out, byte(r), byte(r>>8), byte(r>>16), 0)
		}
		w.Write(out)
	}
}

// writePayment writes a configuration whose payment is a text of YAML.
func writePayment(payment string) func(io.Writer) {
	return plainText("target: " + target + "\nstimuli: {pay: {text: pay, payment: {" + payment + "}}}\n")
}

// writeRateLimit writes a configuration with a limit of requests per seconds.
func writeRateLimit(requests, seconds string) func(io.Writer) {
	return plainText(fmt.Sprintf("target: %s\ndeclares: {rateLimit: {requests: %s, seconds: %s}}\n", target, requests, seconds))
}

// countedText is what counted writes.
func countedText(format string, n int) string {
	var b strings.Builder
	counted("", format, n, "")(&b)
	return b.String()
}

// yamlFiles are files in YAML that multiply, are compared each with each, or mean something else
// than they seem to.
func yamlFiles() []foreignFile {
	config, waivers := []string{"run", "--config", "FILE"}, []string{"run", target, "--waivers", "FILE"}
	stimuli := []string{"run", target, "--stimuli", "FILE"}
	profile := []string{"verify", "/dev/null", "--profile", "FILE"}
	list := []string{"fleet", "add", "--data", "fleet", "--file", "FILE"}
	secrets := []string{"fleet", "work", "--once", "--data", "fleet", "--secrets", "FILE"}
	given := "target: " + target + "\n"
	multiplied := "a0: &a0 {x: 1}, "
	for i := 1; i < 60; i++ {
		multiplied += fmt.Sprintf("a%d: &a%[1]d {<<: [*a%[2]d, *a%[2]d], k%[1]d: 1}, ", i, i-1)
	}
	thousand := countedText("k%d: 1, ", 900)
	return []foreignFile{
		// Aliases and merge keys.
		{"a payment of aliases upon aliases", writePayment(strings.ReplaceAll("a: &a [x,x,x,x,x,x,x,x,x]\n"+aliases(), "\n", ", ")), config, "with its aliases expanded"},
		{"a payment with an alias inside its own anchor", writePayment("a: &a {b: [1, *a]}"), config, "used inside the value"},
		{"a payment that merges a map into itself", writePayment("a: &a {<<: *a}"), config, "used inside the value"},
		{"a payment of merge keys upon merge keys", writePayment(multiplied), config, "with its aliases expanded"},
		{"a payment that merges one map 30,000 times", writePayment("a: &a {" + thousand + "}, b: {<<: [" + strings.Repeat("*a, ", 30_000) + "]}"), config, "with its aliases expanded"},
		{"a payment that repeats a map of 10,000 keys", writePayment("a: &a {" + countedText("k%d: 1, ", 10_000) + "}, b: [" + strings.Repeat("*a, ", 200) + "]"), config, "with its aliases expanded"},
		{"an alias that nothing is called by", plainText(given + "card: *nobody\n"), config, "unknown anchor"},
		{"anchors on keys, used as values", plainText("&k target: " + target + "\ndialect: *k\n"), config, "unknown dialect"},
		{"an alias as a key", plainText("target: &t " + target + "\n*t : 1\n"), config, "the key is"},
		{"a merge key with a text", plainText(given + "<<: x\n"), config, "must be a map"},
		{"stimuli of aliases upon aliases", plainText("pay: {text: pay, payment: {a: &a [x,x,x,x,x,x,x,x,x], " + strings.ReplaceAll(aliases(), "\n", ", ") + "}}"), stimuli, "with its aliases expanded"},
		{"waivers whose places are aliases upon aliases", plainText("waivers: [{id: X, at: [&a [x,x,x,x,x,x,x,x,x], " + strings.ReplaceAll(aliasElements(), "\n", ", ") + "]}]"), waivers, "with its aliases expanded"},
		{"an agent of aliases upon aliases", plainText("agents: [{target: \"" + target + "\", stimuli: {pay: {text: pay, payment: {a: &a [x,x,x,x,x,x,x,x,x], " + strings.ReplaceAll(aliases(), "\n", ", ") + "}}}}]"), list, "with its aliases expanded"},
		{"a secret inside its own anchor", plainText("secrets: &s {a: *s}"), secrets, ""},
		{"a profile whose keys are aliases upon aliases", plainText("keys: &k [{holder: a, file: /dev/zero}, {holder: b, file: /dev/zero}]\ntarget: http://a\n"), profile, "larger than"},
		// What is compared each with each.
		{"80,000 interfaces of one name", plainText(given + "interfaces: {" + strings.Repeat("a: b,", 80_000) + "}"), config, "80000 keys"},
		{"9,000 interfaces of one name", plainText(given + "interfaces: {" + strings.Repeat("a: b,", 9_000) + "}"), config, "given twice"},
		{"60,000 members of a payment", writePayment(countedText("%x: 1,", 50_000)), config, "50000 keys"},
		{"25,000 stimuli of one name", plainText(strings.Repeat("quick: {text: a}\n", 25_000)), stimuli, "25000 keys"},
		{"30,000 secrets of one name", plainText("secrets:\n" + strings.Repeat("  a: {value: b}\n", 30_000)), secrets, "30000 keys"},
		{"50,000 declarations of one name in a profile", plainText("declares:\n" + strings.Repeat("  a: [b]\n", 50_000)), profile, "50000 keys"},
		{"a place of 80,000 equal keys in a waiver", plainText("waivers:\n- {id: X, at: {" + strings.Repeat("a: b,", 80_000) + "}}"), waivers, "80000 keys"},
		{"an agent with 90,000 equal keys", plainText("agents:\n- {" + strings.Repeat("a: b,", 90_000) + "}"), list, "90000 keys"},
		{"30,000 directives", counted("", "%%TAG !a%d! b\n", 30_000, "---\n"+given), config, "directives of YAML"},
		{"90,000 trusted hosts", plainText(given + "trustHosts: [" + strings.Repeat("ab,", 90_000) + "]"), config, "90000 hosts"},
		{"a value behind 200,000 question marks", plainText(strings.Repeat("? ", 200_000)), config, "this is not YAML"},
		{"a value behind 250,000 dashes in one line", plainText("target: " + strings.Repeat("- ", 250_000)), config, "this is not YAML"},
		{"100,000 places that are none in one waiver", plainText("waivers:\n- {id: X, at: [" + strings.Repeat("/~,", 100_000) + "]}"), waivers, "more lines like these"},
		// Lists of agents.
		{"200,001 agents", counted("agents:\n", "- target: http://a/%d\n", 200_001, ""), list, "more than 200000 agents"},
		{"200,001 agents in JSON", counted(`{"agents": [`, `{"target": "http://a/%d"},`, 200_001, `{}]}`), list, "more than 200000 agents"},
		{"agents by the million in one line", repeated("agents: [", "{},", 30<<20, "{}]"), list, "larger than 1 MiB"},
		{"an agent of ten million empty lists", repeated("agents:\n- stimuli: [", "[],", 30<<20, "[]]\n"), list, "too many for one agent"},
		{"an agent and 31 million empty lines", repeated("agents:\n- target: http://a\n", "\n", 31<<20, ""), list, "too many for one agent"},
		{"31 million empty lines, and an agent with a mistake", repeated("", "\n", 29<<20, "agents:\n- {target: http://a, dialekt: x}\n"), list, "unknown key"},
		{"15 million dashes in one line", repeated("agents:\n", "- ", 30<<20, ""), list, "too many for one agent"},
		{"a list of 32 MB and more", repeated("agents:\n", "- target: http://a\n", 33<<20, ""), list, "larger than"},
		// Tags and encodings.
		{"bytes in base64 for a text", plainText(given + "stimuli: {quick: {text: !!binary /wD+}}"), config, `the tag "!!binary"`},
		{"a tag of another program", plainText("target: !vault/secret " + target), config, `the tag "!vault/secret"`},
		{"a set in place of a map", plainText(given + "stimuli: !!set {quick}"), config, `the tag "!!set"`},
		{"a tag that says nothing is there", plainText("target: !!null " + target), config, `the tag "!!null"`},
		{"a tag of 400 KB", plainText("target: !" + strings.Repeat("a", 400_000) + " b"), config, "cannot be used here"},
		{"UTF-16 that ends in half a character", func(w io.Writer) { io.WriteString(w, "\xff\xfet\x00a\x00\x00\xd8") }, config, "this is not YAML"},
		{"a configuration in UTF-16", writeUTF16(given), config, isRead},
		{"a configuration in UTF-32", writeUTF32(given), config, "this is not YAML"},
		{"a NUL in a text", plainText("target: a\x00b"), config, "this is not YAML"},
		{"a NUL that is escaped", plainText(`target: "http://a\0b"`), config, "not an http or https URL"},
		{"half a character that is escaped", plainText(`target: "\ud800"`), config, "this is not YAML"},
		{"50,000 documents", plainText(strings.Repeat("--- {}\n", 50_000)), config, "second YAML document"},
		{"a workflow command as the name of a file", plainText(given + `card: "a\n::error::b\e[31m"`), config, "cannot be read"},
		// Texts and numbers.
		{"a variable with a name of 400 KB", plainText(given + `auth: {bearer: "${` + strings.Repeat("A", 400_000) + `}"}`), config, "is not set"},
		{"a variable inside a quoted text", plainText(given + `auth: {bearer: "token ${HOME}"}`), config, "must not hold a credential"},
		{"a dialect of 400 KB", plainText(given + "dialect: " + strings.Repeat("k", 400_000)), config, "unknown dialect"},
		{"a key of 400 KB", plainText("? " + strings.Repeat("k", 400_000) + "\n: x"), config, "unknown key"},
		{"a folded text of 100,000 lines", plainText("target: \"" + strings.Repeat("a\n\n", 100_000) + "\""), config, "not an http or https URL"},
		{"120,000 lines of comments", plainText(given + strings.Repeat("# c\n", 120_000)), config, isRead},
		{"a payment nested 9,000 deep", writePayment("a: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)), config, isRead},
		{"a payment with a number of 300,000 digits", writePayment("a: " + strings.Repeat("9", 300_000)), config, isRead},
		{"a payment with a list as a key", writePayment("[a]: b"), config, "cannot unmarshal"},
		{"requests without number", writeRateLimit(".nan", "1"), config, "must be a number"},
		{"requests beyond all numbers", writeRateLimit("1e999", "1"), config, "must be a number"},
		{"requests in hexadecimal, beyond all numbers", writeRateLimit("0xffffffffffffffffff", "1"), config, "must be a number"},
		{"seconds that are a day", writeRateLimit("5", "2001-01-01"), config, "must be a number"},
		{"seconds without end", writeRateLimit("5", ".inf"), config, "at most 1000000"},
		{"an age without end", plainText("age: 999999999999d\ntarget: http://a\n"), profile, "is no age"},
		{"a number of undecided requirements that is none", plainText("undecided: .nan\n"), profile, "must be a number"},
	}
}

// aliasElements are aliases upon aliases, as elements of a list.
func aliasElements() string {
	var b strings.Builder
	for line := range strings.Lines(aliases()) {
		_, value, _ := strings.Cut(line, ": ")
		b.WriteString(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
