package serve

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// trust is what the client of a run is given so that it can verify who it calls.
type trust struct {
	authority *authority   // nil unless WithTLS is granted
	keys      *signingKeys // nil unless WithKeys is granted
}

// wordExtras are the extras without which a word in braces has no value.
var wordExtras = mapWordExtras()

func mapWordExtras() map[string]string {
	out := map[string]string{"ca": WithTLS, "jwks": WithKeys, "extensions": WithExtension}
	for _, c := range grantedCanaries {
		out[c[0]] = WithCredentials
	}
	out["cert"], out["cert-key"] = WithCredentials, WithCredentials
	return out
}

// makeTrust makes what the extras of the run grant. It refuses a command with a word that nothing is granted for.
func (s *session) makeTrust() (err error) {
	for _, word := range Placeholders() {
		extra := wordExtras[word]
		if extra != "" && !slices.Contains(s.With, extra) && usesPlaceholder(s.Command, word) {
			return fmt.Errorf("{%s} in the command has a value only with --with %s", word, extra)
		}
	}
	if slices.Contains(s.With, WithTLS) {
		if s.trust.authority, err = newAuthority(time.Now()); err != nil {
			return err
		}
	}
	if slices.Contains(s.With, WithKeys) {
		s.trust.keys, err = newSigningKeys()
	}
	return err
}

// giveFiles writes what a start is given as files into a folder of its own, and names them in its task.
// certificate is that of the addresses of the play; a client that is asked for one gets one of its own.
func (t *trust) giveFiles(task *Task, certificate certificate) (err error) {
	if t == nil || t.authority == nil && t.keys == nil {
		return nil
	}
	if task.home, err = makeHome(); err != nil {
		return err
	}
	if t.authority != nil {
		task.CA = filepath.Join(task.home, "a2a-conform-ca.pem")
		err = os.WriteFile(task.CA, t.authority.text, 0o600)
	}
	if err == nil && certificate == mutualCertificate && t.authority != nil {
		err = t.authority.giveClientCertificate(task)
	}
	if t.keys == nil || err != nil {
		return err
	}
	text, err := encodeKeys(t.keys.own)
	if err != nil {
		return err
	}
	task.Keys = filepath.Join(task.home, "a2a-conform-keys.json")
	return os.WriteFile(task.Keys, text, 0o600)
}

// listKeys returns the public keys that the client is given, each as a JSON Web Key.
func (t *trust) listKeys() []json.RawMessage {
	if t.keys == nil {
		return nil
	}
	key, err := t.keys.own.PublicKey()
	if err != nil {
		return nil
	}
	return []json.RawMessage{key}
}

// makeHome makes the folder of one start.
func makeHome() (string, error) { return os.MkdirTemp("", "a2a-conform-client-") }

// removeHome removes the folder of a start with its files.
func (t *Task) removeHome() {
	if t.home != "" {
		os.RemoveAll(t.home)
	}
}

// listTrustVariables returns the variables by which usual libraries are given the file of an authority; none without one.
func listTrustVariables(ca string) []string {
	if ca == "" {
		return nil
	}
	return []string{"SSL_CERT_FILE=" + ca, "NODE_EXTRA_CA_CERTS=" + ca}
}

// plannedOrigin is an origin of a play before it is opened.
type plannedOrigin struct {
	host string
	tls  *tls.Config // nil for plain HTTP
}

// listOrigins returns the origins of a play. Those of TLS have a name first, since clients send no addresses in their
// handshakes.
func (s *session) listOrigins(script *Script) []plannedOrigin {
	if script.certificate == "" || s.trust.authority == nil {
		return []plannedOrigin{{"127.0.0.1", nil}, {"localhost", nil}}
	}
	secure := s.trust.authority.servers[script.certificate]
	if script.plainFaces {
		return []plannedOrigin{{"localhost", secure}, {"127.0.0.1", nil}}
	}
	if script.secureKeys { // on one host with the card, since clients may trust no other
		return []plannedOrigin{{"localhost", nil}, {"localhost", secure}}
	}
	if script.plainCard {
		return []plannedOrigin{{"127.0.0.1", nil}, {"localhost", secure}}
	}
	return []plannedOrigin{{"localhost", secure}, {"127.0.0.1", secure}}
}

// secured are the scenarios of TLS.
var secured = []Script{
	{Name: "tls", Twin: "hello", Doc: "The card and its interfaces have addresses of https. The certificate is of the authority of the run.", Needs: []string{WithTLS}, certificate: goodCertificate,
		set: func(s *stage) { s.addMarker("artifact") }},
	scriptBadInterface(foreignCertificate, "of an unknown issuer"), scriptBadCard(foreignCertificate, "of an unknown issuer"),
	scriptBadInterface(renamedCertificate, "for another host"), scriptBadCard(renamedCertificate, "for another host"),
	scriptBadInterface(expiredCertificate, "that ended yesterday"), scriptBadCard(expiredCertificate, "that ended yesterday"),
}

// scriptBadInterface makes a scenario in which the interfaces are served by https with a certificate that is not to be trusted.
func scriptBadInterface(c certificate, what string) Script {
	return Script{Name: "tls-" + string(c) + "-interface", Twin: "tls", Needs: []string{WithTLS}, certificate: c, plainCard: true,
		Doc: "The interfaces have addresses of https, with a certificate " + what + ".", Fault: "the certificate of the interfaces is one " + what,
		set: func(s *stage) {
			s.addMarker("artifact")
			for i := range s.faces {
				s.faces[i].origin = 1
			}
		}}
}

// scriptBadCard makes a scenario in which the card is served by https with a certificate that is not to be trusted.
func scriptBadCard(c certificate, what string) Script {
	return Script{Name: "tls-" + string(c) + "-card", Twin: "tls", Needs: []string{WithTLS}, certificate: c,
		Doc: "The card and its interfaces have addresses of https, with a certificate " + what + ".", Fault: "the certificate of the card is one " + what,
		set: func(s *stage) { s.addMarker("artifact") }}
}
