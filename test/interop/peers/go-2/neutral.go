package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// object is a JSON object of the matrix.
type object = map[string]any

type samples struct {
	Parts []object `json:"parts"`
	Value []object `json:"value"`
}

func (s samples) of(word string) []*a2a.Part {
	chosen := s.Parts
	if word == "value" {
		chosen = s.Value
	}
	parts := []*a2a.Part{}
	for _, neutral := range chosen {
		parts = append(parts, toPart(neutral))
	}
	return parts
}

func loadSamples(path string) samples {
	text, err := os.ReadFile(path)
	must(err)
	var read samples
	must(json.Unmarshal(text, &read))
	return read
}

var wireNames = map[string]string{"bytes": "raw", "name": "filename"}

func toPart(neutral object) *a2a.Part {
	wire := object{}
	for key, value := range neutral {
		if name, ok := wireNames[key]; ok {
			key = name
		}
		wire[key] = value
	}
	text, err := json.Marshal(wire)
	must(err)
	part := &a2a.Part{}
	must(json.Unmarshal(text, part))
	return part
}

func fromPart(part *a2a.Part) object {
	text, err := json.Marshal(part)
	must(err)
	var wire object
	must(json.Unmarshal(text, &wire))
	for neutral, name := range wireNames {
		if value, ok := wire[name]; ok {
			wire[neutral] = value
			delete(wire, name)
		}
	}
	delete(wire, "metadata")
	return wire
}

func textOf(parts []*a2a.Part) string {
	text := ""
	for _, part := range parts {
		text += part.Text()
	}
	return text
}

func stateOf(status a2a.TaskStatus) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(string(status.State), "TASK_STATE_")), "_", "-")
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
