// OLM's own packageserver, as its command is, but that it answers whoever reaches it: to ask the API server who
// that is and what they may, it wants to run in a Pod.
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
