import assert from 'node:assert/strict'
import { type Ask, type Scene, type SeenTask, send, sendTask, stream } from '../scene.ts'
import type { Answer, Frames } from '../wire/peer.ts'

/** Messages of ACTS say what they want by the text of their first part. */
function saying(text: string, ask: Ask): Ask {
  return { ...ask, parts: [{ text }, ...(ask.parts ?? [])] }
}

/** Sends a text. */
export function say(scene: Scene, text: string, ask: Ask = {}): Promise<Answer> {
  return send(scene, 'acts', saying(text, ask))
}

/** Sends a text that must give a task, in a state where one is given. */
export async function sayTask(
  scene: Scene,
  text: string,
  ask: Ask & { readonly state?: string } = {},
): Promise<SeenTask> {
  const task = await sendTask(scene, 'acts', saying(text, ask))
  if (ask.state !== undefined) assert.equal(task.status.state, `TASK_STATE_${ask.state}`)
  return task
}

/** Sends a text and hears what comes. */
export function hear(scene: Scene, text: string, ask: Ask = {}): Promise<Frames> {
  return stream(scene, 'acts', saying(text, ask))
}

/** Answers at once. */
export const atOnce: Ask = { configuration: { returnImmediately: true } }
