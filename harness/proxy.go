package harness

import (
	"net/url"

	"golang.org/x/net/http/httpproxy"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// proxyFunc returns the function that names the proxy for a URL; nil if the operator wants none.
func (t *target) proxyFunc() (func(*url.URL) (*url.URL, error), error) {
	switch t.Proxy {
	case "":
		return nil, nil
	case operator.ProxyFromEnvironment:
		choose := httpproxy.FromEnvironment().ProxyFunc()
		return func(to *url.URL) (*url.URL, error) {
			via, err := choose(to)
			if err != nil {
				return nil, usageErrorf("the variable of the environment that names a proxy is not a URL")
			}
			if via != nil {
				err = checkProxy(via)
			}
			return via, err
		}, nil
	}
	via, err := url.Parse(t.Proxy)
	if err != nil {
		return nil, usageErrorf("--proxy is not a URL; write it like http://proxy.example.com:3128, or env for the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
	}
	if err := checkProxy(via); err != nil {
		return nil, err
	}
	return func(*url.URL) (*url.URL, error) { return via, nil }, nil
}

// checkProxy refuses proxies that cannot be used. It does not repeat the URL, which may hold a password.
func checkProxy(via *url.URL) error {
	if via.Host == "" || via.Scheme != "http" && via.Scheme != "socks5" && via.Scheme != "socks5h" {
		return usageErrorf("--proxy: the proxy is not an http or socks5 URL; write it like http://proxy.example.com:3128, or env for the variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY")
	}
	return nil
}

// proxyInUse returns the proxy that leads to the target, without its credentials; "" if none does.
func (t *target) proxyInUse() string {
	if via := t.findProxy(); via != nil {
		return via.Scheme + "://" + via.Host
	}
	return ""
}

func (t *target) findProxy() *url.URL {
	choose, err := t.proxyFunc()
	to, failed := url.Parse(t.URL)
	if err != nil || failed != nil || choose == nil {
		return nil
	}
	if via, err := choose(to); err == nil {
		return via
	}
	return nil
}

// proxySecret returns the password for the proxy, if it is long enough to be found in what is recorded.
func (t *target) proxySecret() (redact.Secret, bool) {
	via := t.findProxy()
	if via == nil || via.User == nil {
		return redact.Secret{}, false
	}
	password, _ := via.User.Password()
	return redact.Secret{Name: "proxy-password", Value: password}, len(password) >= redact.MinSecret
}
