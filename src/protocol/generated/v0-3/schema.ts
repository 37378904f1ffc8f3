// biome-ignore-all format: generated
// Written by scripts/generate.mjs from spec/a2a-v0.3.proto. Do not edit.

import type { Schema } from '../../schema.ts'

/** The messages and enums of a2a.v1. */
export const schema: Schema = {
  messages: {
    'Task': [
      { name: 'id', json: 'id', number: 1, type: 'string' },
      { name: 'context_id', json: 'contextId', number: 2, type: 'string' },
      { name: 'status', json: 'status', number: 3, type: 'message', typeName: 'TaskStatus' },
      { name: 'artifacts', json: 'artifacts', number: 4, type: 'message', typeName: 'Artifact', repeated: true },
      { name: 'history', json: 'history', number: 5, type: 'message', typeName: 'Message', repeated: true },
      { name: 'metadata', json: 'metadata', number: 6, type: 'struct' },
    ],
    'TaskStatus': [
      { name: 'state', json: 'state', number: 1, type: 'enum', typeName: 'TaskState' },
      { name: 'update', json: 'message', number: 2, type: 'message', typeName: 'Message' },
      { name: 'timestamp', json: 'timestamp', number: 3, type: 'timestamp' },
    ],
    'Message': [
      { name: 'message_id', json: 'messageId', number: 1, type: 'string' },
      { name: 'context_id', json: 'contextId', number: 2, type: 'string' },
      { name: 'task_id', json: 'taskId', number: 3, type: 'string' },
      { name: 'role', json: 'role', number: 4, type: 'enum', typeName: 'Role' },
      { name: 'content', json: 'content', number: 5, type: 'message', typeName: 'Part', repeated: true },
      { name: 'metadata', json: 'metadata', number: 6, type: 'struct' },
      { name: 'extensions', json: 'extensions', number: 7, type: 'string', repeated: true },
      { name: 'reference_task_ids', json: 'referenceTaskIds', number: 8, type: 'string', repeated: true },
    ],
    'Part': [
      { name: 'text', json: 'text', number: 1, type: 'string', oneof: 'part' },
      { name: 'file', json: 'file', number: 2, type: 'message', typeName: 'FilePart', oneof: 'part' },
      { name: 'data', json: 'data', number: 3, type: 'message', typeName: 'DataPart', oneof: 'part' },
      { name: 'metadata', json: 'metadata', number: 4, type: 'struct' },
    ],
    'FilePart': [
      { name: 'file_with_uri', json: 'fileWithUri', number: 1, type: 'string', oneof: 'file' },
      { name: 'file_with_bytes', json: 'fileWithBytes', number: 2, type: 'bytes', oneof: 'file' },
      { name: 'mime_type', json: 'mimeType', number: 3, type: 'string' },
      { name: 'name', json: 'name', number: 4, type: 'string' },
    ],
    'DataPart': [
      { name: 'data', json: 'data', number: 1, type: 'struct' },
    ],
    'Artifact': [
      { name: 'artifact_id', json: 'artifactId', number: 1, type: 'string' },
      { name: 'name', json: 'name', number: 3, type: 'string' },
      { name: 'description', json: 'description', number: 4, type: 'string' },
      { name: 'parts', json: 'parts', number: 5, type: 'message', typeName: 'Part', repeated: true },
      { name: 'metadata', json: 'metadata', number: 6, type: 'struct' },
      { name: 'extensions', json: 'extensions', number: 7, type: 'string', repeated: true },
    ],
    'TaskStatusUpdateEvent': [
      { name: 'task_id', json: 'taskId', number: 1, type: 'string' },
      { name: 'context_id', json: 'contextId', number: 2, type: 'string' },
      { name: 'status', json: 'status', number: 3, type: 'message', typeName: 'TaskStatus' },
      { name: 'final', json: 'final', number: 4, type: 'bool' },
      { name: 'metadata', json: 'metadata', number: 5, type: 'struct' },
    ],
    'TaskArtifactUpdateEvent': [
      { name: 'task_id', json: 'taskId', number: 1, type: 'string' },
      { name: 'context_id', json: 'contextId', number: 2, type: 'string' },
      { name: 'artifact', json: 'artifact', number: 3, type: 'message', typeName: 'Artifact' },
      { name: 'append', json: 'append', number: 4, type: 'bool' },
      { name: 'last_chunk', json: 'lastChunk', number: 5, type: 'bool' },
      { name: 'metadata', json: 'metadata', number: 6, type: 'struct' },
    ],
    'SendMessageRequest': [
      { name: 'request', json: 'message', number: 1, type: 'message', typeName: 'Message', required: true },
      { name: 'configuration', json: 'configuration', number: 2, type: 'message', typeName: 'SendMessageConfiguration' },
      { name: 'metadata', json: 'metadata', number: 3, type: 'struct' },
    ],
    'SendMessageConfiguration': [
      { name: 'accepted_output_modes', json: 'acceptedOutputModes', number: 1, type: 'string', repeated: true },
      { name: 'push_notification', json: 'pushNotification', number: 2, type: 'message', typeName: 'PushNotificationConfig' },
      { name: 'history_length', json: 'historyLength', number: 3, type: 'int32' },
      { name: 'blocking', json: 'blocking', number: 4, type: 'bool' },
    ],
    'SendMessageResponse': [
      { name: 'task', json: 'task', number: 1, type: 'message', typeName: 'Task', oneof: 'payload' },
      { name: 'msg', json: 'message', number: 2, type: 'message', typeName: 'Message', oneof: 'payload' },
    ],
    'StreamResponse': [
      { name: 'task', json: 'task', number: 1, type: 'message', typeName: 'Task', oneof: 'payload' },
      { name: 'msg', json: 'message', number: 2, type: 'message', typeName: 'Message', oneof: 'payload' },
      { name: 'status_update', json: 'statusUpdate', number: 3, type: 'message', typeName: 'TaskStatusUpdateEvent', oneof: 'payload' },
      { name: 'artifact_update', json: 'artifactUpdate', number: 4, type: 'message', typeName: 'TaskArtifactUpdateEvent', oneof: 'payload' },
    ],
    'GetTaskRequest': [
      { name: 'name', json: 'name', number: 1, type: 'string', required: true },
      { name: 'history_length', json: 'historyLength', number: 2, type: 'int32' },
    ],
    'ListTasksRequest': [
      { name: 'context_id', json: 'contextId', number: 1, type: 'string' },
      { name: 'status', json: 'status', number: 2, type: 'enum', typeName: 'TaskState' },
      { name: 'page_size', json: 'pageSize', number: 3, type: 'int32', optional: true },
      { name: 'page_token', json: 'pageToken', number: 4, type: 'string' },
      { name: 'history_length', json: 'historyLength', number: 5, type: 'int32', optional: true },
      { name: 'status_timestamp_after', json: 'statusTimestampAfter', number: 6, type: 'timestamp' },
      { name: 'include_artifacts', json: 'includeArtifacts', number: 7, type: 'bool', optional: true },
    ],
    'ListTasksResponse': [
      { name: 'tasks', json: 'tasks', number: 1, type: 'message', typeName: 'Task', repeated: true, required: true },
      { name: 'next_page_token', json: 'nextPageToken', number: 2, type: 'string', required: true },
      { name: 'total_size', json: 'totalSize', number: 3, type: 'int32', required: true },
      { name: 'page_size', json: 'pageSize', number: 4, type: 'int32', required: true },
    ],
    'CancelTaskRequest': [
      { name: 'name', json: 'name', number: 1, type: 'string' },
    ],
    'TaskSubscriptionRequest': [
      { name: 'name', json: 'name', number: 1, type: 'string' },
    ],
    'CreateTaskPushNotificationConfigRequest': [
      { name: 'parent', json: 'parent', number: 1, type: 'string', required: true },
      { name: 'config_id', json: 'configId', number: 2, type: 'string', required: true },
      { name: 'config', json: 'config', number: 3, type: 'message', typeName: 'TaskPushNotificationConfig', required: true },
    ],
    'GetTaskPushNotificationConfigRequest': [
      { name: 'name', json: 'name', number: 1, type: 'string' },
    ],
    'DeleteTaskPushNotificationConfigRequest': [
      { name: 'name', json: 'name', number: 1, type: 'string' },
    ],
    'ListTaskPushNotificationConfigRequest': [
      { name: 'parent', json: 'parent', number: 1, type: 'string' },
      { name: 'page_size', json: 'pageSize', number: 2, type: 'int32' },
      { name: 'page_token', json: 'pageToken', number: 3, type: 'string' },
    ],
    'ListTaskPushNotificationConfigResponse': [
      { name: 'configs', json: 'configs', number: 1, type: 'message', typeName: 'TaskPushNotificationConfig', repeated: true },
      { name: 'next_page_token', json: 'nextPageToken', number: 2, type: 'string' },
    ],
    'GetAgentCardRequest': [],
    'TaskPushNotificationConfig': [
      { name: 'name', json: 'name', number: 1, type: 'string' },
      { name: 'push_notification_config', json: 'pushNotificationConfig', number: 2, type: 'message', typeName: 'PushNotificationConfig' },
    ],
    'PushNotificationConfig': [
      { name: 'id', json: 'id', number: 1, type: 'string' },
      { name: 'url', json: 'url', number: 2, type: 'string' },
      { name: 'token', json: 'token', number: 3, type: 'string' },
      { name: 'authentication', json: 'authentication', number: 4, type: 'message', typeName: 'AuthenticationInfo' },
    ],
    'AuthenticationInfo': [
      { name: 'schemes', json: 'schemes', number: 1, type: 'string', repeated: true },
      { name: 'credentials', json: 'credentials', number: 2, type: 'string' },
    ],
    'AgentCard': [
      { name: 'name', json: 'name', number: 1, type: 'string' },
      { name: 'description', json: 'description', number: 2, type: 'string' },
      { name: 'url', json: 'url', number: 3, type: 'string' },
      { name: 'provider', json: 'provider', number: 4, type: 'message', typeName: 'AgentProvider' },
      { name: 'version', json: 'version', number: 5, type: 'string' },
      { name: 'documentation_url', json: 'documentationUrl', number: 6, type: 'string' },
      { name: 'capabilities', json: 'capabilities', number: 7, type: 'message', typeName: 'AgentCapabilities' },
      { name: 'security_schemes', json: 'securitySchemes', number: 8, type: 'message', typeName: 'SecurityScheme', map: true },
      { name: 'security', json: 'security', number: 9, type: 'message', typeName: 'Security', repeated: true },
      { name: 'default_input_modes', json: 'defaultInputModes', number: 10, type: 'string', repeated: true },
      { name: 'default_output_modes', json: 'defaultOutputModes', number: 11, type: 'string', repeated: true },
      { name: 'skills', json: 'skills', number: 12, type: 'message', typeName: 'AgentSkill', repeated: true },
      { name: 'supports_authenticated_extended_card', json: 'supportsAuthenticatedExtendedCard', number: 13, type: 'bool' },
      { name: 'preferred_transport', json: 'preferredTransport', number: 14, type: 'string' },
      { name: 'additional_interfaces', json: 'additionalInterfaces', number: 15, type: 'message', typeName: 'AgentInterface', repeated: true },
      { name: 'protocol_version', json: 'protocolVersion', number: 16, type: 'string' },
      { name: 'signatures', json: 'signatures', number: 17, type: 'message', typeName: 'AgentCardSignature', repeated: true },
      { name: 'icon_url', json: 'iconUrl', number: 18, type: 'string' },
    ],
    'AgentProvider': [
      { name: 'url', json: 'url', number: 1, type: 'string' },
      { name: 'organization', json: 'organization', number: 2, type: 'string' },
    ],
    'AgentCapabilities': [
      { name: 'streaming', json: 'streaming', number: 1, type: 'bool' },
      { name: 'push_notifications', json: 'pushNotifications', number: 2, type: 'bool' },
      { name: 'extensions', json: 'extensions', number: 3, type: 'message', typeName: 'AgentExtension', repeated: true },
      { name: 'state_transition_history', json: 'stateTransitionHistory', number: 4, type: 'bool' },
    ],
    'AgentExtension': [
      { name: 'uri', json: 'uri', number: 1, type: 'string' },
      { name: 'description', json: 'description', number: 2, type: 'string' },
      { name: 'required', json: 'required', number: 3, type: 'bool' },
      { name: 'params', json: 'params', number: 4, type: 'struct' },
    ],
    'AgentSkill': [
      { name: 'id', json: 'id', number: 1, type: 'string' },
      { name: 'name', json: 'name', number: 2, type: 'string' },
      { name: 'description', json: 'description', number: 3, type: 'string' },
      { name: 'tags', json: 'tags', number: 4, type: 'string', repeated: true },
      { name: 'examples', json: 'examples', number: 5, type: 'string', repeated: true },
      { name: 'input_modes', json: 'inputModes', number: 6, type: 'string', repeated: true },
      { name: 'output_modes', json: 'outputModes', number: 7, type: 'string', repeated: true },
      { name: 'security', json: 'security', number: 8, type: 'message', typeName: 'Security', repeated: true },
    ],
    'AgentInterface': [
      { name: 'url', json: 'url', number: 1, type: 'string' },
      { name: 'transport', json: 'transport', number: 2, type: 'string' },
    ],
    'AgentCardSignature': [
      { name: 'protected', json: 'protected', number: 1, type: 'string', required: true },
      { name: 'signature', json: 'signature', number: 2, type: 'string', required: true },
      { name: 'header', json: 'header', number: 3, type: 'struct' },
    ],
    'StringList': [
      { name: 'list', json: 'list', number: 1, type: 'string', repeated: true },
    ],
    'Security': [
      { name: 'schemes', json: 'schemes', number: 1, type: 'message', typeName: 'StringList', map: true },
    ],
    'SecurityScheme': [
      { name: 'api_key_security_scheme', json: 'apiKeySecurityScheme', number: 1, type: 'message', typeName: 'APIKeySecurityScheme', oneof: 'scheme' },
      { name: 'http_auth_security_scheme', json: 'httpAuthSecurityScheme', number: 2, type: 'message', typeName: 'HTTPAuthSecurityScheme', oneof: 'scheme' },
      { name: 'oauth2_security_scheme', json: 'oauth2SecurityScheme', number: 3, type: 'message', typeName: 'OAuth2SecurityScheme', oneof: 'scheme' },
      { name: 'open_id_connect_security_scheme', json: 'openIdConnectSecurityScheme', number: 4, type: 'message', typeName: 'OpenIdConnectSecurityScheme', oneof: 'scheme' },
      { name: 'mtls_security_scheme', json: 'mtlsSecurityScheme', number: 5, type: 'message', typeName: 'MutualTlsSecurityScheme', oneof: 'scheme' },
    ],
    'APIKeySecurityScheme': [
      { name: 'description', json: 'description', number: 1, type: 'string' },
      { name: 'location', json: 'location', number: 2, type: 'string' },
      { name: 'name', json: 'name', number: 3, type: 'string' },
    ],
    'HTTPAuthSecurityScheme': [
      { name: 'description', json: 'description', number: 1, type: 'string' },
      { name: 'scheme', json: 'scheme', number: 2, type: 'string' },
      { name: 'bearer_format', json: 'bearerFormat', number: 3, type: 'string' },
    ],
    'OAuth2SecurityScheme': [
      { name: 'description', json: 'description', number: 1, type: 'string' },
      { name: 'flows', json: 'flows', number: 2, type: 'message', typeName: 'OAuthFlows' },
      { name: 'oauth2_metadata_url', json: 'oauth2MetadataUrl', number: 3, type: 'string' },
    ],
    'OpenIdConnectSecurityScheme': [
      { name: 'description', json: 'description', number: 1, type: 'string' },
      { name: 'open_id_connect_url', json: 'openIdConnectUrl', number: 2, type: 'string' },
    ],
    'MutualTlsSecurityScheme': [
      { name: 'description', json: 'description', number: 1, type: 'string' },
    ],
    'OAuthFlows': [
      { name: 'authorization_code', json: 'authorizationCode', number: 1, type: 'message', typeName: 'AuthorizationCodeOAuthFlow', oneof: 'flow' },
      { name: 'client_credentials', json: 'clientCredentials', number: 2, type: 'message', typeName: 'ClientCredentialsOAuthFlow', oneof: 'flow' },
      { name: 'implicit', json: 'implicit', number: 3, type: 'message', typeName: 'ImplicitOAuthFlow', oneof: 'flow' },
      { name: 'password', json: 'password', number: 4, type: 'message', typeName: 'PasswordOAuthFlow', oneof: 'flow' },
    ],
    'AuthorizationCodeOAuthFlow': [
      { name: 'authorization_url', json: 'authorizationUrl', number: 1, type: 'string' },
      { name: 'token_url', json: 'tokenUrl', number: 2, type: 'string' },
      { name: 'refresh_url', json: 'refreshUrl', number: 3, type: 'string' },
      { name: 'scopes', json: 'scopes', number: 4, type: 'string', map: true },
    ],
    'ClientCredentialsOAuthFlow': [
      { name: 'token_url', json: 'tokenUrl', number: 1, type: 'string' },
      { name: 'refresh_url', json: 'refreshUrl', number: 2, type: 'string' },
      { name: 'scopes', json: 'scopes', number: 3, type: 'string', map: true },
    ],
    'ImplicitOAuthFlow': [
      { name: 'authorization_url', json: 'authorizationUrl', number: 1, type: 'string' },
      { name: 'refresh_url', json: 'refreshUrl', number: 2, type: 'string' },
      { name: 'scopes', json: 'scopes', number: 3, type: 'string', map: true },
    ],
    'PasswordOAuthFlow': [
      { name: 'token_url', json: 'tokenUrl', number: 1, type: 'string' },
      { name: 'refresh_url', json: 'refreshUrl', number: 2, type: 'string' },
      { name: 'scopes', json: 'scopes', number: 3, type: 'string', map: true },
    ],
    'Empty': [],
  },
  enums: {
    'TaskState': [
      ['TASK_STATE_UNSPECIFIED', 0],
      ['TASK_STATE_SUBMITTED', 1],
      ['TASK_STATE_WORKING', 2],
      ['TASK_STATE_COMPLETED', 3],
      ['TASK_STATE_FAILED', 4],
      ['TASK_STATE_CANCELLED', 5],
      ['TASK_STATE_INPUT_REQUIRED', 6],
      ['TASK_STATE_REJECTED', 7],
      ['TASK_STATE_AUTH_REQUIRED', 8],
    ],
    'Role': [
      ['ROLE_UNSPECIFIED', 0],
      ['ROLE_USER', 1],
      ['ROLE_AGENT', 2],
    ],
  },
}
