//! The parts file, and parts and answers in the neutral form of the matrix.

use serde_json::{Value, json};

pub fn load(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("the parts file")).expect("JSON")
}

const NAMES: [(&str, &str); 2] = [("bytes", "raw"), ("name", "filename")];

/// A part as the protocol writes it.
pub fn to_part(neutral: &Value) -> Value {
    let mut part = neutral.clone();
    let fields = part.as_object_mut().expect("an object");
    for (ours, wire) in NAMES {
        if let Some(value) = fields.remove(ours) {
            fields.insert(wire.into(), value);
        }
    }
    part
}

pub fn from_part(part: &Value) -> Value {
    let mut neutral = part.clone();
    let fields = neutral.as_object_mut().expect("an object");
    for (ours, wire) in NAMES {
        if let Some(value) = fields.remove(wire) {
            fields.insert(ours.into(), value);
        }
    }
    fields.remove("metadata");
    neutral
}

pub fn samples(read: &Value, word: &str) -> Vec<Value> {
    read[word].as_array().expect("a list").iter().map(to_part).collect()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list.as_slice())
}

pub fn text_of(parts: &Value) -> String {
    items(parts).iter().filter_map(|part| part["text"].as_str()).collect()
}

pub fn state_of(status: &Value) -> String {
    let state = status["state"].as_str().unwrap_or_default();
    state.trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-")
}

pub fn artifact_text(task: &Value) -> String {
    items(&task["artifacts"]).iter().map(|artifact| text_of(&artifact["parts"])).collect()
}

pub fn artifact_parts(task: &Value) -> Vec<Value> {
    let artifacts = items(&task["artifacts"]);
    artifacts.iter().flat_map(|artifact| items(&artifact["parts"])).map(from_part).collect()
}

pub fn task_seen(task: &Value) -> Value {
    json!({
        "kind": "task",
        "state": state_of(&task["status"]),
        "text": artifact_text(task),
        "said": text_of(&task["status"]["message"]["parts"]),
    })
}

/// What an answer to a message holds: `{task}` or `{message}`.
pub fn answer(result: &Value) -> Value {
    match result.get("message") {
        Some(message) => json!({ "kind": "message", "role": message["role"], "text": text_of(&message["parts"]) }),
        None => task_seen(&result["task"]),
    }
}
