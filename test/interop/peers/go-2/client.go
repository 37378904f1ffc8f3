package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	a2agrpc0 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	a2agrpc1 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func out(step, key string, value any) {
	line, err := json.Marshal(object{"step": step, key: value})
	must(err)
	fmt.Println(string(line))
}

var errNotAsked = errors.New("the SDK does not ask")

func step(name string, work func(ctx context.Context) (object, error)) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	saw, err := work(ctx)
	switch {
	case errors.Is(err, errNotAsked):
		out(name, "skipped", err.Error())
	case err != nil:
		out(name, "error", object{"name": a2a.ErrorReason(err), "text": err.Error()})
	default:
		out(name, "saw", saw)
	}
}

func answer(event a2a.Event) object {
	if message, ok := event.(*a2a.Message); ok {
		return object{"kind": "message", "role": string(message.Role), "text": textOf(message.Parts)}
	}
	return taskSeen(event.(*a2a.Task))
}

func artifactText(task *a2a.Task) string {
	text := ""
	for _, artifact := range task.Artifacts {
		text += textOf(artifact.Parts)
	}
	return text
}

func taskSeen(task *a2a.Task) object {
	said := ""
	if task.Status.Message != nil {
		said = textOf(task.Status.Message.Parts)
	}
	return object{"kind": "task", "state": stateOf(task.Status), "text": artifactText(task), "said": said}
}

type reading struct {
	kinds, states []string
	text          string
	chunks        int
	task          a2a.TaskID
}

func (r *reading) take(event a2a.Event) {
	r.task = event.TaskInfo().TaskID
	switch event := event.(type) {
	case *a2a.Task:
		r.kinds, r.states, r.text = append(r.kinds, "task"), append(r.states, stateOf(event.Status)), artifactText(event)
	case *a2a.TaskStatusUpdateEvent:
		r.kinds, r.states = append(r.kinds, "status"), append(r.states, stateOf(event.Status))
	case *a2a.TaskArtifactUpdateEvent:
		r.kinds, r.text, r.chunks = append(r.kinds, "artifact"), r.text+textOf(event.Artifact.Parts), r.chunks+1
	case *a2a.Message:
		r.kinds, r.text = append(r.kinds, "message"), textOf(event.Parts)
	}
}

func connect(ctx context.Context, url, binding, version string) *a2aclient.Client {
	resolver := &agentcard.Resolver{CardParser: a2av0.NewAgentCardParser()}
	card, err := resolver.Resolve(ctx, url)
	must(err)
	faces := []*a2a.AgentInterface{}
	for _, face := range card.SupportedInterfaces {
		if string(face.ProtocolBinding) == binding && strings.HasPrefix(string(face.ProtocolVersion), version) {
			faces = append(faces, face)
		}
	}
	out("card", "saw", object{"name": card.Name, "version": card.Version, "streaming": card.Capabilities.Streaming, "interfaces": len(faces)})
	card.SupportedInterfaces = faces
	dial := grpc.WithTransportCredentials(insecure.NewCredentials())
	client, err := a2aclient.NewFromCard(ctx, card, a2agrpc1.WithGRPCTransport(dial), a2agrpc0.WithGRPCTransport(dial),
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{}), a2av0.WithRESTTransport(a2av0.RESTTransportConfig{}))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return client
}

func play(url, binding, version string, read samples) {
	client := connect(context.Background(), url, binding, version)
	request := func(text string, parts []*a2a.Part, task a2a.TaskID) *a2a.SendMessageRequest {
		message := a2a.NewMessage(a2a.MessageRoleUser, append([]*a2a.Part{a2a.NewTextPart(text)}, parts...)...)
		message.TaskID = task
		return &a2a.SendMessageRequest{Message: message}
	}
	sendAll := func(ctx context.Context, req *a2a.SendMessageRequest) (object, *a2a.Task, error) {
		result, err := client.SendMessage(ctx, req)
		if err != nil {
			return nil, nil, err
		}
		task, _ := result.(*a2a.Task)
		return answer(result), task, nil
	}
	send := func(text string, parts []*a2a.Part, id a2a.TaskID, keep **a2a.Task) func(ctx context.Context) (object, error) {
		return func(ctx context.Context) (object, error) {
			saw, task, err := sendAll(ctx, request(text, parts, id))
			if keep != nil && task != nil {
				*keep = task
			}
			return saw, err
		}
	}
	get := func(ctx context.Context, id a2a.TaskID) (object, error) {
		task, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
		if err != nil {
			return nil, err
		}
		return taskSeen(task), nil
	}
	cancel := func(ctx context.Context, id a2a.TaskID) (object, error) {
		task, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
		if err != nil {
			return nil, err
		}
		return taskSeen(task), nil
	}
	partsOf := func(text string, parts []*a2a.Part) func(ctx context.Context) (object, error) {
		return func(ctx context.Context) (object, error) {
			_, task, err := sendAll(ctx, request(text, parts, ""))
			if err != nil {
				return nil, err
			}
			seen := []object{}
			for _, artifact := range task.Artifacts {
				for _, part := range artifact.Parts {
					seen = append(seen, fromPart(part))
				}
			}
			return object{"parts": seen}, nil
		}
	}
	subscribe := func(ctx context.Context, id a2a.TaskID) (reading, error) {
		again := reading{}
		for event, err := range client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}) {
			if err != nil {
				return again, err
			}
			again.take(event)
		}
		return again, nil
	}
	empty := &a2a.Task{}
	done, slow, asked := empty, empty, empty

	step("send", send("echo hällo 👋", nil, "", &done))
	step("send-now", func(ctx context.Context) (object, error) {
		req := request("slow", nil, "")
		req.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
		saw, task, err := sendAll(ctx, req)
		if task != nil {
			slow = task
		}
		return saw, err
	})
	step("cancel", func(ctx context.Context) (object, error) { return cancel(ctx, slow.ID) })
	step("message", send("message hi", nil, "", nil))
	step("stream", func(ctx context.Context) (object, error) {
		seen := reading{}
		for event, err := range client.SendStreamingMessage(ctx, request("chunks", nil, "")) {
			if err != nil {
				return nil, err
			}
			seen.take(event)
		}
		return object{"first": seen.kinds[0], "states": seen.states, "text": seen.text, "chunks": seen.chunks}, nil
	})
	step("ask", send("ask", nil, "", &asked))
	step("reply", func(ctx context.Context) (object, error) {
		saw, task, err := sendAll(ctx, request("green", nil, asked.ID))
		if err != nil {
			return nil, err
		}
		saw["sameTask"] = task != nil && task.ID == asked.ID
		return saw, nil
	})
	step("history", func(ctx context.Context) (object, error) {
		whole, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: asked.ID})
		if err != nil {
			return nil, err
		}
		one := 1
		last, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: asked.ID, HistoryLength: &one})
		if err != nil {
			return nil, err
		}
		texts := []string{}
		for _, message := range whole.History {
			texts = append(texts, textOf(message.Parts))
		}
		return object{"texts": texts, "limited": len(last.History)}, nil
	})
	step("list", func(ctx context.Context) (object, error) {
		if version == "0.3" && binding == "JSONRPC" {
			return nil, errNotAsked
		}
		page, err := client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: asked.ContextID})
		if err != nil {
			return nil, err
		}
		found := false
		for _, task := range page.Tasks {
			found = found || task.ID == asked.ID
		}
		return object{"found": found, "total": page.TotalSize}, nil
	})
	step("subscribe", func(ctx context.Context) (object, error) {
		seen := reading{}
		for event, err := range client.SendStreamingMessage(ctx, request("count 12", nil, "")) {
			if err != nil {
				return nil, err
			}
			if seen.take(event); seen.chunks >= 2 {
				break
			}
		}
		again, err := subscribe(ctx, seen.task)
		if err != nil {
			return nil, err
		}
		final, err := get(ctx, seen.task)
		if err != nil {
			return nil, err
		}
		return object{"first": again.kinds[0], "state": again.states[len(again.states)-1], "text": again.text, "final": final["text"]}, nil
	})
	step("parts", partsOf("parts", nil))
	step("value", partsOf("value", nil))
	step("mirror", partsOf("mirror", read.of("parts")))
	step("size", send("size", read.of("parts")[1:2], "", nil))
	step("fail", send("fail", nil, "", nil))
	step("reject", send("reject", nil, "", nil))
	step("error-get-unknown", func(ctx context.Context) (object, error) { return get(ctx, "no-such-task") })
	step("error-cancel-unknown", func(ctx context.Context) (object, error) { return cancel(ctx, "no-such-task") })
	step("error-cancel-done", func(ctx context.Context) (object, error) { return cancel(ctx, done.ID) })
	step("error-send-done", send("echo more", nil, done.ID, nil))
	step("error-send-unknown", send("echo more", nil, "no-such-task", nil))
	step("error-subscribe-unknown", func(ctx context.Context) (object, error) {
		again, err := subscribe(ctx, "no-such-task")
		return object{"events": again.kinds}, err
	})
	step("error-subscribe-done", func(ctx context.Context) (object, error) {
		again, err := subscribe(ctx, done.ID)
		return object{"events": again.kinds}, err
	})
	step("error-push", func(ctx context.Context) (object, error) {
		_, err := client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: done.ID, ID: "p", URL: "https://example.com/hook"})
		return object{"got": "config"}, err
	})
	step("error-card", func(ctx context.Context) (object, error) {
		card, err := client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
		if err == nil && !card.Capabilities.ExtendedAgentCard {
			err = errNotAsked
		}
		return object{"got": "card"}, err
	})
	step("error-invalid", func(ctx context.Context) (object, error) {
		req := request("x", nil, "")
		req.Message.Parts = a2a.ContentParts{}
		saw, _, err := sendAll(ctx, req)
		return saw, err
	})
}
