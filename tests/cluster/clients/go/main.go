// Asks a resolver what an installed operator can be updated to, and prints the answer as JSON.
//
//	go run . 127.0.0.1:50051 ferry ferry.v1.1.0
//
// The packages below portolan.example are generated from proto/portolan; docs/grpc.md says how.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protojson"

	resolver "portolan.example/client/portolan/resolver/v1"
)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("say ADDRESS PACKAGE BUNDLE"))
	}
	address, pkg, installed := os.Args[1], os.Args[2], os.Args[3]
	if err := ask(address, pkg, installed); err != nil {
		fail(err)
	}
}

func ask(address, pkg, installed string) error {
	// On a cluster: credentials/tls with the authority of the services, and
	// grpc.WithPerRPCCredentials with a token for the audience portolan.dev.
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	question := &resolver.ListUpgradesRequest{Package: pkg, Installed: installed}
	answer, err := resolver.NewResolverClient(connection).ListUpgrades(ctx, question)
	if err != nil {
		return err
	}
	text, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(answer)
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
