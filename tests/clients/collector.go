// SPDX-License-Identifier: MIT

// An OpenTelemetry Collector that prints the profiles that are posted to it, for tests/clients/run. It is built of
// Debian's golang-opentelemetry-collector-dev (0.152 of unstable; bookworm has none):
//	GO111MODULE=off GOPATH=/usr/share/gocode go build -o collector collector.go
//	PFX_COLLECTOR=$PWD/collector tests/clients/run
package main

import (
	"log"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/debugexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func parts() (otelcol.Factories, error) {
	from, to := otlpreceiver.NewFactory(), debugexporter.NewFactory()
	return otelcol.Factories{
		Telemetry: otelconftelemetry.NewFactory(),
		Receivers: map[component.Type]receiver.Factory{from.Type(): from},
		Exporters: map[component.Type]exporter.Factory{to.Type(): to},
	}, nil
}

func main() {
	settings := otelcol.CollectorSettings{
		BuildInfo: component.NewDefaultBuildInfo(),
		Factories: parts,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				DefaultScheme:     "file",
				ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()},
			},
		},
	}
	command := otelcol.NewCommand(settings)
	command.SetArgs(os.Args[1:])
	if err := command.Execute(); err != nil {
		log.Fatal(err)
	}
}
