package fastjournal

// The address of a daemon, and how it is reached.

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// A place is where a daemon is.
type place struct {
	network, address string
	host             string // of its certificate
	isTLS            bool
}

// placeOf reads an address.
func placeOf(server string) (place, *Error) {
	rest := strings.TrimPrefix(server, "tls:")
	out := place{network: "tcp", address: rest, host: "localhost", isTLS: rest != server}
	if path := strings.TrimPrefix(rest, "unix:"); path != rest || strings.HasPrefix(path, "/") {
		if path == "" || len(path) > 107 || strings.ContainsRune(path, 0) {
			return out, failure("bad_parameter", "'%s' is no address: the path of a unix socket has 1 to 107 bytes", server)
		}
		out.network, out.address = "unix", path
		return out, nil
	}
	host, port, err := net.SplitHostPort(rest)
	if _, noPort := strconv.ParseUint(port, 10, 16); err != nil || noPort != nil || host == "" {
		return out, failure("bad_parameter", "'%s' is no address: expected HOST:PORT, [IPV6]:PORT, unix:PATH or /PATH, "+
			"and tls: before it where the daemon speaks TLS", server)
	}
	out.host = host
	return out, nil
}

func (o *Options) tlsConfig(host string) (*tls.Config, error) {
	out := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, NextProtos: []string{"fastjournal"}}
	if o.CA != "" {
		text, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(text) {
			return nil, errors.New(o.CA + " has no certificate")
		}
	}
	if o.Certificate != "" {
		key := o.Key
		if key == "" {
			key = o.Certificate
		}
		pair, err := tls.LoadX509KeyPair(o.Certificate, key)
		if err != nil {
			return nil, err
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, nil
}

// dial makes one attempt.
func (o *Options) dial(ctx context.Context, server string) (net.Conn, *Error) {
	at, refused := placeOf(server)
	if refused != nil {
		return nil, refused
	}
	var config *tls.Config
	if at.isTLS {
		var err error
		if config, err = o.tlsConfig(at.host); err != nil {
			return nil, failure("bad_parameter", "the files of TLS cannot be used: %v", err)
		}
	}
	// A listener may be idle for hours: without keep-alive it never notices a vanished daemon.
	plain := &net.Dialer{KeepAlive: 30 * time.Second}
	var conn net.Conn
	var err error
	if config == nil {
		conn, err = plain.DialContext(ctx, at.network, at.address)
	} else {
		conn, err = (&tls.Dialer{NetDialer: plain, Config: config}).DialContext(ctx, at.network, at.address)
	}
	if err != nil {
		return nil, connectFailed(server, err)
	}
	return conn, nil
}

func connectFailed(server string, why error) *Error {
	out := failure("unavailable", "cannot connect to %s: %v", server, why)
	var unknown x509.UnknownAuthorityError
	var wrongName x509.HostnameError
	var slow net.Error
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(why, &unknown) || errors.As(why, &wrongName) || errors.As(why, &invalid):
		out.Message = "cannot connect to " + server + ": its certificate is not accepted: " + why.Error()
		out.Facts["tls"] = "certificate"
	case refusesCertificate(why):
		out.Code = "not_allowed"
	case errors.Is(why, context.DeadlineExceeded) || errors.As(why, &slow) && slow.Timeout():
		out.Message = "cannot connect to " + server + ": no answer in time"
	}
	return out
}

// refusesCertificate says whether the daemon does not take this client's certificate: the next attempt would end in the
// same way.
func refusesCertificate(why error) bool {
	text := why.Error()
	return strings.Contains(text, "remote error: tls:") && strings.Contains(text, "certificate")
}

// connectionLost says why an existing connection ended.
func connectionLost(server string, why error) *Error {
	var known *Error
	if errors.As(why, &known) {
		out := failure(known.Code, "the connection to %s was lost: %s", server, known.Message)
		out.Facts = known.Facts
		return out
	}
	out := failure("closed", "the connection to %s was lost: %v", server, why)
	if refusesCertificate(why) {
		out.Code = "not_allowed"
	}
	return out
}
