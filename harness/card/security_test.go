package card

import (
	"fmt"
	"strings"
	"testing"
)

func TestDemands(t *testing.T) {
	for _, c := range []struct {
		dialect, card string
		want          Answer
	}{
		{"a2a-0.3", `{}`, No},
		{"a2a-0.3", `{"security":null}`, No},
		{"a2a-0.3", `{"security":[]}`, No},
		{"a2a-0.3", `{"security":[{"b":[]}]}`, Yes},
		{"a2a-0.3", `{"security":["bearer"]}`, Yes},
		{"a2a-0.3", `{"security":[{"b":[]},{}]}`, No},
		// What is outside a list is for the shape.
		{"a2a-0.3", `{"security":{"b":[]}}`, No},
		{"a2a-0.3", `{"security":"bearer"}`, No},
		// An entry that cannot be read may stand for a scheme, or for none.
		{"a2a-0.3", `{"security":[null]}`, Unclear},
		{"a2a-0.3", `{"security":[7]}`, Unclear},
		{"a2a-0.3", `{"security":[[]]}`, Unclear},
		{"a2a-0.3", `{"security":[["b"]]}`, Unclear},
		{"a2a-0.3", `{"security":[{"b":[]},null]}`, Unclear},
		{"a2a-0.3", `{"security":[null,{}]}`, No}, // whatever else stands there, callers are welcome
		{"a2a-0.1", `{"authentication":{"schemes":["Bearer"]}}`, Yes},
		{"a2a-0.1", `{"authentication":{"schemes":[""]}}`, Yes},
		{"a2a-0.1", `{"authentication":{"schemes":[]}}`, No},
		{"a2a-0.1", `{"authentication":{"schemes":null}}`, No},
		{"a2a-0.1", `{"authentication":null}`, No},
		{"a2a-0.1", `{"authentication":{"schemes":[null]}}`, Unclear},
		{"a2a-0.1", `{"authentication":{"schemes":["Bearer",true]}}`, Unclear},
		{"jaf-0.3", `{"authentication":{"required":true}}`, Yes},
		{"jaf-0.3", `{"authentication":{"required":false,"schemes":["bearer"]}}`, No},
		{"jaf-0.3", `{"authentication":{"schemes":[null]}}`, No},
		{"jaf-0.3", `{"authentication":{"required":"yes"}}`, Unclear},
		{"jaf-0.3", `{"authentication":"bearer"}`, Unclear},
		{"a2x-0.3", `{"security":[{"b":[]}],"securitySchemes":{"b":{}}}`, No},
		{"core-schema", `{"authentication":{"schemes":["Bearer"]}}`, No},
	} {
		if got := reading(t, c.dialect, c.card).Demands(); got != c.want {
			t.Errorf("%s: %s demands credentials: %d, want %d", c.dialect, c.card, got, c.want)
		}
	}
}

func TestSchemes(t *testing.T) {
	for _, c := range []struct{ dialect, card, want string }{
		{"a2a-0.1", `{"authentication":{"schemes":["Bearer","bearer","ApiKey",5,null,{"x":1}]}}`, "[[Bearer bearer ] [bearer bearer ] [ApiKey apikey ] [] [] [  ]] [bearer apikey ]"},
		{"a2a-0.3", `{"security":[{"z":[],"a":[]}],"securitySchemes":{"a":{"type":"http","scheme":"Basic"},"z":{"type":"openIdConnect"}}}`, "[[Basic basic , openIdConnect openidconnect ]] [basic openidconnect]"},
		{"a2a-0.3", `{"security":[{"k":[]}],"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-Key"}}}`, "[[apiKey apikey X-Key]] [apikey]"},
		{"a2a-0.3", `{"security":[{"k":[]}],"securitySchemes":{"k":{"type":"apiKey","in":"query","name":"key"}}}`, "[[apiKey apikey ]] [apikey]"},
		{"a2a-0.3", `{"security":[{"b":[]}],"securitySchemes":{"b":{"type":"HTTP","scheme":"bearer"}}}`, "[[bearer bearer ]] [bearer]"},
		// A name of any letters, twice on the card and not defined, or not as an object.
		{"a2a-0.3", `{"security":[{"a/b~":[],"a/b~":[]}],"securitySchemes":{"a/b~":{"type":"oauth2"}}}`, "[[oauth2 oauth2 ]] [oauth2]"},
		{"a2a-0.3", `{"security":[{"gone":[]},{"odd":[]}],"securitySchemes":{"odd":["http"]}}`, "[[  ] [  ]] []"},
		{"a2a-0.3", `{"security":[{"gone":[]}],"securitySchemes":[]}`, "[[  ]] []"},
	} {
		card := reading(t, c.dialect, c.card)
		var all []string
		for _, a := range card.Alternatives() {
			together := ""
			for i, s := range a.Schemes() {
				if i > 0 {
					together += ", "
				}
				together += s.Word() + " " + s.Kind() + " " + s.Header()
			}
			all = append(all, "["+together+"]")
		}
		if got := fmt.Sprint(all, " ", card.Kinds()); got != c.want {
			t.Errorf("%s: %s names\n%s, want\n%s", c.dialect, c.card, got, c.want)
		}
	}
}

func TestPlacesOfCredentials(t *testing.T) {
	for _, c := range []struct{ dialect, card, want string }{
		{"a2a-0.3", `{"securitySchemes":{"z":{"type":"apiKey","in":"query","name":"key"},"b":{"type":"http","scheme":"basic"},"c":{"type":"apiKey","in":"Cookie","name":"c"}}}`, "[header Authorization] [cookie c] [query key]"},
		{"a2a-0.3", `{"securitySchemes":{"a":{"type":"oauth2"},"b":{"type":"openIdConnect"},"c":{"type":"mutualTLS"},"d":{"type":"apiKey","in":"header"},"e":7}}`, "[header Authorization] [header Authorization] [ ] [ ] [ ]"},
		{"a2a-1.0", `{"securitySchemes":{"a":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}},"b":{"httpAuthSecurityScheme":{"scheme":"Bearer"}},"c":{"mtlsSecurityScheme":{}}}}`, "[header X-Key] [header Authorization] [ ]"},
		{"a2a-1.0", `{}`, ""},
	} {
		var all []string
		for _, s := range reading(t, c.dialect, c.card).DefinedSchemes() {
			in, name := s.Place()
			all = append(all, fmt.Sprintf("[%s %s]", in, name))
		}
		if got := strings.Join(all, " "); got != c.want {
			t.Errorf("%s: the credentials of %s are in %s, want %s", c.dialect, c.card, got, c.want)
		}
	}
}
