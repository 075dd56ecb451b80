package shape

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	maxNumberDigits   = 40
	maxNumberExponent = 400
	maxNumberDepth    = 1000
)

// plainNumbers returns the value with every outsized number replaced by a
// stand-in of like sign, size and wholeness. The validator turns numbers into
// fractions of big integers: 1e10000000 makes it panic, 1e1000000 makes it
// slow. What holds no such number is returned as it is. Below a depth that no
// protocol's types reach nothing is replaced.
func plainNumbers(v any, depth int) any {
	plain, _ := replaceNumbers(v, depth)
	return plain
}

func replaceNumbers(v any, depth int) (_ any, replaced bool) {
	if depth > maxNumberDepth {
		return v, false
	}
	switch v := v.(type) {
	case json.Number:
		if standIn, ok := numberStandIn(string(v)); ok {
			return json.Number(standIn), true
		}
	case []any:
		out := v
		for i, item := range v {
			plain, ok := replaceNumbers(item, depth+1)
			if ok && !replaced {
				out, replaced = slices.Clone(v), true
			}
			if ok {
				out[i] = plain
			}
		}
		return out, replaced
	case map[string]any:
		out := v
		for name, member := range v {
			plain, ok := replaceNumbers(member, depth+1)
			if ok && !replaced {
				out, replaced = maps.Clone(v), true
			}
			if ok {
				out[name] = plain
			}
		}
		return out, replaced
	}
	return v, false
}

// numberStandIn gives the replacement of an outsized number, and false for one
// of ordinary size.
func numberStandIn(text string) (string, bool) {
	mantissa, exp := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exp = text[:i], boundedExponent(text[i+1:])
	}
	if len(mantissa) <= maxNumberDigits && -maxNumberExponent <= exp && exp <= maxNumberExponent {
		return "", false
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	if digits == "" {
		return "0", true
	}
	// The last digit other than 0 is this many places behind the point.
	places := len(digits) - len(whole) - exp
	size, _ := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(exp), 64)
	switch {
	case math.IsInf(size, 0):
		return sign + "1e400", true
	case places <= 0:
		return sign + strconv.FormatFloat(size, 'f', 0, 64), true
	case size == 0:
		return sign + "1e-300", true
	case size == math.Trunc(size) && size < 1<<52:
		// Rounding made it whole, which it is not: step off it.
		size = math.Nextafter(size, 0)
	case size == math.Trunc(size):
		return sign + strconv.FormatFloat(size, 'f', 0, 64) + ".5", true
	}
	return sign + strconv.FormatFloat(size, 'g', -1, 64), true
}

// boundedExponent reads an exponent of any length.
func boundedExponent(text string) int {
	exp, err := strconv.Atoi(text)
	if err != nil && strings.HasPrefix(text, "-") {
		exp = math.MinInt32
	} else if err != nil {
		exp = math.MaxInt32
	}
	return min(max(exp, math.MinInt32), math.MaxInt32)
}
