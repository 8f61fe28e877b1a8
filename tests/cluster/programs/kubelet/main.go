// A kubelet that can do one thing: forward ports of Pods, with the code that kubelets do it with.
//
// The Pods of a test cluster have no processes, so its arguments map the port of a Pod to another
// address: kubelet 127.0.0.1:10250 50051=127.0.0.1:40001
package main

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
)

const patience = time.Minute

// Where the traffic for each port goes.
type doors map[string]string

func (d doors) PortForward(_ context.Context, pod, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	to, found := d[fmt.Sprint(port)]
	if !found {
		return fmt.Errorf("nobody listens on port %d of %s", port, pod)
	}
	there, err := net.Dial("tcp", to)
	if err != nil {
		return err
	}
	defer there.Close()
	ended := make(chan error, 2)
	copied := func(to io.Writer, from io.Reader) {
		_, err := io.Copy(to, from)
		ended <- err
	}
	go copied(there, stream)
	go copied(stream, there)
	return <-ended
}

func (d doors) serve(w http.ResponseWriter, req *http.Request) {
	options, err := portforward.NewV4Options(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod := req.PathValue("namespace") + "/" + req.PathValue("pod")
	portforward.ServePortForward(w, req, d, pod, "", options, patience, patience, portforward.SupportedProtocols)
}

// No client verifies it: by default, API servers do not verify the certificates of kubelets.
func certificate() (tls.Certificate, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, public, private)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: private}, err
}

func run(at string, ports []string) error {
	open := doors{}
	for _, port := range ports {
		inside, outside, found := strings.Cut(port, "=")
		if !found {
			return fmt.Errorf("%s is no PORT=ADDRESS", port)
		}
		open[inside] = outside
	}
	own, err := certificate()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/portForward/{namespace}/{pod}", open.serve)
	mux.HandleFunc("/portForward/{namespace}/{pod}/{uid}", open.serve)
	server := http.Server{
		Addr:              at,
		Handler:           mux,
		ReadHeaderTimeout: patience,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{own}},
	}
	return server.ListenAndServeTLS("", "")
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: kubelet ADDRESS [PORT=ADDRESS...]")
	}
	log.Fatal(run(os.Args[1], os.Args[2:]))
}
