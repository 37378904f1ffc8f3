// biome-ignore-all format: generated
// Written by scripts/generate.mjs from spec/a2a.proto. Do not edit.

/** The whole text of spec/a2a.proto. */
export const protoText: string = `// The A2A 1.0 data model and service. Types, descriptor tables and the JSON
// schema of this package are generated from this file by scripts/generate.mjs.
syntax = "proto3";

package lf.a2a.v1;

import "google/api/annotations.proto";
import "google/api/client.proto";
import "google/api/field_behavior.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";

// The eleven operations of an A2A agent (§3.1).
service A2AService {
  // Sends a message; waits for the outcome unless asked to return immediately (§3.1.1).
  rpc SendMessage(SendMessageRequest) returns (SendMessageResponse) {
    option (google.api.http) = {
      post: "/message:send"
      body: "*"
      additional_bindings { post: "/{tenant}/message:send" body: "*" }
    };
  }

  // Sends a message and streams what follows (§3.1.2).
  rpc SendStreamingMessage(SendMessageRequest) returns (stream StreamResponse) {
    option (google.api.http) = {
      post: "/message:stream"
      body: "*"
      additional_bindings { post: "/{tenant}/message:stream" body: "*" }
    };
  }

  // Reads one task (§3.1.3).
  rpc GetTask(GetTaskRequest) returns (Task) {
    option (google.api.http) = {
      get: "/tasks/{id=*}"
      additional_bindings { get: "/{tenant}/tasks/{id=*}" }
    };
    option (google.api.method_signature) = "id";
  }

  // Lists the caller's tasks, newest status first, page by page (§3.1.4).
  rpc ListTasks(ListTasksRequest) returns (ListTasksResponse) {
    option (google.api.http) = {
      get: "/tasks"
      additional_bindings { get: "/{tenant}/tasks" }
    };
  }

  // Asks the agent to stop a task (§3.1.5).
  rpc CancelTask(CancelTaskRequest) returns (Task) {
    option (google.api.http) = {
      post: "/tasks/{id=*}:cancel"
      body: "*"
      additional_bindings { post: "/{tenant}/tasks/{id=*}:cancel" body: "*" }
    };
  }

  // Streams a running task from now on (§3.1.6). Two verbs are served; clients send the first.
  rpc SubscribeToTask(SubscribeToTaskRequest) returns (stream StreamResponse) {
    option (google.api.http) = {
      post: "/tasks/{id=*}:subscribe"
      body: "*"
      additional_bindings { get: "/tasks/{id=*}:subscribe" }
      additional_bindings { post: "/{tenant}/tasks/{id=*}:subscribe" body: "*" }
      additional_bindings { get: "/{tenant}/tasks/{id=*}:subscribe" }
    };
  }

  // Registers a webhook for the updates of a task (§3.1.7).
  rpc CreateTaskPushNotificationConfig(TaskPushNotificationConfig) returns (TaskPushNotificationConfig) {
    option (google.api.http) = {
      post: "/tasks/{task_id=*}/pushNotificationConfigs"
      body: "*"
      additional_bindings { post: "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs" body: "*" }
    };
  }

  // Reads one webhook registration (§3.1.8).
  rpc GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest) returns (TaskPushNotificationConfig) {
    option (google.api.http) = {
      get: "/tasks/{task_id=*}/pushNotificationConfigs/{id=*}"
      additional_bindings { get: "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs/{id=*}" }
    };
    option (google.api.method_signature) = "task_id,id";
  }

  // Lists the webhook registrations of a task (§3.1.9).
  rpc ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest) returns (ListTaskPushNotificationConfigsResponse) {
    option (google.api.http) = {
      get: "/tasks/{task_id=*}/pushNotificationConfigs"
      additional_bindings { get: "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs" }
    };
    option (google.api.method_signature) = "task_id";
  }

  // Reads the card that only authenticated callers see (§3.1.11).
  rpc GetExtendedAgentCard(GetExtendedAgentCardRequest) returns (AgentCard) {
    option (google.api.http) = {
      get: "/extendedAgentCard"
      additional_bindings { get: "/{tenant}/extendedAgentCard" }
    };
  }

  // Removes one webhook registration (§3.1.10).
  rpc DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest) returns (google.protobuf.Empty) {
    option (google.api.http) = {
      delete: "/tasks/{task_id=*}/pushNotificationConfigs/{id=*}"
      additional_bindings { delete: "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs/{id=*}" }
    };
    option (google.api.method_signature) = "task_id,id";
  }
}

// A unit of work the agent keeps track of (§4.1.1).
message Task {
  // Made by the server, unique.
  string id = 1 [(google.api.field_behavior) = REQUIRED];
  // The conversation the task belongs to; servers always set it.
  string context_id = 2;
  // Where the task stands now.
  TaskStatus status = 3 [(google.api.field_behavior) = REQUIRED];
  // What the task has produced so far.
  repeated Artifact artifacts = 4;
  // The messages exchanged, oldest first.
  repeated Message history = 5;
  // Free-form data, usually keyed by extension URI.
  google.protobuf.Struct metadata = 6;
}

// The state of a task at one moment (§4.1.2).
message TaskStatus {
  // The state itself.
  TaskState state = 1 [(google.api.field_behavior) = REQUIRED];
  // What the agent says about this state.
  Message message = 2;
  // When this status was recorded.
  google.protobuf.Timestamp timestamp = 3;
}

// The states of a task (§4.1.3).
enum TaskState {
  // Not set; as a filter it means any state.
  TASK_STATE_UNSPECIFIED = 0;
  // Accepted, not started.
  TASK_STATE_SUBMITTED = 1;
  // Being worked on.
  TASK_STATE_WORKING = 2;
  // Done. Terminal.
  TASK_STATE_COMPLETED = 3;
  // Ended by an error of the work. Terminal.
  TASK_STATE_FAILED = 4;
  // Stopped on request. Terminal.
  TASK_STATE_CANCELED = 5;
  // Waits for a message from the client. Interrupted.
  TASK_STATE_INPUT_REQUIRED = 6;
  // The agent will not do the work. Terminal.
  TASK_STATE_REJECTED = 7;
  // Waits for credentials or consent. Interrupted.
  TASK_STATE_AUTH_REQUIRED = 8;
}

// One turn of a conversation (§4.1.4).
message Message {
  // Chosen by the sender.
  string message_id = 1 [(google.api.field_behavior) = REQUIRED];
  // The conversation this message belongs to.
  string context_id = 2;
  // The task this message continues.
  string task_id = 3;
  // Who speaks.
  Role role = 4 [(google.api.field_behavior) = REQUIRED];
  // The content, at least one part.
  repeated Part parts = 5 [(google.api.field_behavior) = REQUIRED];
  // Free-form data, usually keyed by extension URI.
  google.protobuf.Struct metadata = 6;
  // URIs of the extensions that contributed to this message.
  repeated string extensions = 7;
  // Other tasks the message refers to.
  repeated string reference_task_ids = 8;
}

// Who sent a message (§4.1.5).
enum Role {
  // Not set.
  ROLE_UNSPECIFIED = 0;
  // The client side.
  ROLE_USER = 1;
  // The agent side.
  ROLE_AGENT = 2;
}

// One piece of content (§4.1.6).
message Part {
  // Exactly one member is set.
  oneof content {
    // Plain text.
    string text = 1;
    // The bytes of a file.
    bytes raw = 2;
    // Where a file can be fetched.
    string url = 3;
    // Any JSON value.
    google.protobuf.Value data = 4;
  }
  // Free-form data, usually keyed by extension URI.
  google.protobuf.Struct metadata = 5;
  // The name of the file.
  string filename = 6;
  // The media type of the content.
  string media_type = 7;
}

// A result of a task (§4.1.7).
message Artifact {
  // Unique inside the task.
  string artifact_id = 1 [(google.api.field_behavior) = REQUIRED];
  // A short name for people.
  string name = 2;
  // What the artifact holds.
  string description = 3;
  // The content, at least one part.
  repeated Part parts = 4 [(google.api.field_behavior) = REQUIRED];
  // Free-form data, usually keyed by extension URI.
  google.protobuf.Struct metadata = 5;
  // URIs of the extensions that contributed to this artifact.
  repeated string extensions = 6;
}

// Says that the status of a task changed (§4.2.1).
message TaskStatusUpdateEvent {
  // The task.
  string task_id = 1 [(google.api.field_behavior) = REQUIRED];
  // The conversation of the task.
  string context_id = 2 [(google.api.field_behavior) = REQUIRED];
  // The new status.
  TaskStatus status = 3 [(google.api.field_behavior) = REQUIRED];
  // Free-form data, usually keyed by extension URI.
  google.protobuf.Struct metadata = 4;
}

// Carries a new artifact or a piece of one (§4.2.2).
message TaskArtifactUpdateEvent {
  // The task.
  string task_id = 1 [(google.api.field_behavior) = REQUIRED];
  // The conversation of the task.
  string context_id = 2 [(google.api.field_behavior) = REQUIRED];
  // The artifact, or the piece of it that is new.
  Artifact artifact = 3 [(google.api.field_behavior) = REQUIRED];
  // Whether the content is added to the artifact sent before with the same id.
  bool append = 4;
  // Whether this is the last piece of the artifact.
  bool last_chunk = 5;
  // Free-form data, usually keyed by extension URI.
  google.protobuf.Struct metadata = 6;
}

// One event of a stream, and the body of a push notification (§3.2.3).
message StreamResponse {
  // Exactly one member is set.
  oneof payload {
    // The task as it stands.
    Task task = 1;
    // A direct answer.
    Message message = 2;
    // A change of status.
    TaskStatusUpdateEvent status_update = 3;
    // New or more artifact content.
    TaskArtifactUpdateEvent artifact_update = 4;
  }
}

// The answer to SendMessage (§3.1.1).
message SendMessageResponse {
  // Exactly one member is set.
  oneof payload {
    // The task that was made or continued.
    Task task = 1;
    // A direct answer, without a task.
    Message message = 2;
  }
}

// How a message is to be handled (§3.2.2).
message SendMessageConfiguration {
  // Media types the client can take; empty means any.
  repeated string accepted_output_modes = 1;
  // A webhook to register for the resulting task; its task_id stays empty.
  TaskPushNotificationConfig task_push_notification_config = 2;
  // How many of the newest history messages to return; 0 for none, unset for no limit.
  optional int32 history_length = 3;
  // Whether to answer as soon as the task exists instead of waiting for its outcome.
  bool return_immediately = 4;
}

// Input of SendMessage and SendStreamingMessage (§3.2.1).
message SendMessageRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // The message to send.
  Message message = 2 [(google.api.field_behavior) = REQUIRED];
  // How to handle it.
  SendMessageConfiguration configuration = 3;
  // Data about the request as a whole.
  google.protobuf.Struct metadata = 4;
}

// Input of GetTask (§3.1.3).
message GetTaskRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // The task.
  string id = 2 [(google.api.field_behavior) = REQUIRED];
  // How many of the newest history messages to return; 0 for none, unset for no limit.
  optional int32 history_length = 3;
}

// Input of ListTasks; filters combine with and (§3.1.4).
message ListTasksRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // Only tasks of this conversation.
  string context_id = 2;
  // Only tasks now in this state.
  TaskState status = 3;
  // Tasks per page, 1 to 100; unset means at most 50.
  optional int32 page_size = 4;
  // Where to go on: next_page_token of the page before.
  string page_token = 5;
  // How many of the newest history messages to return; 0 for none, unset for no limit.
  optional int32 history_length = 6;
  // Only tasks whose status was recorded at this time or later.
  google.protobuf.Timestamp status_timestamp_after = 7;
  // Whether to return artifacts; unset means no.
  optional bool include_artifacts = 8;
}

// One page of tasks (§3.1.4).
message ListTasksResponse {
  // The tasks of this page; may be empty.
  repeated Task tasks = 1 [(google.api.field_behavior) = REQUIRED];
  // Where the next page starts; empty on the last page.
  string next_page_token = 2 [(google.api.field_behavior) = REQUIRED];
  // The page size that was applied.
  int32 page_size = 3 [(google.api.field_behavior) = REQUIRED];
  // How many tasks match, over all pages.
  int32 total_size = 4 [(google.api.field_behavior) = REQUIRED];
}

// Input of CancelTask (§3.1.5).
message CancelTaskRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // The task.
  string id = 2 [(google.api.field_behavior) = REQUIRED];
  // Data about the request.
  google.protobuf.Struct metadata = 3;
}

// Input of SubscribeToTask (§3.1.6).
message SubscribeToTaskRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // The task.
  string id = 2 [(google.api.field_behavior) = REQUIRED];
}

// Input of GetTaskPushNotificationConfig (§3.1.8).
message GetTaskPushNotificationConfigRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // The task.
  string task_id = 2 [(google.api.field_behavior) = REQUIRED];
  // The registration.
  string id = 3 [(google.api.field_behavior) = REQUIRED];
}

// Input of DeleteTaskPushNotificationConfig (§3.1.10).
message DeleteTaskPushNotificationConfigRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // The task.
  string task_id = 2 [(google.api.field_behavior) = REQUIRED];
  // The registration.
  string id = 3 [(google.api.field_behavior) = REQUIRED];
}

// Input of ListTaskPushNotificationConfigs (§3.1.9).
message ListTaskPushNotificationConfigsRequest {
  // The task.
  string task_id = 1 [(google.api.field_behavior) = REQUIRED];
  // Registrations per page; 0 for all.
  int32 page_size = 2;
  // Where to go on: next_page_token of the page before.
  string page_token = 3;
  // The tenant, where the agent serves several.
  string tenant = 4;
}

// One page of webhook registrations (§3.1.9).
message ListTaskPushNotificationConfigsResponse {
  // The registrations of this page.
  repeated TaskPushNotificationConfig configs = 1;
  // Where the next page starts; empty on the last page.
  string next_page_token = 2;
}

// Input of GetExtendedAgentCard (§3.1.11).
message GetExtendedAgentCardRequest {
  // The tenant, where the agent serves several.
  string tenant = 1;
}

// A webhook registered for a task (§4.3.1).
message TaskPushNotificationConfig {
  // The tenant, where the agent serves several.
  string tenant = 1;
  // Chosen by the client, or made by the server when empty.
  string id = 2;
  // The task.
  string task_id = 3;
  // Where notifications are posted.
  string url = 4 [(google.api.field_behavior) = REQUIRED];
  // A secret of the client, sent along with each notification.
  string token = 5;
  // How the webhook wants the agent to authenticate.
  AuthenticationInfo authentication = 6;
}

// How to authenticate at a webhook (§4.3.2).
message AuthenticationInfo {
  // An HTTP authentication scheme such as Bearer; case does not matter.
  string scheme = 1 [(google.api.field_behavior) = REQUIRED];
  // The credentials, in the form of the scheme.
  string credentials = 2;
}

// What an agent says about itself (§4.4.1).
message AgentCard {
  // The agent's name.
  string name = 1 [(google.api.field_behavior) = REQUIRED];
  // What the agent does.
  string description = 2 [(google.api.field_behavior) = REQUIRED];
  // Where and how the agent is reached; the first is preferred.
  repeated AgentInterface supported_interfaces = 3 [(google.api.field_behavior) = REQUIRED];
  // Who runs the agent.
  AgentProvider provider = 4;
  // The version of the agent, not of the protocol.
  string version = 5 [(google.api.field_behavior) = REQUIRED];
  // Where people can read more.
  optional string documentation_url = 6;
  // What optional parts of the protocol the agent supports.
  AgentCapabilities capabilities = 7 [(google.api.field_behavior) = REQUIRED];
  // Ways to authenticate, by name.
  map<string, SecurityScheme> security_schemes = 8;
  // Which of them are needed; any one entry suffices.
  repeated SecurityRequirement security_requirements = 9;
  // Media types the agent takes.
  repeated string default_input_modes = 10 [(google.api.field_behavior) = REQUIRED];
  // Media types the agent produces.
  repeated string default_output_modes = 11 [(google.api.field_behavior) = REQUIRED];
  // What the agent can do.
  repeated AgentSkill skills = 12 [(google.api.field_behavior) = REQUIRED];
  // Signatures over the card.
  repeated AgentCardSignature signatures = 13;
  // A picture of the agent.
  optional string icon_url = 14;
}

// One address of an agent (§4.4.6).
message AgentInterface {
  // The absolute address.
  string url = 1 [(google.api.field_behavior) = REQUIRED];
  // JSONRPC, GRPC, HTTP+JSON, or the URI of a custom binding.
  string protocol_binding = 2 [(google.api.field_behavior) = REQUIRED];
  // The tenant to send in requests.
  string tenant = 3;
  // The protocol version spoken there, as major.minor.
  string protocol_version = 4 [(google.api.field_behavior) = REQUIRED];
}

// Who runs an agent (§4.4.2).
message AgentProvider {
  // The web site.
  string url = 1 [(google.api.field_behavior) = REQUIRED];
  // The name.
  string organization = 2 [(google.api.field_behavior) = REQUIRED];
}

// What optional parts of the protocol an agent supports (§4.4.3).
message AgentCapabilities {
  // Whether the streaming operations work.
  optional bool streaming = 1;
  // Whether webhooks work.
  optional bool push_notifications = 2;
  // The extensions the agent knows.
  repeated AgentExtension extensions = 3;
  // Whether there is a card for authenticated callers.
  optional bool extended_agent_card = 4;
}

// An extension an agent knows (§4.4.4).
message AgentExtension {
  // The URI that names it.
  string uri = 1;
  // How the agent uses it.
  string description = 2;
  // Whether clients must use it.
  bool required = 3;
  // Settings of the extension.
  google.protobuf.Struct params = 4;
}

// Something an agent can do (§4.4.5).
message AgentSkill {
  // Unique inside the card.
  string id = 1 [(google.api.field_behavior) = REQUIRED];
  // A short name.
  string name = 2 [(google.api.field_behavior) = REQUIRED];
  // What it does.
  string description = 3 [(google.api.field_behavior) = REQUIRED];
  // Words to find it by.
  repeated string tags = 4 [(google.api.field_behavior) = REQUIRED];
  // Sample prompts.
  repeated string examples = 5;
  // Media types taken, instead of the card's.
  repeated string input_modes = 6;
  // Media types produced, instead of the card's.
  repeated string output_modes = 7;
  // What authentication this skill needs.
  repeated SecurityRequirement security_requirements = 8;
}

// A JWS signature over a card (§4.4.7).
message AgentCardSignature {
  // The protected header, base64url of its JSON.
  string protected = 1 [(google.api.field_behavior) = REQUIRED];
  // The signature, base64url.
  string signature = 2 [(google.api.field_behavior) = REQUIRED];
  // The unprotected header.
  google.protobuf.Struct header = 3;
}

// A list of strings, as a map value.
message StringList {
  // The strings.
  repeated string list = 1;
}

// Security schemes that are needed together (§4.4.1).
message SecurityRequirement {
  // The scopes needed, by name of the scheme.
  map<string, StringList> schemes = 1;
}

// One way to authenticate (§4.5.1).
message SecurityScheme {
  // Exactly one member is set.
  oneof scheme {
    // An API key.
    APIKeySecurityScheme api_key_security_scheme = 1;
    // An HTTP authentication scheme.
    HTTPAuthSecurityScheme http_auth_security_scheme = 2;
    // OAuth 2.
    OAuth2SecurityScheme oauth2_security_scheme = 3;
    // OpenID Connect.
    OpenIdConnectSecurityScheme open_id_connect_security_scheme = 4;
    // A TLS client certificate.
    MutualTlsSecurityScheme mtls_security_scheme = 5;
  }
}

// An API key in a query, header or cookie (§4.5.2).
message APIKeySecurityScheme {
  // A note for people.
  string description = 1;
  // query, header or cookie.
  string location = 2 [(google.api.field_behavior) = REQUIRED];
  // The name of the parameter, header or cookie.
  string name = 3 [(google.api.field_behavior) = REQUIRED];
}

// An HTTP authentication scheme (§4.5.3).
message HTTPAuthSecurityScheme {
  // A note for people.
  string description = 1;
  // The registered name of the scheme, such as Bearer.
  string scheme = 2 [(google.api.field_behavior) = REQUIRED];
  // What a bearer token looks like, such as JWT.
  string bearer_format = 3;
}

// OAuth 2 (§4.5.4).
message OAuth2SecurityScheme {
  // A note for people.
  string description = 1;
  // The flow to use.
  OAuthFlows flows = 2 [(google.api.field_behavior) = REQUIRED];
  // The authorization server's metadata document.
  string oauth2_metadata_url = 3;
}

// OpenID Connect (§4.5.5).
message OpenIdConnectSecurityScheme {
  // A note for people.
  string description = 1;
  // The discovery document.
  string open_id_connect_url = 2 [(google.api.field_behavior) = REQUIRED];
}

// A TLS client certificate (§4.5.6).
message MutualTlsSecurityScheme {
  // A note for people.
  string description = 1;
}

// The OAuth flow of a scheme (§4.5.7).
message OAuthFlows {
  // Exactly one member is set.
  oneof flow {
    // Authorization code.
    AuthorizationCodeOAuthFlow authorization_code = 1;
    // Client credentials.
    ClientCredentialsOAuthFlow client_credentials = 2;
    // Implicit; use the authorization code flow instead.
    ImplicitOAuthFlow implicit = 3 [deprecated = true];
    // Password; use the authorization code or device flow instead.
    PasswordOAuthFlow password = 4 [deprecated = true];
    // Device code.
    DeviceCodeOAuthFlow device_code = 5;
  }
}

// The authorization code flow (§4.5.8).
message AuthorizationCodeOAuthFlow {
  // Where the user consents.
  string authorization_url = 1 [(google.api.field_behavior) = REQUIRED];
  // Where tokens are issued.
  string token_url = 2 [(google.api.field_behavior) = REQUIRED];
  // Where tokens are refreshed.
  string refresh_url = 3;
  // Scopes and what each means.
  map<string, string> scopes = 4 [(google.api.field_behavior) = REQUIRED];
  // Whether PKCE is needed.
  bool pkce_required = 5;
}

// The client credentials flow (§4.5.9).
message ClientCredentialsOAuthFlow {
  // Where tokens are issued.
  string token_url = 1 [(google.api.field_behavior) = REQUIRED];
  // Where tokens are refreshed.
  string refresh_url = 2;
  // Scopes and what each means.
  map<string, string> scopes = 3 [(google.api.field_behavior) = REQUIRED];
}

// The implicit flow, deprecated (§4.5.7).
message ImplicitOAuthFlow {
  // Where the user consents.
  string authorization_url = 1;
  // Where tokens are refreshed.
  string refresh_url = 2;
  // Scopes and what each means.
  map<string, string> scopes = 3;
}

// The password flow, deprecated (§4.5.7).
message PasswordOAuthFlow {
  // Where tokens are issued.
  string token_url = 1;
  // Where tokens are refreshed.
  string refresh_url = 2;
  // Scopes and what each means.
  map<string, string> scopes = 3;
}

// The device code flow (§4.5.10).
message DeviceCodeOAuthFlow {
  // Where the device asks for a code.
  string device_authorization_url = 1 [(google.api.field_behavior) = REQUIRED];
  // Where tokens are issued.
  string token_url = 2 [(google.api.field_behavior) = REQUIRED];
  // Where tokens are refreshed.
  string refresh_url = 3;
  // Scopes and what each means.
  map<string, string> scopes = 4 [(google.api.field_behavior) = REQUIRED];
}
`
