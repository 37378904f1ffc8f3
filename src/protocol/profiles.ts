import type { ErrorCode, ErrorRow } from './errors.ts'

/** What a side does where peers and suites disagree. */
export interface Profile {
  /** Statuses of HTTP and gRPC as specification 1.0.1 (§5.4) or 1.0.0 has them (AMB-59). */
  readonly errorMap: '1.0.1' | '1.0.0'
  /** Media type of HTTP+JSON answers: `negotiate` gives `application/a2a+json` to those whose `Accept` names it (AMB-10). */
  readonly restMediaType: 'negotiate' | 'json' | 'a2a+json'
  /** HTTP status for a request body that is not JSON by its media type (AMB-11); 200 is meant for JSON-RPC. */
  readonly mediaTypeStatus: 415 | 400 | 200
  /** Whether parts of a media type that the card does not list are refused (§3.1.1, AMB-12). */
  readonly inputModes: 'checked' | 'unchecked'
  /** Whether a message must have a `messageId`; where it is optional, one is made. */
  readonly messageId: 'required' | 'optional'
  /** The version of a request that names none although its form is that of 1.0 (§3.6.2, AMB-52). */
  readonly assumedVersion: '0.3' | '1.0'
  /** The card for those who name no version: of one version, or of both in one document (AMB-62). */
  readonly cardShape: '1.0' | '0.3' | 'merged'
  /** Whether the card may offer an extended card. */
  readonly extendedCard: boolean
}

const specification: Profile = {
  errorMap: '1.0.1',
  restMediaType: 'negotiate',
  mediaTypeStatus: 415,
  inputModes: 'checked',
  messageId: 'required',
  assumedVersion: '0.3',
  cardShape: '1.0',
  extendedCard: true,
}

const tck: Profile = {
  ...specification,
  errorMap: '1.0.0',
  restMediaType: 'json',
  assumedVersion: '1.0',
  extendedCard: false,
}

export type ProfileName = 'spec-1.0.1' | 'tck-1.0-alpha' | 'tck-1.0' | 'tck-0.3' | 'acts' | 'itk'

/** The profiles, by name. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  /** Specification 1.0.1 to the letter. */
  'spec-1.0.1': specification,
  'tck-1.0-alpha': { ...tck, inputModes: 'unchecked' },
  'tck-1.0': tck,
  'tck-0.3': { ...tck, errorMap: '1.0.1', mediaTypeStatus: 200, inputModes: 'unchecked', cardShape: 'merged' },
  acts: { ...specification, restMediaType: 'a2a+json', messageId: 'optional', assumedVersion: '1.0' },
  itk: { ...specification, messageId: 'optional', assumedVersion: '1.0', cardShape: 'merged' },
}

/** A profile by its name, or `spec-1.0.1` with some fields changed. An unknown name is a `TypeError`. */
export function resolveProfile(choice: ProfileName | Partial<Profile> = 'spec-1.0.1'): Profile {
  if (typeof choice === 'object') return { ...specification, ...choice }
  if (Object.hasOwn(profiles, choice)) return profiles[choice]
  throw new TypeError(`profile: ${JSON.stringify(choice)} is not known; use ${Object.keys(profiles).join(', ')}`)
}

/** What stands in the error table of 1.0.0 instead. */
const firstRelease: Readonly<Partial<Record<ErrorCode, Partial<Pick<ErrorRow, 'http' | 'status'>>>>> = {
  TaskNotCancelable: { http: 409 },
  ContentTypeNotSupported: { http: 415 },
  InvalidAgentResponse: { http: 502 },
  PushNotificationNotSupported: { status: 'UNIMPLEMENTED' },
  UnsupportedOperation: { status: 'UNIMPLEMENTED' },
  VersionNotSupported: { status: 'UNIMPLEMENTED' },
}

/** HTTP statuses that differ from the error table under a profile. */
export function httpOverrides({ errorMap, mediaTypeStatus }: Profile): Readonly<Partial<Record<ErrorCode, number>>> {
  const old = errorMap === '1.0.0' ? overrides(({ http }) => http) : {}
  return { ...old, UnsupportedMediaType: mediaTypeStatus === 200 ? 415 : mediaTypeStatus }
}

/** gRPC statuses that differ from the error table under a profile. */
export function grpcOverrides({ errorMap }: Profile): Readonly<Partial<Record<ErrorCode, ErrorRow['status']>>> {
  return errorMap === '1.0.0' ? overrides(({ status }) => status) : {}
}

function overrides<T>(pick: (row: Partial<ErrorRow>) => T | undefined): Partial<Record<ErrorCode, T>> {
  const rows = Object.entries(firstRelease).map(([code, row]) => [code, pick(row)] as const)
  return Object.fromEntries(rows.filter(([, value]) => value !== undefined))
}
