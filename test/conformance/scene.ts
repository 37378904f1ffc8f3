import assert from 'node:assert/strict'
import type { Subject } from './subject.ts'
import {
  type Answer,
  allBindings,
  type Binding,
  type CallOptions,
  type Frames,
  type Json,
  type Peer,
} from './wire/peer.ts'

export type Level = 'MUST' | 'SHOULD' | 'MAY'

/** One requirement and how it is looked at. */
export interface Check {
  readonly id: string
  readonly level: Level
  readonly title: string
  /** The bindings it is played on; every one of the server where it is not said, and `once` for none in particular. */
  readonly on?: readonly Binding[] | 'once'
  readonly run: (scene: Scene) => Promise<void> | void
}

/** One requirement on one binding of one server. */
export interface Scene {
  readonly subject: Subject
  readonly peer: Peer
  /** A binding of the same server, closed after the check; `token: null` shows none. */
  open(binding: Binding, options?: { readonly token?: string | null }): Peer
}

/** Thrown where there is nothing to look at. */
export class Skip extends Error {}

/** Ends a check without a verdict. */
export function skip(reason: string): never {
  throw new Skip(reason)
}

/** What a check asks the agent for: the messageId begins with a word that says what to do. */
export interface Ask {
  readonly parts?: readonly Json[]
  readonly message?: Json
  readonly configuration?: Json
  /** Members beside the message. */
  readonly request?: Json
  readonly options?: CallOptions
}

/** The request of a send. */
export function sendRequest({ subject, peer }: Scene, word: string, ask: Ask = {}): Json {
  const { parts = [{ text: 'Hello from the suite' }], message, configuration, request } = ask
  const messageId = `${word}-${subject.session}-${peer.binding.toLowerCase()}`
  return {
    message: { messageId, role: 'ROLE_USER', parts, ...message },
    ...(configuration && { configuration }),
    ...request,
  }
}

/** Sends by SendMessage. */
export function send(scene: Scene, word: string, ask: Ask = {}): Promise<Answer> {
  return scene.peer.call('SendMessage', sendRequest(scene, word, ask), ask.options)
}

/** Sends by SendStreamingMessage. */
export function stream(scene: Scene, word: string, ask: Ask = {}): Promise<Frames> {
  return scene.peer.open('SendStreamingMessage', sendRequest(scene, word, ask), ask.options)
}

/** A task as it stands on the wire. */
export interface SeenTask extends Json {
  readonly id: string
  readonly contextId: string
  readonly status: { readonly state: string; readonly timestamp?: string; readonly message?: SeenMessage }
  readonly history?: readonly SeenMessage[]
  readonly artifacts?: readonly { readonly artifactId: string; readonly parts: readonly Json[] }[]
}

export interface SeenMessage extends Json {
  readonly messageId: string
  readonly role: string
  readonly parts: readonly Json[]
}

/** The value of an answer that must be none of an error. */
export function resultOf(answer: Answer): Json {
  assert.equal(answer.error, undefined, `refused: ${answer.error?.code} ${answer.error?.message}`)
  return answer.value ?? {}
}

/** The task of a send that must give one. */
export async function sendTask(scene: Scene, word: string, ask: Ask = {}): Promise<SeenTask> {
  const { task } = resultOf(await send(scene, word, ask))
  assert.ok(task, 'the answer is no task')
  return task as SeenTask
}

/** A task that is COMPLETED. */
export async function doneTask(scene: Scene): Promise<SeenTask> {
  const task = await sendTask(scene, 'tck-complete-task')
  assert.equal(task.status.state, 'TASK_STATE_COMPLETED')
  return task
}

/** A task that waits for input. */
export async function openTask(scene: Scene, ask: Ask = {}): Promise<SeenTask> {
  const task = await sendTask(scene, 'tck-input-required', ask)
  assert.equal(task.status.state, 'TASK_STATE_INPUT_REQUIRED')
  return task
}

/** Reads a task. */
export async function getTask({ peer }: Scene, id: string, rest: Json = {}): Promise<SeenTask> {
  return resultOf(await peer.call('GetTask', { id, ...rest })) as SeenTask
}

/** Every text of a message or an artifact. */
export function textOf(holder: { readonly parts: readonly Json[] } | undefined): string {
  return (holder?.parts ?? []).map(({ text }) => text ?? '').join('')
}

/** The state in an event, where there is one. */
export function stateOf(event: Json | undefined): string | undefined {
  const { task, statusUpdate } = (event ?? {}) as { task?: SeenTask; statusUpdate?: SeenTask }
  return (task ?? statusUpdate)?.status.state
}

/** The task in an event that must hold one. */
export function taskIn(event: Json | undefined): SeenTask {
  assert.ok(event?.task, 'the event holds no task')
  return event.task as SeenTask
}

/** Whether a task of this state has ended. */
export function isOver(state: string | undefined): boolean {
  return /_(?:COMPLETED|FAILED|CANCELED|REJECTED)$/.test(state ?? '')
}

/** The bindings that the server has. */
export function bindingsOf({ subject }: Scene): readonly Binding[] {
  return allBindings.filter((binding) => subject.address(binding) !== undefined)
}

/** What the card says the agent can do. */
export function declares({ subject }: Pick<Scene, 'subject'>, capability: string): boolean {
  return ((subject.card.capabilities ?? {}) as Json)[capability] === true
}

/** Leaves a check that needs a capability which the card does not declare. */
export function needs(scene: Pick<Scene, 'subject'>, capability: string): void {
  if (!declares(scene, capability)) skip(`the card does not declare ${capability}`)
}

/** Leaves a check that is about what happens without a capability. */
export function lacks(scene: Pick<Scene, 'subject'>, capability: string): void {
  if (declares(scene, capability)) skip(`the card declares ${capability}`)
}

/** Waits for milliseconds. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** A task that is found to be in a state within ten seconds. */
export async function untilState(scene: Scene, id: string, state: string): Promise<SeenTask> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const task = await getTask(scene, id)
    if (task.status.state === state) return task
    assert.ok(Date.now() < deadline, `the task is ${task.status.state} after ten seconds, not ${state}`)
    await delay(50)
  }
}
