// biome-ignore-all format: generated
// Written by scripts/generate.mjs from spec/a2a.proto. Do not edit.

import type { JsonObject, JsonValue } from '../../../lib/json.ts'

export type { JsonObject, JsonValue }

/** The states of a task (§4.1.3). */
export type TaskState =
  | 'TASK_STATE_UNSPECIFIED'
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED'

/** Who sent a message (§4.1.5). */
export type Role =
  | 'ROLE_UNSPECIFIED'
  | 'ROLE_USER'
  | 'ROLE_AGENT'

/** A unit of work the agent keeps track of (§4.1.1). */
export interface Task {
  /** Made by the server, unique. */
  readonly id: string
  /** The conversation the task belongs to; servers always set it. */
  readonly contextId?: string
  /** Where the task stands now. */
  readonly status: TaskStatus
  /** What the task has produced so far. */
  readonly artifacts?: readonly Artifact[]
  /** The messages exchanged, oldest first. */
  readonly history?: readonly Message[]
  /** Free-form data, usually keyed by extension URI. */
  readonly metadata?: JsonObject
}

/** The state of a task at one moment (§4.1.2). */
export interface TaskStatus {
  /** The state itself. */
  readonly state: TaskState
  /** What the agent says about this state. */
  readonly message?: Message
  /** When this status was recorded. RFC 3339 in UTC. */
  readonly timestamp?: string
}

/** One turn of a conversation (§4.1.4). */
export interface Message {
  /** Chosen by the sender. */
  readonly messageId: string
  /** The conversation this message belongs to. */
  readonly contextId?: string
  /** The task this message continues. */
  readonly taskId?: string
  /** Who speaks. */
  readonly role: Role
  /** The content, at least one part. */
  readonly parts: readonly Part[]
  /** Free-form data, usually keyed by extension URI. */
  readonly metadata?: JsonObject
  /** URIs of the extensions that contributed to this message. */
  readonly extensions?: readonly string[]
  /** Other tasks the message refers to. */
  readonly referenceTaskIds?: readonly string[]
}

/** The members of every Part. */
export interface PartCommon {
  /** Free-form data, usually keyed by extension URI. */
  readonly metadata?: JsonObject
  /** The name of the file. */
  readonly filename?: string
  /** The media type of the content. */
  readonly mediaType?: string
}

/** One piece of content (§4.1.6). */
export type Part = PartCommon & (
  | {
      /** Plain text. */
      readonly text: string
      readonly raw?: never
      readonly url?: never
      readonly data?: never
    }
  | {
      /** The bytes of a file. Standard base64. */
      readonly raw: string
      readonly text?: never
      readonly url?: never
      readonly data?: never
    }
  | {
      /** Where a file can be fetched. */
      readonly url: string
      readonly text?: never
      readonly raw?: never
      readonly data?: never
    }
  | {
      /** Any JSON value. */
      readonly data: JsonValue
      readonly text?: never
      readonly raw?: never
      readonly url?: never
    }
)

/** A result of a task (§4.1.7). */
export interface Artifact {
  /** Unique inside the task. */
  readonly artifactId: string
  /** A short name for people. */
  readonly name?: string
  /** What the artifact holds. */
  readonly description?: string
  /** The content, at least one part. */
  readonly parts: readonly Part[]
  /** Free-form data, usually keyed by extension URI. */
  readonly metadata?: JsonObject
  /** URIs of the extensions that contributed to this artifact. */
  readonly extensions?: readonly string[]
}

/** Says that the status of a task changed (§4.2.1). */
export interface TaskStatusUpdateEvent {
  /** The task. */
  readonly taskId: string
  /** The conversation of the task. */
  readonly contextId: string
  /** The new status. */
  readonly status: TaskStatus
  /** Free-form data, usually keyed by extension URI. */
  readonly metadata?: JsonObject
}

/** Carries a new artifact or a piece of one (§4.2.2). */
export interface TaskArtifactUpdateEvent {
  /** The task. */
  readonly taskId: string
  /** The conversation of the task. */
  readonly contextId: string
  /** The artifact, or the piece of it that is new. */
  readonly artifact: Artifact
  /** Whether the content is added to the artifact sent before with the same id. */
  readonly append?: boolean
  /** Whether this is the last piece of the artifact. */
  readonly lastChunk?: boolean
  /** Free-form data, usually keyed by extension URI. */
  readonly metadata?: JsonObject
}

/** One event of a stream, and the body of a push notification (§3.2.3). */
export type StreamResponse =
  | {
      /** The task as it stands. */
      readonly task: Task
      readonly message?: never
      readonly statusUpdate?: never
      readonly artifactUpdate?: never
    }
  | {
      /** A direct answer. */
      readonly message: Message
      readonly task?: never
      readonly statusUpdate?: never
      readonly artifactUpdate?: never
    }
  | {
      /** A change of status. */
      readonly statusUpdate: TaskStatusUpdateEvent
      readonly task?: never
      readonly message?: never
      readonly artifactUpdate?: never
    }
  | {
      /** New or more artifact content. */
      readonly artifactUpdate: TaskArtifactUpdateEvent
      readonly task?: never
      readonly message?: never
      readonly statusUpdate?: never
    }

/** The answer to SendMessage (§3.1.1). */
export type SendMessageResponse =
  | {
      /** The task that was made or continued. */
      readonly task: Task
      readonly message?: never
    }
  | {
      /** A direct answer, without a task. */
      readonly message: Message
      readonly task?: never
    }

/** How a message is to be handled (§3.2.2). */
export interface SendMessageConfiguration {
  /** Media types the client can take; empty means any. */
  readonly acceptedOutputModes?: readonly string[]
  /** A webhook to register for the resulting task; its task_id stays empty. */
  readonly taskPushNotificationConfig?: TaskPushNotificationConfig
  /** How many of the newest history messages to return; 0 for none, unset for no limit. */
  readonly historyLength?: number
  /** Whether to answer as soon as the task exists instead of waiting for its outcome. */
  readonly returnImmediately?: boolean
}

/** Input of SendMessage and SendStreamingMessage (§3.2.1). */
export interface SendMessageRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** The message to send. */
  readonly message: Message
  /** How to handle it. */
  readonly configuration?: SendMessageConfiguration
  /** Data about the request as a whole. */
  readonly metadata?: JsonObject
}

/** Input of GetTask (§3.1.3). */
export interface GetTaskRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** The task. */
  readonly id: string
  /** How many of the newest history messages to return; 0 for none, unset for no limit. */
  readonly historyLength?: number
}

/** Input of ListTasks; filters combine with and (§3.1.4). */
export interface ListTasksRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** Only tasks of this conversation. */
  readonly contextId?: string
  /** Only tasks now in this state. */
  readonly status?: TaskState
  /** Tasks per page, 1 to 100; unset means at most 50. */
  readonly pageSize?: number
  /** Where to go on: next_page_token of the page before. */
  readonly pageToken?: string
  /** How many of the newest history messages to return; 0 for none, unset for no limit. */
  readonly historyLength?: number
  /** Only tasks whose status was recorded at this time or later. RFC 3339 in UTC. */
  readonly statusTimestampAfter?: string
  /** Whether to return artifacts; unset means no. */
  readonly includeArtifacts?: boolean
}

/** One page of tasks (§3.1.4). */
export interface ListTasksResponse {
  /** The tasks of this page; may be empty. */
  readonly tasks: readonly Task[]
  /** Where the next page starts; empty on the last page. */
  readonly nextPageToken: string
  /** The page size that was applied. */
  readonly pageSize: number
  /** How many tasks match, over all pages. */
  readonly totalSize: number
}

/** Input of CancelTask (§3.1.5). */
export interface CancelTaskRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** The task. */
  readonly id: string
  /** Data about the request. */
  readonly metadata?: JsonObject
}

/** Input of SubscribeToTask (§3.1.6). */
export interface SubscribeToTaskRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** The task. */
  readonly id: string
}

/** Input of GetTaskPushNotificationConfig (§3.1.8). */
export interface GetTaskPushNotificationConfigRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** The task. */
  readonly taskId: string
  /** The registration. */
  readonly id: string
}

/** Input of DeleteTaskPushNotificationConfig (§3.1.10). */
export interface DeleteTaskPushNotificationConfigRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** The task. */
  readonly taskId: string
  /** The registration. */
  readonly id: string
}

/** Input of ListTaskPushNotificationConfigs (§3.1.9). */
export interface ListTaskPushNotificationConfigsRequest {
  /** The task. */
  readonly taskId: string
  /** Registrations per page; 0 for all. */
  readonly pageSize?: number
  /** Where to go on: next_page_token of the page before. */
  readonly pageToken?: string
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
}

/** One page of webhook registrations (§3.1.9). */
export interface ListTaskPushNotificationConfigsResponse {
  /** The registrations of this page. */
  readonly configs?: readonly TaskPushNotificationConfig[]
  /** Where the next page starts; empty on the last page. */
  readonly nextPageToken?: string
}

/** Input of GetExtendedAgentCard (§3.1.11). */
export interface GetExtendedAgentCardRequest {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
}

/** A webhook registered for a task (§4.3.1). */
export interface TaskPushNotificationConfig {
  /** The tenant, where the agent serves several. */
  readonly tenant?: string
  /** Chosen by the client, or made by the server when empty. */
  readonly id?: string
  /** The task. */
  readonly taskId?: string
  /** Where notifications are posted. */
  readonly url: string
  /** A secret of the client, sent along with each notification. */
  readonly token?: string
  /** How the webhook wants the agent to authenticate. */
  readonly authentication?: AuthenticationInfo
}

/** How to authenticate at a webhook (§4.3.2). */
export interface AuthenticationInfo {
  /** An HTTP authentication scheme such as Bearer; case does not matter. */
  readonly scheme: string
  /** The credentials, in the form of the scheme. */
  readonly credentials?: string
}

/** What an agent says about itself (§4.4.1). */
export interface AgentCard {
  /** The agent's name. */
  readonly name: string
  /** What the agent does. */
  readonly description: string
  /** Where and how the agent is reached; the first is preferred. */
  readonly supportedInterfaces: readonly AgentInterface[]
  /** Who runs the agent. */
  readonly provider?: AgentProvider
  /** The version of the agent, not of the protocol. */
  readonly version: string
  /** Where people can read more. */
  readonly documentationUrl?: string
  /** What optional parts of the protocol the agent supports. */
  readonly capabilities: AgentCapabilities
  /** Ways to authenticate, by name. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
  /** Which of them are needed; any one entry suffices. */
  readonly securityRequirements?: readonly SecurityRequirement[]
  /** Media types the agent takes. */
  readonly defaultInputModes: readonly string[]
  /** Media types the agent produces. */
  readonly defaultOutputModes: readonly string[]
  /** What the agent can do. */
  readonly skills: readonly AgentSkill[]
  /** Signatures over the card. */
  readonly signatures?: readonly AgentCardSignature[]
  /** A picture of the agent. */
  readonly iconUrl?: string
}

/** One address of an agent (§4.4.6). */
export interface AgentInterface {
  /** The absolute address. */
  readonly url: string
  /** JSONRPC, GRPC, HTTP+JSON, or the URI of a custom binding. */
  readonly protocolBinding: string
  /** The tenant to send in requests. */
  readonly tenant?: string
  /** The protocol version spoken there, as major.minor. */
  readonly protocolVersion: string
}

/** Who runs an agent (§4.4.2). */
export interface AgentProvider {
  /** The web site. */
  readonly url: string
  /** The name. */
  readonly organization: string
}

/** What optional parts of the protocol an agent supports (§4.4.3). */
export interface AgentCapabilities {
  /** Whether the streaming operations work. */
  readonly streaming?: boolean
  /** Whether webhooks work. */
  readonly pushNotifications?: boolean
  /** The extensions the agent knows. */
  readonly extensions?: readonly AgentExtension[]
  /** Whether there is a card for authenticated callers. */
  readonly extendedAgentCard?: boolean
}

/** An extension an agent knows (§4.4.4). */
export interface AgentExtension {
  /** The URI that names it. */
  readonly uri?: string
  /** How the agent uses it. */
  readonly description?: string
  /** Whether clients must use it. */
  readonly required?: boolean
  /** Settings of the extension. */
  readonly params?: JsonObject
}

/** Something an agent can do (§4.4.5). */
export interface AgentSkill {
  /** Unique inside the card. */
  readonly id: string
  /** A short name. */
  readonly name: string
  /** What it does. */
  readonly description: string
  /** Words to find it by. */
  readonly tags: readonly string[]
  /** Sample prompts. */
  readonly examples?: readonly string[]
  /** Media types taken, instead of the card's. */
  readonly inputModes?: readonly string[]
  /** Media types produced, instead of the card's. */
  readonly outputModes?: readonly string[]
  /** What authentication this skill needs. */
  readonly securityRequirements?: readonly SecurityRequirement[]
}

/** A JWS signature over a card (§4.4.7). */
export interface AgentCardSignature {
  /** The protected header, base64url of its JSON. */
  readonly protected: string
  /** The signature, base64url. */
  readonly signature: string
  /** The unprotected header. */
  readonly header?: JsonObject
}

/** A list of strings, as a map value. */
export interface StringList {
  /** The strings. */
  readonly list?: readonly string[]
}

/** Security schemes that are needed together (§4.4.1). */
export interface SecurityRequirement {
  /** The scopes needed, by name of the scheme. */
  readonly schemes?: Readonly<Record<string, StringList>>
}

/** One way to authenticate (§4.5.1). */
export type SecurityScheme =
  | {
      /** An API key. */
      readonly apiKeySecurityScheme: APIKeySecurityScheme
      readonly httpAuthSecurityScheme?: never
      readonly oauth2SecurityScheme?: never
      readonly openIdConnectSecurityScheme?: never
      readonly mtlsSecurityScheme?: never
    }
  | {
      /** An HTTP authentication scheme. */
      readonly httpAuthSecurityScheme: HTTPAuthSecurityScheme
      readonly apiKeySecurityScheme?: never
      readonly oauth2SecurityScheme?: never
      readonly openIdConnectSecurityScheme?: never
      readonly mtlsSecurityScheme?: never
    }
  | {
      /** OAuth 2. */
      readonly oauth2SecurityScheme: OAuth2SecurityScheme
      readonly apiKeySecurityScheme?: never
      readonly httpAuthSecurityScheme?: never
      readonly openIdConnectSecurityScheme?: never
      readonly mtlsSecurityScheme?: never
    }
  | {
      /** OpenID Connect. */
      readonly openIdConnectSecurityScheme: OpenIdConnectSecurityScheme
      readonly apiKeySecurityScheme?: never
      readonly httpAuthSecurityScheme?: never
      readonly oauth2SecurityScheme?: never
      readonly mtlsSecurityScheme?: never
    }
  | {
      /** A TLS client certificate. */
      readonly mtlsSecurityScheme: MutualTlsSecurityScheme
      readonly apiKeySecurityScheme?: never
      readonly httpAuthSecurityScheme?: never
      readonly oauth2SecurityScheme?: never
      readonly openIdConnectSecurityScheme?: never
    }

/** An API key in a query, header or cookie (§4.5.2). */
export interface APIKeySecurityScheme {
  /** A note for people. */
  readonly description?: string
  /** query, header or cookie. */
  readonly location: string
  /** The name of the parameter, header or cookie. */
  readonly name: string
}

/** An HTTP authentication scheme (§4.5.3). */
export interface HTTPAuthSecurityScheme {
  /** A note for people. */
  readonly description?: string
  /** The registered name of the scheme, such as Bearer. */
  readonly scheme: string
  /** What a bearer token looks like, such as JWT. */
  readonly bearerFormat?: string
}

/** OAuth 2 (§4.5.4). */
export interface OAuth2SecurityScheme {
  /** A note for people. */
  readonly description?: string
  /** The flow to use. */
  readonly flows: OAuthFlows
  /** The authorization server's metadata document. */
  readonly oauth2MetadataUrl?: string
}

/** OpenID Connect (§4.5.5). */
export interface OpenIdConnectSecurityScheme {
  /** A note for people. */
  readonly description?: string
  /** The discovery document. */
  readonly openIdConnectUrl: string
}

/** A TLS client certificate (§4.5.6). */
export interface MutualTlsSecurityScheme {
  /** A note for people. */
  readonly description?: string
}

/** The OAuth flow of a scheme (§4.5.7). */
export type OAuthFlows =
  | {
      /** Authorization code. */
      readonly authorizationCode: AuthorizationCodeOAuthFlow
      readonly clientCredentials?: never
      readonly implicit?: never
      readonly password?: never
      readonly deviceCode?: never
    }
  | {
      /** Client credentials. */
      readonly clientCredentials: ClientCredentialsOAuthFlow
      readonly authorizationCode?: never
      readonly implicit?: never
      readonly password?: never
      readonly deviceCode?: never
    }
  | {
      /** Implicit; use the authorization code flow instead. @deprecated */
      readonly implicit: ImplicitOAuthFlow
      readonly authorizationCode?: never
      readonly clientCredentials?: never
      readonly password?: never
      readonly deviceCode?: never
    }
  | {
      /** Password; use the authorization code or device flow instead. @deprecated */
      readonly password: PasswordOAuthFlow
      readonly authorizationCode?: never
      readonly clientCredentials?: never
      readonly implicit?: never
      readonly deviceCode?: never
    }
  | {
      /** Device code. */
      readonly deviceCode: DeviceCodeOAuthFlow
      readonly authorizationCode?: never
      readonly clientCredentials?: never
      readonly implicit?: never
      readonly password?: never
    }

/** The authorization code flow (§4.5.8). */
export interface AuthorizationCodeOAuthFlow {
  /** Where the user consents. */
  readonly authorizationUrl: string
  /** Where tokens are issued. */
  readonly tokenUrl: string
  /** Where tokens are refreshed. */
  readonly refreshUrl?: string
  /** Scopes and what each means. */
  readonly scopes: Readonly<Record<string, string>>
  /** Whether PKCE is needed. */
  readonly pkceRequired?: boolean
}

/** The client credentials flow (§4.5.9). */
export interface ClientCredentialsOAuthFlow {
  /** Where tokens are issued. */
  readonly tokenUrl: string
  /** Where tokens are refreshed. */
  readonly refreshUrl?: string
  /** Scopes and what each means. */
  readonly scopes: Readonly<Record<string, string>>
}

/** The implicit flow, deprecated (§4.5.7). */
export interface ImplicitOAuthFlow {
  /** Where the user consents. */
  readonly authorizationUrl?: string
  /** Where tokens are refreshed. */
  readonly refreshUrl?: string
  /** Scopes and what each means. */
  readonly scopes?: Readonly<Record<string, string>>
}

/** The password flow, deprecated (§4.5.7). */
export interface PasswordOAuthFlow {
  /** Where tokens are issued. */
  readonly tokenUrl?: string
  /** Where tokens are refreshed. */
  readonly refreshUrl?: string
  /** Scopes and what each means. */
  readonly scopes?: Readonly<Record<string, string>>
}

/** The device code flow (§4.5.10). */
export interface DeviceCodeOAuthFlow {
  /** Where the device asks for a code. */
  readonly deviceAuthorizationUrl: string
  /** Where tokens are issued. */
  readonly tokenUrl: string
  /** Where tokens are refreshed. */
  readonly refreshUrl?: string
  /** Scopes and what each means. */
  readonly scopes: Readonly<Record<string, string>>
}

/** Nothing: an empty object. */
export type Empty = Readonly<Record<string, never>>

/** Every message by name. */
export interface Messages {
  readonly 'Task': Task
  readonly 'TaskStatus': TaskStatus
  readonly 'Message': Message
  readonly 'Part': Part
  readonly 'Artifact': Artifact
  readonly 'TaskStatusUpdateEvent': TaskStatusUpdateEvent
  readonly 'TaskArtifactUpdateEvent': TaskArtifactUpdateEvent
  readonly 'StreamResponse': StreamResponse
  readonly 'SendMessageResponse': SendMessageResponse
  readonly 'SendMessageConfiguration': SendMessageConfiguration
  readonly 'SendMessageRequest': SendMessageRequest
  readonly 'GetTaskRequest': GetTaskRequest
  readonly 'ListTasksRequest': ListTasksRequest
  readonly 'ListTasksResponse': ListTasksResponse
  readonly 'CancelTaskRequest': CancelTaskRequest
  readonly 'SubscribeToTaskRequest': SubscribeToTaskRequest
  readonly 'GetTaskPushNotificationConfigRequest': GetTaskPushNotificationConfigRequest
  readonly 'DeleteTaskPushNotificationConfigRequest': DeleteTaskPushNotificationConfigRequest
  readonly 'ListTaskPushNotificationConfigsRequest': ListTaskPushNotificationConfigsRequest
  readonly 'ListTaskPushNotificationConfigsResponse': ListTaskPushNotificationConfigsResponse
  readonly 'GetExtendedAgentCardRequest': GetExtendedAgentCardRequest
  readonly 'TaskPushNotificationConfig': TaskPushNotificationConfig
  readonly 'AuthenticationInfo': AuthenticationInfo
  readonly 'AgentCard': AgentCard
  readonly 'AgentInterface': AgentInterface
  readonly 'AgentProvider': AgentProvider
  readonly 'AgentCapabilities': AgentCapabilities
  readonly 'AgentExtension': AgentExtension
  readonly 'AgentSkill': AgentSkill
  readonly 'AgentCardSignature': AgentCardSignature
  readonly 'StringList': StringList
  readonly 'SecurityRequirement': SecurityRequirement
  readonly 'SecurityScheme': SecurityScheme
  readonly 'APIKeySecurityScheme': APIKeySecurityScheme
  readonly 'HTTPAuthSecurityScheme': HTTPAuthSecurityScheme
  readonly 'OAuth2SecurityScheme': OAuth2SecurityScheme
  readonly 'OpenIdConnectSecurityScheme': OpenIdConnectSecurityScheme
  readonly 'MutualTlsSecurityScheme': MutualTlsSecurityScheme
  readonly 'OAuthFlows': OAuthFlows
  readonly 'AuthorizationCodeOAuthFlow': AuthorizationCodeOAuthFlow
  readonly 'ClientCredentialsOAuthFlow': ClientCredentialsOAuthFlow
  readonly 'ImplicitOAuthFlow': ImplicitOAuthFlow
  readonly 'PasswordOAuthFlow': PasswordOAuthFlow
  readonly 'DeviceCodeOAuthFlow': DeviceCodeOAuthFlow
  readonly 'Empty': Empty
}
