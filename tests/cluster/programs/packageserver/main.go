// OLM's own packageserver with its own command, but without authentication and authorization: those need
// the API server and only work in a Pod.
package main

import (
	"context"
	"log"
	"os"

	"github.com/operator-framework/operator-lifecycle-manager/pkg/package-server/server"
)

func main() {
	options := server.NewPackageServerOptions(os.Stdout, os.Stderr)
	options.DisableAuthForTesting = true
	if err := server.NewCommandStartPackageServer(context.Background(), options).Execute(); err != nil {
		log.Fatal(err)
	}
}
