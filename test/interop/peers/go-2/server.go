package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	a2agrpc1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
)

type scripted struct{ samples samples }

func (s *scripted) Execute(ctx context.Context, request *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		words := request.Message.Parts[0].Text()
		word, rest, _ := strings.Cut(words, " ")
		if word == "message" {
			yield(a2a.NewMessageForTask(a2a.MessageRoleAgent, request, a2a.NewTextPart(rest)), nil)
			return
		}
		asked := request.StoredTask != nil && request.StoredTask.Status.State == a2a.TaskStateInputRequired
		if request.StoredTask == nil && !yield(a2a.NewSubmittedTask(request, request.Message), nil) {
			return
		}
		status := func(state a2a.TaskState, text string) bool {
			var said *a2a.Message
			if text != "" {
				said = a2a.NewMessageForTask(a2a.MessageRoleAgent, request, a2a.NewTextPart(text))
			}
			return yield(a2a.NewStatusUpdateEvent(request, state, said), nil)
		}
		give := func(parts ...*a2a.Part) bool { return yield(a2a.NewArtifactEvent(request, parts...), nil) }
		chunk := func(id a2a.ArtifactID, at int, text string) bool {
			event := a2a.NewArtifactUpdateEvent(request, id, a2a.NewTextPart(text))
			event.Append = at > 0
			return yield(event, nil)
		}
		if asked {
			_ = give(a2a.NewTextPart("colour "+words)) && status(a2a.TaskStateCompleted, "")
			return
		}
		if !status(a2a.TaskStateWorking, "") {
			return
		}
		switch word {
		case "ask":
			status(a2a.TaskStateInputRequired, "which colour?")
			return
		case "fail":
			status(a2a.TaskStateFailed, "it broke")
			return
		case "reject":
			status(a2a.TaskStateRejected, "not today")
			return
		case "slow":
			select {
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			case <-time.After(30 * time.Second):
			}
		case "count":
			count, _ := strconv.Atoi(rest)
			for at := range count {
				if !chunk("count", at, fmt.Sprintf("%d ", at)) {
					return
				}
				time.Sleep(100 * time.Millisecond)
			}
		case "chunks":
			for at, text := range []string{"one ", "two ", "three"} {
				if !chunk("chunks", at, text) {
					return
				}
			}
		case "parts", "value":
			if !give(s.samples.of(word)...) {
				return
			}
		case "size":
			if !give(a2a.NewTextPart(fmt.Sprint(len(request.Message.Parts[1].Raw())))) {
				return
			}
		case "mirror":
			if !give(request.Message.Parts[1:]...) {
				return
			}
		default:
			if !give(a2a.NewTextPart(rest)) {
				return
			}
		}
		status(a2a.TaskStateCompleted, "")
	}
}

func (s *scripted) Cancel(ctx context.Context, request *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(request, a2a.TaskStateCanceled, nil), nil)
	}
}

// Lists are only for callers that are known.
type everybody struct{ a2asrv.PassthroughCallInterceptor }

func (everybody) Before(ctx context.Context, call *a2asrv.CallContext, _ *a2asrv.Request) (context.Context, any, error) {
	call.User = a2asrv.NewAuthenticatedUser("everybody", nil)
	return ctx, nil, nil
}

func serve(port, grpcPort string, read samples) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	base := "http://127.0.0.1:" + port
	overGrpc := "127.0.0.1:" + grpcPort
	face := func(url string, binding a2a.TransportProtocol, version a2a.ProtocolVersion) *a2a.AgentInterface {
		return &a2a.AgentInterface{URL: url, ProtocolBinding: binding, ProtocolVersion: version}
	}
	card := &a2a.AgentCard{
		Name: "Interop", Description: "Follows a script", Version: "1.2.3",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Capabilities: a2a.AgentCapabilities{Streaming: true},
		Skills:       []a2a.AgentSkill{{ID: "script", Name: "Script", Description: "Follows a script", Tags: []string{"test"}}},
		SupportedInterfaces: []*a2a.AgentInterface{
			face(base+"/rpc", a2a.TransportProtocolJSONRPC, "1.0"),
			face(base+"/rest", a2a.TransportProtocolHTTPJSON, "1.0"),
			face(overGrpc, a2a.TransportProtocolGRPC, "1.0"),
			face(base+"/rpc-0.3", a2a.TransportProtocolJSONRPC, "0.3"),
			face(base+"/rest-0.3", a2a.TransportProtocolHTTPJSON, "0.3"),
			face(overGrpc, a2a.TransportProtocolGRPC, "0.3"),
		},
	}
	handler := a2asrv.NewHandler(&scripted{read}, a2asrv.WithCapabilityChecks(&card.Capabilities),
		a2asrv.WithCallInterceptors(everybody{}))
	mux := http.NewServeMux()
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewAgentCardHandler(a2av0.NewStaticAgentCardProducer(card)))
	mux.Handle("/rpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/rpc-0.3", a2av0.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	mux.Handle("/rest-0.3/", http.StripPrefix("/rest-0.3", a2av0.NewRESTHandler(handler)))

	listener, err := net.Listen("tcp", overGrpc)
	must(err)
	grpcServer := grpc.NewServer()
	a2agrpc1.NewHandler(handler).RegisterWith(grpcServer)
	a2agrpc0.NewHandler(handler).RegisterWith(grpcServer)
	go func() { must(grpcServer.Serve(listener)) }()

	httpListener, err := net.Listen("tcp", "127.0.0.1:"+port)
	must(err)
	go func() { must(http.Serve(httpListener, mux)) }()
	ready, _ := json.Marshal(object{"card": base})
	fmt.Println(string(ready))
	_, _ = io.Copy(io.Discard, os.Stdin)
}
