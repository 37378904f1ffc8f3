// biome-ignore-all format: generated
// Written by scripts/generate.mjs from spec/a2a-v0.3.proto. Do not edit.

/** The whole text of spec/a2a-v0.3.proto. */
export const protoText: string = `// The A2A 0.3 data model and service, for peers that still speak it: the tables
// of this package are generated from this file by scripts/generate.mjs.
//
// Version 0.3.0 is what most of it describes. The package kept its name until
// 1.0, so a peer of 0.3 may send what drafts added in between. Such members are
// marked "Later:"; they use numbers that 0.3.0 leaves free, and whoever does not
// know them skips them. Annotations as in 0.3.0: few members are REQUIRED here.
syntax = "proto3";

package a2a.v1;

import "google/api/annotations.proto";
import "google/api/client.proto";
import "google/api/field_behavior.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";

option csharp_namespace = "A2a.V1";
option go_package = "google.golang.org/a2a/v1";
option java_multiple_files = true;
option java_outer_classname = "A2A";
option java_package = "com.google.a2a.v1";

// The operations of a 0.3 agent. Tasks and webhooks are named as resources:
// tasks/{taskId} and tasks/{taskId}/pushNotificationConfigs/{configId}.
service A2AService {
  // Sends a message; with \`blocking\`, answers once the task has ended.
  rpc SendMessage(SendMessageRequest) returns (SendMessageResponse) {
    option (google.api.http) = { post: "/v1/message:send" body: "*" };
  }

  // Sends a message and streams what follows.
  rpc SendStreamingMessage(SendMessageRequest) returns (stream StreamResponse) {
    option (google.api.http) = { post: "/v1/message:stream" body: "*" };
  }

  // Reads one task.
  rpc GetTask(GetTaskRequest) returns (Task) {
    option (google.api.http) = { get: "/v1/{name=tasks/*}" };
    option (google.api.method_signature) = "name";
  }

  // Later: lists tasks, page by page.
  rpc ListTasks(ListTasksRequest) returns (ListTasksResponse) {
    option (google.api.http) = { get: "/v1/tasks" };
  }

  // Asks the agent to stop a task.
  rpc CancelTask(CancelTaskRequest) returns (Task) {
    option (google.api.http) = { post: "/v1/{name=tasks/*}:cancel" body: "*" };
  }

  // Streams a task from now on; one that has ended is sent once.
  rpc TaskSubscription(TaskSubscriptionRequest) returns (stream StreamResponse) {
    option (google.api.http) = { get: "/v1/{name=tasks/*}:subscribe" };
  }

  // Registers a webhook. The path as it is meant: 0.3.0 has \`task/*\`, and takes the last segment into \`parent\`.
  rpc CreateTaskPushNotificationConfig(CreateTaskPushNotificationConfigRequest) returns (TaskPushNotificationConfig) {
    option (google.api.http) = { post: "/v1/{parent=tasks/*}/pushNotificationConfigs" body: "config" };
    option (google.api.method_signature) = "parent,config";
  }

  // Reads one webhook registration.
  rpc GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest) returns (TaskPushNotificationConfig) {
    option (google.api.http) = { get: "/v1/{name=tasks/*/pushNotificationConfigs/*}" };
    option (google.api.method_signature) = "name";
  }

  // Lists the webhook registrations of a task.
  rpc ListTaskPushNotificationConfig(ListTaskPushNotificationConfigRequest) returns (ListTaskPushNotificationConfigResponse) {
    option (google.api.http) = { get: "/v1/{parent=tasks/*}/pushNotificationConfigs" };
    option (google.api.method_signature) = "parent";
  }

  // Reads the card that authenticated callers see.
  rpc GetAgentCard(GetAgentCardRequest) returns (AgentCard) {
    option (google.api.http) = { get: "/v1/card" };
  }

  // Removes one webhook registration.
  rpc DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest) returns (google.protobuf.Empty) {
    option (google.api.http) = { delete: "/v1/{name=tasks/*/pushNotificationConfigs/*}" };
    option (google.api.method_signature) = "name";
  }
}

// A unit of work that the agent keeps track of.
message Task {
  // Made by the server.
  string id = 1;
  // Made by the server; the conversation that tasks and messages belong to.
  string context_id = 2;
  // Where the task stands.
  TaskStatus status = 3;
  // What it has produced.
  repeated Artifact artifacts = 4;
  // Earlier messages.
  repeated Message history = 5;
  // Free-form data.
  google.protobuf.Struct metadata = 6;
}

// The state of a task at one moment.
message TaskStatus {
  // The state itself.
  TaskState state = 1;
  // What the agent says about it; \`message\` in JSON.
  Message update = 2 [json_name = "message"];
  // When the state was set.
  google.protobuf.Timestamp timestamp = 3;
}

// The states of a task.
enum TaskState {
  // Not set.
  TASK_STATE_UNSPECIFIED = 0;
  // Accepted, not begun.
  TASK_STATE_SUBMITTED = 1;
  // Being worked on.
  TASK_STATE_WORKING = 2;
  // Done. Terminal.
  TASK_STATE_COMPLETED = 3;
  // Not done. Terminal.
  TASK_STATE_FAILED = 4;
  // Stopped. Terminal; the JSON form spells it \`canceled\`.
  TASK_STATE_CANCELLED = 5;
  // Waits for the client.
  TASK_STATE_INPUT_REQUIRED = 6;
  // Refused, at once or later. Terminal.
  TASK_STATE_REJECTED = 7;
  // Waits for credentials that come by another way.
  TASK_STATE_AUTH_REQUIRED = 8;
}

// Who speaks.
enum Role {
  // Not set.
  ROLE_UNSPECIFIED = 0;
  // Client to agent.
  ROLE_USER = 1;
  // Agent to client.
  ROLE_AGENT = 2;
}

// One turn of a conversation.
message Message {
  // Made by the sender.
  string message_id = 1;
  // Servers always set it.
  string context_id = 2;
  // The task it belongs to.
  string task_id = 3;
  // Who speaks.
  Role role = 4;
  // What is said. Later drafts call it \`parts\`, as the JSON form does.
  repeated Part content = 5;
  // Free-form data.
  google.protobuf.Struct metadata = 6;
  // URIs of the extensions in use.
  repeated string extensions = 7;
  // Later: other tasks that are meant as context.
  repeated string reference_task_ids = 8;
}

// A piece of content: text, a file, or data.
message Part {
  oneof part {
    // Plain text.
    string text = 1;
    // A file.
    FilePart file = 2;
    // A JSON object.
    DataPart data = 3;
  }
  // Later: free-form data.
  google.protobuf.Struct metadata = 4;
}

// A file, in full or by address.
message FilePart {
  oneof file {
    // Where the receiver fetches it.
    string file_with_uri = 1;
    // The file itself.
    bytes file_with_bytes = 2;
  }
  // Its media type.
  string mime_type = 3;
  // Later: its name.
  string name = 4;
}

// Structured content.
message DataPart {
  // An object; never a bare list or scalar.
  google.protobuf.Struct data = 1;
}

// A result of a task. Number 2 is not used.
message Artifact {
  // Unique within its task at least.
  string artifact_id = 1;
  // For people.
  string name = 3;
  // For people.
  string description = 4;
  // The content.
  repeated Part parts = 5;
  // Free-form data.
  google.protobuf.Struct metadata = 6;
  // URIs of the extensions in use.
  repeated string extensions = 7;
}

// A task has a new status.
message TaskStatusUpdateEvent {
  string task_id = 1;
  string context_id = 2;
  // The new status.
  TaskStatus status = 3;
  // Whether no further status is to come.
  bool final = 4;
  // Free-form data.
  google.protobuf.Struct metadata = 5;
}

// A task has a new artifact, or more of one.
message TaskArtifactUpdateEvent {
  string task_id = 1;
  string context_id = 2;
  // The artifact, or a piece of it.
  Artifact artifact = 3;
  // Whether this adds to the artifact sent before.
  bool append = 4;
  // Whether the artifact is complete with this.
  bool last_chunk = 5;
  // Free-form data.
  google.protobuf.Struct metadata = 6;
}

// Arguments of SendMessage and SendStreamingMessage.
message SendMessageRequest {
  // The message; \`message\` in JSON.
  Message request = 1 [(google.api.field_behavior) = REQUIRED, json_name = "message"];
  // How to answer.
  SendMessageConfiguration configuration = 2;
  // Free-form data.
  google.protobuf.Struct metadata = 3;
}

// How the client wants to be answered.
message SendMessageConfiguration {
  // Media types.
  repeated string accepted_output_modes = 1;
  // A webhook for the task.
  PushNotificationConfig push_notification = 2;
  // Most messages of history in the answer; 0 is no limit.
  int32 history_length = 3;
  // Whether to wait until the task has ended.
  bool blocking = 4;
}

// The outcome of a message.
message SendMessageResponse {
  oneof payload {
    // A task was made or continued.
    Task task = 1;
    // An answer without a task; \`message\` in JSON.
    Message msg = 2 [json_name = "message"];
  }
}

// One event of a stream.
message StreamResponse {
  oneof payload {
    // The whole task.
    Task task = 1;
    // An answer without a task; \`message\` in JSON.
    Message msg = 2 [json_name = "message"];
    // A new status.
    TaskStatusUpdateEvent status_update = 3;
    // New content.
    TaskArtifactUpdateEvent artifact_update = 4;
  }
}

// Arguments of GetTask.
message GetTaskRequest {
  // tasks/{taskId}.
  string name = 1 [(google.api.field_behavior) = REQUIRED];
  // Most messages of history in the answer.
  int32 history_length = 2;
}

// Later: arguments of ListTasks. The numbers did not change as long as the package kept its name; member 6 was an int64,
// last_updated_after, in the drafts up to the end of 2025.
message ListTasksRequest {
  // Only tasks of this conversation.
  string context_id = 1;
  // Only tasks in this state.
  TaskState status = 2;
  // 1 to 100; 50 when unset.
  optional int32 page_size = 3;
  // From the page before.
  string page_token = 4;
  // Most messages of history in each task.
  optional int32 history_length = 5;
  // Only tasks whose status is at least this new.
  google.protobuf.Timestamp status_timestamp_after = 6;
  // Whether tasks come with their artifacts.
  optional bool include_artifacts = 7;
}

// Later: one page of tasks.
message ListTasksResponse {
  repeated Task tasks = 1 [(google.api.field_behavior) = REQUIRED];
  // Empty on the last page.
  string next_page_token = 2 [(google.api.field_behavior) = REQUIRED];
  // Tasks on all pages.
  int32 total_size = 3 [(google.api.field_behavior) = REQUIRED];
  // The page size that was applied.
  int32 page_size = 4 [(google.api.field_behavior) = REQUIRED];
}

// Arguments of CancelTask.
message CancelTaskRequest {
  // tasks/{taskId}.
  string name = 1;
}

// Arguments of TaskSubscription.
message TaskSubscriptionRequest {
  // tasks/{taskId}.
  string name = 1;
}

// Arguments of CreateTaskPushNotificationConfig.
message CreateTaskPushNotificationConfigRequest {
  // tasks/{taskId}.
  string parent = 1 [(google.api.field_behavior) = REQUIRED];
  // The id of the new registration.
  string config_id = 2 [(google.api.field_behavior) = REQUIRED];
  // The registration.
  TaskPushNotificationConfig config = 3 [(google.api.field_behavior) = REQUIRED];
}

// Arguments of GetTaskPushNotificationConfig.
message GetTaskPushNotificationConfigRequest {
  // tasks/{taskId}/pushNotificationConfigs/{configId}.
  string name = 1;
}

// Arguments of DeleteTaskPushNotificationConfig.
message DeleteTaskPushNotificationConfigRequest {
  // tasks/{taskId}/pushNotificationConfigs/{configId}.
  string name = 1;
}

// Arguments of ListTaskPushNotificationConfig.
message ListTaskPushNotificationConfigRequest {
  // tasks/{taskId}.
  string parent = 1;
  // 0 is everything.
  int32 page_size = 2;
  // From the page before.
  string page_token = 3;
}

// One page of webhook registrations.
message ListTaskPushNotificationConfigResponse {
  repeated TaskPushNotificationConfig configs = 1;
  // Empty on the last page.
  string next_page_token = 2;
}

// Arguments of GetAgentCard: none.
message GetAgentCardRequest {}

// A webhook registration of a task.
message TaskPushNotificationConfig {
  // tasks/{taskId}/pushNotificationConfigs/{configId}.
  string name = 1;
  // The webhook.
  PushNotificationConfig push_notification_config = 2;
}

// A webhook.
message PushNotificationConfig {
  // Tells several apart.
  string id = 1;
  // Where updates are posted.
  string url = 2;
  // Repeated to the webhook.
  string token = 3;
  // How the webhook knows the caller.
  AuthenticationInfo authentication = 4;
}

// How a webhook is authenticated to.
message AuthenticationInfo {
  // Such as Bearer.
  repeated string schemes = 1;
  string credentials = 2;
}

// What an agent says about itself. Number 16 is the protocol version.
message AgentCard {
  string name = 1;
  string description = 2;
  // The preferred endpoint.
  string url = 3;
  AgentProvider provider = 4;
  // Of the agent.
  string version = 5;
  string documentation_url = 6;
  AgentCapabilities capabilities = 7;
  // By scheme name.
  map<string, SecurityScheme> security_schemes = 8;
  // Any one entry suffices; all schemes of an entry are needed.
  repeated Security security = 9;
  // Media types.
  repeated string default_input_modes = 10;
  // Media types.
  repeated string default_output_modes = 11;
  repeated AgentSkill skills = 12;
  // Whether GetAgentCard has more to say.
  bool supports_authenticated_extended_card = 13;
  // Of \`url\`; empty means JSONRPC.
  string preferred_transport = 14;
  repeated AgentInterface additional_interfaces = 15;
  string protocol_version = 16;
  repeated AgentCardSignature signatures = 17;
  // Later: a picture.
  string icon_url = 18;
}

// Who offers the agent.
message AgentProvider {
  string url = 1;
  string organization = 2;
}

// What the agent can do.
message AgentCapabilities {
  bool streaming = 1;
  bool push_notifications = 2;
  repeated AgentExtension extensions = 3;
  // Later: whether history holds earlier states.
  bool state_transition_history = 4;
}

// An extension that the agent supports.
message AgentExtension {
  string uri = 1;
  string description = 2;
  // Whether clients have to follow it.
  bool required = 3;
  google.protobuf.Struct params = 4;
}

// Something the agent is good at.
message AgentSkill {
  // Unique in the card.
  string id = 1;
  string name = 2;
  string description = 3;
  repeated string tags = 4;
  repeated string examples = 5;
  // In place of the card's.
  repeated string input_modes = 6;
  // In place of the card's.
  repeated string output_modes = 7;
  // As on the card.
  repeated Security security = 8;
}

// A further endpoint.
message AgentInterface {
  string url = 1;
  // JSONRPC, GRPC, HTTP+JSON, or another.
  string transport = 2;
}

// A JSON Web Signature over the card.
message AgentCardSignature {
  // The protected header in base64url.
  string protected = 1 [(google.api.field_behavior) = REQUIRED];
  // In base64url.
  string signature = 2 [(google.api.field_behavior) = REQUIRED];
  // The unprotected header.
  google.protobuf.Struct header = 3;
}

// A list of strings.
message StringList {
  repeated string list = 1;
}

// Schemes that are needed together, each with its scopes.
message Security {
  map<string, StringList> schemes = 1;
}

// A way to authenticate.
message SecurityScheme {
  oneof scheme {
    APIKeySecurityScheme api_key_security_scheme = 1;
    HTTPAuthSecurityScheme http_auth_security_scheme = 2;
    OAuth2SecurityScheme oauth2_security_scheme = 3;
    OpenIdConnectSecurityScheme open_id_connect_security_scheme = 4;
    MutualTlsSecurityScheme mtls_security_scheme = 5;
  }
}

// A key in a header, the query or a cookie.
message APIKeySecurityScheme {
  string description = 1;
  // query, header or cookie.
  string location = 2;
  // Of the header, parameter or cookie.
  string name = 3;
}

// A scheme of the Authorization header.
message HTTPAuthSecurityScheme {
  string description = 1;
  // Such as Bearer, in any case.
  string scheme = 2;
  // A hint such as JWT.
  string bearer_format = 3;
}

// OAuth 2.0.
message OAuth2SecurityScheme {
  string description = 1;
  OAuthFlows flows = 2;
  // Of the authorization server (RFC 8414).
  string oauth2_metadata_url = 3;
}

// OpenID Connect.
message OpenIdConnectSecurityScheme {
  string description = 1;
  // The discovery document.
  string open_id_connect_url = 2;
}

// A client certificate.
message MutualTlsSecurityScheme {
  string description = 1;
}

// The flow that is offered.
message OAuthFlows {
  oneof flow {
    AuthorizationCodeOAuthFlow authorization_code = 1;
    ClientCredentialsOAuthFlow client_credentials = 2;
    ImplicitOAuthFlow implicit = 3;
    PasswordOAuthFlow password = 4;
  }
}

// The authorization code flow.
message AuthorizationCodeOAuthFlow {
  string authorization_url = 1;
  string token_url = 2;
  string refresh_url = 3;
  // Name to description.
  map<string, string> scopes = 4;
}

// The client credentials flow.
message ClientCredentialsOAuthFlow {
  string token_url = 1;
  string refresh_url = 2;
  // Name to description.
  map<string, string> scopes = 3;
}

// The implicit flow.
message ImplicitOAuthFlow {
  string authorization_url = 1;
  string refresh_url = 2;
  // Name to description.
  map<string, string> scopes = 3;
}

// The password flow.
message PasswordOAuthFlow {
  string token_url = 1;
  string refresh_url = 2;
  // Name to description.
  map<string, string> scopes = 3;
}
`
