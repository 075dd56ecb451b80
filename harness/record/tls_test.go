package record

import (
	"crypto/tls"
	"fmt"
	"strings"
	"testing"
)

func TestDescribeHello(t *testing.T) {
	long := strings.Repeat("ö", 200)
	for _, c := range []struct {
		hello tls.ClientHelloInfo
		want  string
	}{
		{tls.ClientHelloInfo{SupportedVersions: []uint16{0x3a3a, tls.VersionTLS13, tls.VersionTLS12}, Extensions: []uint16{0, listsVersions}, ServerName: "h.example", SupportedProtos: []string{"h2", "http/1.1"}},
			"[TLS 1.3 TLS 1.2] true h.example [h2 http/1.1]"},
		// crypto/tls adds what such a client may take as well.
		{tls.ClientHelloInfo{SupportedVersions: []uint16{tls.VersionTLS12, tls.VersionTLS11, tls.VersionTLS10}}, "[TLS 1.2] false  []"},
		{tls.ClientHelloInfo{SupportedVersions: []uint16{0x0305, tls.VersionTLS10}, Extensions: []uint16{listsVersions}}, "[0x0305 TLS 1.0] true  []"},
		{tls.ClientHelloInfo{ServerName: long, SupportedProtos: []string{"\xff"}}, "[] false " + strings.Repeat("ö", 126) + "\uFFFD [\uFFFD]"},
	} {
		h := DescribeHello(&c.hello)
		if got := fmt.Sprint(h.Versions, h.Listed, " ", h.ServerName, " ", h.Protocols); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(c.want), " ") {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	many := DescribeHello(&tls.ClientHelloInfo{SupportedVersions: make([]uint16, 100), Extensions: []uint16{listsVersions}, SupportedProtos: make([]string, 100)})
	if len(many.Versions) != maxHelloWords || len(many.Protocols) != maxHelloWords {
		t.Errorf("%d versions and %d protocols are kept", len(many.Versions), len(many.Protocols))
	}
}
