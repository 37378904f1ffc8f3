use std::sync::Arc;
use std::time::Duration;

use a2a::{A2AError, AgentCard, PartContent, StreamResponse};
use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::{AgentExecutor, DefaultRequestHandler, ExecutorContext, InMemoryTaskStore, StaticAgentCard};
use futures::stream::BoxStream;
use serde_json::{Value, json};

use crate::neutral::samples;

struct Scripted {
    read: Value,
}

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

fn event(value: Value) -> Result<StreamResponse, A2AError> {
    serde_json::from_value(value).map_err(|error| A2AError::internal(error.to_string()))
}

impl AgentExecutor for Scripted {
    fn execute(&self, context: ExecutorContext) -> Events {
        let message = serde_json::to_value(context.message.clone()).expect("a message");
        let words = message["parts"][0]["text"].as_str().unwrap_or_default().to_owned();
        let (word, rest) = words.split_once(' ').map(|(word, rest)| (word.to_owned(), rest.to_owned()))
            .unwrap_or((words.clone(), String::new()));
        let stored = serde_json::to_value(&context.stored_task).expect("a task");
        let (task, conversation) = context.task_info();
        let read = self.read.clone();
        let said = {
            let (task, conversation) = (task.clone(), conversation.clone());
            move |text: &str| json!({
                "messageId": format!("said-{task}-{text}"), "role": "ROLE_AGENT", "taskId": task,
                "contextId": conversation, "parts": [{ "text": text }],
            })
        };
        let status = {
            let (task, conversation, said) = (task.clone(), conversation.clone(), said.clone());
            move |state: &str, text: Option<&str>| {
                let mut status = json!({ "state": state });
                if let Some(text) = text {
                    status["message"] = said(text);
                }
                event(json!({ "statusUpdate": { "taskId": task, "contextId": conversation, "status": status } }))
            }
        };
        let give = {
            let (task, conversation) = (task.clone(), conversation.clone());
            move |id: &str, parts: Value, append: bool| event(json!({ "artifactUpdate": {
                "taskId": task, "contextId": conversation, "append": append,
                "artifact": { "artifactId": id, "parts": parts },
            } }))
        };
        Box::pin(async_stream::stream! {
            if word == "message" {
                yield event(json!({ "message": {
                    "messageId": format!("answer-{task}"), "role": "ROLE_AGENT", "contextId": conversation,
                    "parts": [{ "text": rest }],
                } }));
                return;
            }
            if stored["status"]["state"] == "TASK_STATE_INPUT_REQUIRED" {
                yield give("answer", json!([{ "text": format!("colour {words}") }]), false);
                yield status("TASK_STATE_COMPLETED", None);
                return;
            }
            yield event(json!({ "task": {
                "id": task, "contextId": conversation, "status": { "state": "TASK_STATE_SUBMITTED" },
                "history": [message],
            } }));
            yield status("TASK_STATE_WORKING", None);
            match word.as_str() {
                "ask" => {
                    yield status("TASK_STATE_INPUT_REQUIRED", Some("which colour?"));
                    return;
                }
                "fail" => {
                    yield status("TASK_STATE_FAILED", Some("it broke"));
                    return;
                }
                "reject" => {
                    yield status("TASK_STATE_REJECTED", Some("not today"));
                    return;
                }
                "slow" => tokio::time::sleep(Duration::from_secs(30)).await,
                "count" => {
                    for at in 0..rest.parse().unwrap_or(0) {
                        yield give("count", json!([{ "text": format!("{at} ") }]), at > 0);
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                }
                "chunks" => {
                    for (at, text) in ["one ", "two ", "three"].iter().enumerate() {
                        yield give("chunks", json!([{ "text": text }]), at > 0);
                    }
                }
                "parts" | "value" => yield give("parts", Value::Array(samples(&read, &word)), false),
                "size" => {
                    let size = context.message.as_ref().map_or(0, |message| match &message.parts[1].content {
                        PartContent::Raw(bytes) => bytes.len(),
                        _ => 0,
                    });
                    yield give("size", json!([{ "text": size.to_string() }]), false);
                }
                "mirror" => {
                    let parts = message["parts"].as_array().expect("parts")[1..].to_vec();
                    yield give("mirror", Value::Array(parts), false);
                }
                _ => yield give("answer", json!([{ "text": rest }]), false),
            }
            yield status("TASK_STATE_COMPLETED", None);
        })
    }

    fn cancel(&self, context: ExecutorContext) -> Events {
        let (task, conversation) = context.task_info();
        Box::pin(futures::stream::once(async move {
            event(json!({ "statusUpdate": {
                "taskId": task, "contextId": conversation, "status": { "state": "TASK_STATE_CANCELED" },
            } }))
        }))
    }
}

pub async fn serve(port: &str, grpc_port: &str, read: Value) {
    let base = format!("http://127.0.0.1:{port}");
    let face = |url: String, binding: &str| json!({ "url": url, "protocolBinding": binding, "protocolVersion": "1.0" });
    let card: AgentCard = serde_json::from_value(json!({
        "name": "Interop", "description": "Follows a script", "version": "1.2.3",
        "supportedInterfaces": [
            face(format!("{base}/rpc"), "JSONRPC"),
            face(format!("{base}/rest"), "HTTP+JSON"),
            face(format!("127.0.0.1:{grpc_port}"), "GRPC"),
        ],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "script", "name": "Script", "description": "Follows a script", "tags": ["test"] }],
    })).expect("the card");
    let handler = Arc::new(
        DefaultRequestHandler::new(Scripted { read }, InMemoryTaskStore::new()).with_capabilities(card.capabilities.clone()),
    );
    let app = axum::Router::new()
        .nest("/rpc", a2a_server::jsonrpc::jsonrpc_router(handler.clone()))
        .nest("/rest", a2a_server::rest::rest_router(handler.clone()))
        .merge(a2a_server::agent_card::agent_card_router(Arc::new(StaticAgentCard::new(card))));
    let over_http = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("the HTTP port");
    tokio::spawn(async move { axum::serve(over_http, app).await });
    let over_grpc = format!("127.0.0.1:{grpc_port}").parse().expect("an address");
    tokio::spawn(async move {
        let service = A2aServiceServer::new(GrpcHandler::new(handler));
        tonic::transport::Server::builder().add_service(service).serve(over_grpc).await
    });
    while tokio::net::TcpStream::connect(over_grpc).await.is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    println!("{}", json!({ "card": base }));
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink())).await.ok();
    std::process::exit(0);
}
