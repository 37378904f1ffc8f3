// The scripted agent and the client of the matrix on the Go SDK: `peer server …`, `peer client …`.
package main

import (
	"flag"
	"os"
)

func main() {
	flags := flag.NewFlagSet("peer", flag.ExitOnError)
	port := flags.String("port", "", "HTTP port")
	grpcPort := flags.String("grpc-port", "", "gRPC port")
	card := flags.String("card", "", "URL of the agent")
	binding := flags.String("binding", "", "protocol binding")
	version := flags.String("version", "", "protocol version")
	parts := flags.String("parts", "", "file of sample parts")
	must(flags.Parse(os.Args[2:]))
	if os.Args[1] == "server" {
		serve(*port, *grpcPort, loadSamples(*parts))
	} else {
		play(*card, *binding, *version, loadSamples(*parts))
	}
}
