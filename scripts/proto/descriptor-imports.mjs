// Descriptors of the files that ours import, of the details of errors, and of the services that every gRPC server may
// have. Of Google's files only what is used here.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import { jsonName } from './parse.mjs'

/** `name number type`; a type with a capital letter or a dot is that of a message unless `enum` stands before it. */
function field(text, more = {}) {
  const words = text.split(' ')
  const repeated = words[0] === 'repeated'
  if (repeated) words.shift()
  const isEnum = words[0] === 'enum'
  if (isEnum) words.shift()
  const [type, name, number] = words
  const scalar = Type[type.toUpperCase()]
  return {
    name,
    number: Number(number),
    jsonName: jsonName(name),
    label: repeated ? Label.REPEATED : Label.OPTIONAL,
    ...(scalar === undefined ? { type: isEnum ? Type.ENUM : Type.MESSAGE, typeName: `.${type}` } : { type: scalar }),
    ...more,
  }
}

function message(name, fields, { oneof, members = [], ...more } = {}) {
  const inOneof = new Set(members)
  return {
    name,
    field: fields.map((text) => {
      const made = field(text)
      return inOneof.has(made.name) ? { ...made, oneofIndex: 0 } : made
    }),
    ...(oneof && { oneofDecl: [{ name: oneof }] }),
    ...more,
  }
}

function enumeration(name, values) {
  return { name, value: Object.entries(values).map(([value, number]) => ({ name: value, number })) }
}

function file(name, packageName, more) {
  return create(FileDescriptorProtoSchema, { name, package: packageName, syntax: 'proto3', ...more })
}

const status = file('google/rpc/status.proto', 'google.rpc', {
  dependency: ['google/protobuf/any.proto'],
  messageType: [message('Status', ['int32 code 1', 'string message 2', 'repeated google.protobuf.Any details 3'])],
})

const violation = message('FieldViolation', ['string field 1', 'string description 2'])
const metadataEntry = message('MetadataEntry', ['string key 1', 'string value 2'], { options: { mapEntry: true } })

const errorDetails = file('google/rpc/error_details.proto', 'google.rpc', {
  dependency: ['google/protobuf/duration.proto'],
  messageType: [
    message(
      'ErrorInfo',
      ['string reason 1', 'string domain 2', 'repeated google.rpc.ErrorInfo.MetadataEntry metadata 3'],
      { nestedType: [metadataEntry] },
    ),
    message('BadRequest', ['repeated google.rpc.BadRequest.FieldViolation field_violations 1'], {
      nestedType: [violation],
    }),
    message('RetryInfo', ['google.protobuf.Duration retry_delay 1']),
  ],
})

const health = file('grpc/health/v1/health.proto', 'grpc.health.v1', {
  messageType: [
    message('HealthCheckRequest', ['string service 1']),
    message('HealthCheckResponse', ['enum grpc.health.v1.HealthCheckResponse.ServingStatus status 1'], {
      enumType: [enumeration('ServingStatus', { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 })],
    }),
  ],
  service: [
    {
      name: 'Health',
      method: ['Check', 'Watch'].map((name) => ({
        name,
        inputType: '.grpc.health.v1.HealthCheckRequest',
        outputType: '.grpc.health.v1.HealthCheckResponse',
        ...(name === 'Watch' && { serverStreaming: true }),
      })),
    },
  ],
})

function reflection(version) {
  const scope = `grpc.reflection.${version}`
  return file(`grpc/reflection/${version}/reflection.proto`, scope, {
    messageType: [
      message(
        'ServerReflectionRequest',
        [
          'string host 1',
          'string file_by_filename 3',
          'string file_containing_symbol 4',
          `${scope}.ExtensionRequest file_containing_extension 5`,
          'string all_extension_numbers_of_type 6',
          'string list_services 7',
        ],
        {
          oneof: 'message_request',
          members: [
            'file_by_filename',
            'file_containing_symbol',
            'file_containing_extension',
            'all_extension_numbers_of_type',
            'list_services',
          ],
        },
      ),
      message('ExtensionRequest', ['string containing_type 1', 'int32 extension_number 2']),
      message(
        'ServerReflectionResponse',
        [
          'string valid_host 1',
          `${scope}.ServerReflectionRequest original_request 2`,
          `${scope}.FileDescriptorResponse file_descriptor_response 4`,
          `${scope}.ExtensionNumberResponse all_extension_numbers_response 5`,
          `${scope}.ListServiceResponse list_services_response 6`,
          `${scope}.ErrorResponse error_response 7`,
        ],
        {
          oneof: 'message_response',
          members: [
            'file_descriptor_response',
            'all_extension_numbers_response',
            'list_services_response',
            'error_response',
          ],
        },
      ),
      message('FileDescriptorResponse', ['repeated bytes file_descriptor_proto 1']),
      message('ExtensionNumberResponse', ['string base_type_name 1', 'repeated int32 extension_number 2']),
      message('ListServiceResponse', [`repeated ${scope}.ServiceResponse service 1`]),
      message('ServiceResponse', ['string name 1']),
      message('ErrorResponse', ['int32 error_code 1', 'string error_message 2']),
    ],
    service: [
      {
        name: 'ServerReflection',
        method: [
          {
            name: 'ServerReflectionInfo',
            inputType: `.${scope}.ServerReflectionRequest`,
            outputType: `.${scope}.ServerReflectionResponse`,
            clientStreaming: true,
            serverStreaming: true,
          },
        ],
      },
    ],
  })
}

/** A copy, as the package keeps its own descriptors without the names that text had. */
function published({ proto }) {
  return fromBinary(FileDescriptorProtoSchema, toBinary(FileDescriptorProtoSchema, proto))
}

/** All of them, in no particular order. */
export const importedFiles = [
  published(file_google_protobuf_struct),
  published(file_google_protobuf_timestamp),
  published(file_google_protobuf_empty),
  published(file_google_protobuf_any),
  published(file_google_protobuf_duration),
  status,
  errorDetails,
  health,
  reflection('v1'),
  reflection('v1alpha'),
]
