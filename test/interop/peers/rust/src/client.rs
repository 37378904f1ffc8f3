use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use a2a::{A2AError, StreamResponse};
use a2a_client::{A2AClient, Transport};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::factory::A2AClientFactory;
use a2a_grpc::GrpcTransportFactory;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::{Value, json};

use crate::neutral::{answer, artifact_parts, artifact_text, samples, state_of, task_seen, text_of};

type Client = A2AClient<Box<dyn Transport>>;
type Seen = Result<Value, A2AError>;

fn out(line: Value) {
    println!("{line}");
}

async fn step(name: &str, work: impl Future<Output = Seen>) -> Value {
    let line = match tokio::time::timeout(Duration::from_secs(20), work).await {
        Ok(Ok(saw)) => json!({ "step": name, "saw": saw }),
        Ok(Err(error)) if error.code == 0 => json!({ "step": name, "skipped": error.message }),
        Ok(Err(error)) => json!({ "step": name, "error": {
            "name": a2a::errors::error_reason(error.code), "code": error.code, "text": error.message,
        } }),
        Err(_) => json!({ "step": name, "error": { "name": "Timeout", "text": "no end within 20 seconds" } }),
    };
    out(line.clone());
    line["saw"].clone()
}

fn typed<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("a request of the SDK")
}

fn plain<T: serde::Serialize>(value: T) -> Value {
    serde_json::to_value(value).expect("JSON")
}

fn request(id: &str, text: &str, parts: Vec<Value>, task: Option<&str>, now: bool) -> Value {
    let mut all = vec![json!({ "text": text })];
    all.extend(parts);
    let mut message = json!({ "messageId": id, "role": "ROLE_USER", "parts": all });
    if let Some(task) = task {
        message["taskId"] = json!(task);
    }
    json!({ "message": message, "configuration": { "returnImmediately": now } })
}

#[derive(Default)]
struct Reading {
    kinds: Vec<String>,
    states: Vec<String>,
    text: String,
    chunks: usize,
    task: String,
}

impl Reading {
    fn take(&mut self, event: StreamResponse) {
        let event = plain(event);
        let (kind, body) = event.as_object().and_then(|fields| fields.iter().next()).expect("an event");
        self.kinds.push(kind.clone());
        match kind.as_str() {
            "task" => {
                self.task = body["id"].as_str().unwrap_or_default().to_owned();
                self.states.push(state_of(&body["status"]));
                self.text = artifact_text(body);
            }
            "statusUpdate" => self.states.push(state_of(&body["status"])),
            "artifactUpdate" => {
                self.text += &text_of(&body["artifact"]["parts"]);
                self.chunks += 1;
            }
            _ => self.text += &text_of(&body["parts"]),
        }
    }

    async fn read(mut self, mut events: BoxStream<'static, Result<StreamResponse, A2AError>>, most: usize) -> Result<Self, A2AError> {
        while let Some(event) = events.next().await {
            self.take(event?);
            if self.chunks >= most {
                break;
            }
        }
        Ok(self)
    }
}

async fn send(client: &Client, request: Value) -> Seen {
    Ok(plain(client.send_message(&typed(request)).await?))
}

async fn get(client: &Client, id: &str, history: Option<i32>) -> Seen {
    let mut request = json!({ "id": id });
    if let Some(length) = history {
        request["historyLength"] = json!(length);
    }
    Ok(plain(client.get_task(&typed(request)).await?))
}

async fn cancel(client: &Client, id: &str) -> Seen {
    Ok(task_seen(&plain(client.cancel_task(&typed(json!({ "id": id }))).await?)))
}

async fn subscribe(client: &Client, id: &str) -> Result<Reading, A2AError> {
    let events = client.subscribe_to_task(&typed(json!({ "id": id }))).await?;
    Reading::default().read(events, usize::MAX).await
}

async fn parts_of(client: &Client, request: Value) -> Seen {
    Ok(json!({ "parts": artifact_parts(&send(client, request).await?["task"]) }))
}

pub async fn play(url: &str, binding: &str, version: &str, read: Value) {
    let mut card = AgentCardResolver::new(None).resolve(url).await.expect("the card");
    card.supported_interfaces.retain(|face| {
        let face = plain(face);
        face["protocolBinding"] == binding && face["protocolVersion"].as_str().is_some_and(|own| own.starts_with(version))
    });
    out(json!({ "step": "card", "saw": {
        "name": card.name, "version": card.version, "streaming": card.capabilities.streaming,
        "interfaces": card.supported_interfaces.len(),
    } }));
    let factory = A2AClientFactory::builder().register(Arc::new(GrpcTransportFactory::new())).build();
    let client = &factory.create_from_card(&card).await.expect("a client");
    let mut count = 0;
    let mut asking = |text: &str, parts: Vec<Value>, task: Option<&str>, now: bool| {
        count += 1;
        request(&format!("m-{}-{count}", std::process::id()), text, parts, task, now)
    };
    let mut done = String::new();
    let mut slow = String::new();
    let mut asked = Value::Null;

    step("send", async {
        let result = send(client, asking("echo hällo 👋", vec![], None, false)).await?;
        done = result["task"]["id"].as_str().unwrap_or_default().to_owned();
        Ok(answer(&result))
    }).await;
    step("send-now", async {
        let result = send(client, asking("slow", vec![], None, true)).await?;
        slow = result["task"]["id"].as_str().unwrap_or_default().to_owned();
        Ok(answer(&result))
    }).await;
    step("cancel", cancel(client, &slow)).await;
    step("message", async { Ok(answer(&send(client, asking("message hi", vec![], None, false)).await?)) }).await;
    step("stream", async {
        let events = client.send_streaming_message(&typed(asking("chunks", vec![], None, false))).await?;
        let seen = Reading::default().read(events, usize::MAX).await?;
        Ok(json!({ "first": seen.kinds[0], "states": seen.states, "text": seen.text, "chunks": seen.chunks }))
    }).await;
    step("ask", async {
        let result = send(client, asking("ask", vec![], None, false)).await?;
        asked = result["task"].clone();
        Ok(answer(&result))
    }).await;
    let asked_id = asked["id"].as_str().unwrap_or_default();
    step("reply", async {
        let result = send(client, asking("green", vec![], Some(asked_id), false)).await?;
        let mut seen = answer(&result);
        seen["sameTask"] = json!(result["task"]["id"] == asked_id);
        Ok(seen)
    }).await;
    step("history", async {
        let whole = get(client, asked_id, None).await?;
        let last = get(client, asked_id, Some(1)).await?;
        let texts: Vec<String> = whole["history"].as_array().into_iter().flatten()
            .map(|message| text_of(&message["parts"])).collect();
        Ok(json!({ "texts": texts, "limited": last["history"].as_array().map_or(0, Vec::len) }))
    }).await;
    step("list", async {
        let page = plain(client.list_tasks(&typed(json!({ "contextId": asked["contextId"] }))).await?);
        let found = page["tasks"].as_array().into_iter().flatten().any(|task| task["id"] == asked_id);
        Ok(json!({ "found": found, "total": page["totalSize"] }))
    }).await;
    step("subscribe", async {
        let events = client.send_streaming_message(&typed(asking("count 12", vec![], None, false))).await?;
        let seen = Reading::default().read(events, 2).await?;
        let again = subscribe(client, &seen.task).await?;
        let last = get(client, &seen.task, None).await?;
        Ok(json!({
            "first": again.kinds[0], "state": again.states.last(), "text": again.text, "final": artifact_text(&last),
        }))
    }).await;
    step("parts", parts_of(client, asking("parts", vec![], None, false))).await;
    step("value", parts_of(client, asking("value", vec![], None, false))).await;
    step("mirror", parts_of(client, asking("mirror", samples(&read, "parts"), None, false))).await;
    step("size", async {
        Ok(answer(&send(client, asking("size", samples(&read, "parts")[1..2].to_vec(), None, false)).await?))
    }).await;
    step("fail", async { Ok(answer(&send(client, asking("fail", vec![], None, false)).await?)) }).await;
    step("reject", async { Ok(answer(&send(client, asking("reject", vec![], None, false)).await?)) }).await;

    step("error-get-unknown", async { Ok(task_seen(&get(client, "no-such-task", None).await?)) }).await;
    step("error-cancel-unknown", cancel(client, "no-such-task")).await;
    step("error-cancel-done", cancel(client, &done)).await;
    step("error-send-done", async { Ok(answer(&send(client, asking("echo more", vec![], Some(&done), false)).await?)) }).await;
    step("error-send-unknown", async {
        Ok(answer(&send(client, asking("echo more", vec![], Some("no-such-task"), false)).await?))
    }).await;
    step("error-subscribe-unknown", async { Ok(json!({ "events": subscribe(client, "no-such-task").await?.kinds })) }).await;
    step("error-subscribe-done", async { Ok(json!({ "events": subscribe(client, &done).await?.kinds })) }).await;
    step("error-push", async {
        let config = json!({ "taskId": done, "id": "p", "url": "https://example.com/hook" });
        Ok(plain(client.create_push_config(&typed(config)).await?))
    }).await;
    step("error-card", async { Ok(json!({ "got": client.get_extended_agent_card(&typed(json!({}))).await?.name })) }).await;
    step("error-invalid", async {
        let mut bad = asking("x", vec![], None, false);
        bad["message"]["parts"] = json!([]);
        Ok(answer(&send(client, bad).await?))
    }).await;
}
