import { type Content, contentOf, type ResultFile } from '../client/content.ts'
import type { Message, Task, TaskState } from '../protocol/generated/v1/types.ts'
import { isInterrupted } from '../protocol/task.ts'
import { shortState } from './arguments.ts'
import type { Connection } from './connection.ts'
import { exitCodes } from './exit-codes.ts'
import type { Output } from './output.ts'
import { saveFiles } from './save-files.ts'
import { cleanLine, cleanText } from './terminal-text.ts'

/** An answer, and how it is to be shown. */
export interface AnswerView {
  readonly task?: Task | undefined
  readonly message?: Message | undefined
  /** Text of it that is on the screen already. */
  readonly shown?: string
  /** Folder in which its files are saved. */
  readonly folder?: string | undefined
}

const failures: Readonly<Partial<Record<TaskState, string>>> = {
  TASK_STATE_FAILED: 'the task failed',
  TASK_STATE_REJECTED: 'the agent rejected the task',
  TASK_STATE_CANCELED: 'the task was canceled',
}

/** The exit code for what came of a send or a task. */
export function answerExitCode(task: Task | undefined): number {
  return task !== undefined && failures[task.status.state] !== undefined ? exitCodes.failed : exitCodes.ok
}

/** Text and reason apart: the text of a task that failed does not repeat why. */
export function readAnswer({ task, message }: AnswerView): Content & { readonly failure: string | undefined } {
  const content = contentOf({ task, message })
  const failure = task && failures[task.status.state]
  if (failure === undefined) return { ...content, failure }
  const reason = content.statusText.trim()
  const text = content.text.endsWith(content.statusText)
    ? content.text.slice(0, content.text.length - content.statusText.length).replace(/\n$/, '')
    : content.text
  return { ...content, text, failure: reason === '' ? failure : `${failure}: ${reason}` }
}

/** What is left to print of a text, and the line end that it needs. */
export function remainder(text: string, shown: string): string {
  const rest = text.startsWith(shown)
    ? text.slice(shown.length)
    : text === '' || shown.includes(text)
      ? ''
      : `\n${text}`
  const last = rest === '' ? shown : rest
  return last === '' || last.endsWith('\n') ? rest : `${rest}\n`
}

/**
 * Prints an answer: its text, its data as JSON and its files by name on standard output; what to do next, or why it
 * failed, on standard error. Gives the exit code.
 */
export async function showAnswer(output: Output, view: AnswerView, connection: Connection): Promise<number> {
  const { task, shown = '', folder } = view
  const { text, data, files, failure } = readAnswer(view)
  const safe = (value: string): string => (output.outIsTerminal ? cleanText(value) : value)
  await output.write(safe(remainder(text, shown)))
  for (const value of data) await output.write(`${safe(JSON.stringify(value, null, 2))}\n`)
  await showFiles(output, files, folder)
  if (failure !== undefined) output.writeNote(`${output.err.red('error:')} ${cleanText(failure)}\n`)
  if (task !== undefined && isInterrupted(task.status.state)) showHowToAnswer(output, task, connection)
  return answerExitCode(task)
}

/** Says how the question of a task that waits is answered. */
export function showHowToAnswer(output: Output, task: Task, { command }: Connection): void {
  const signIn = task.status.state === 'TASK_STATE_AUTH_REQUIRED'
  output.note(signIn ? 'The agent waits for an authorization.' : 'The agent waits for an answer. Give it with:')
  if (signIn) output.note(`Follow the task with: ${command('subscribe', task.id)}`)
  else output.note(`  ${command('send', '--task', task.id, 'your answer')}`)
}

/** Saves the files of an answer, and says on standard error where they are; for commands that print JSON. */
export async function saveQuietly(output: Output, view: AnswerView): Promise<void> {
  if (view.folder === undefined) return
  for (const path of await saveFiles(readAnswer(view).files, view.folder)) output.note(`saved ${path}`)
}

async function showFiles(output: Output, files: readonly ResultFile[], folder: string | undefined): Promise<void> {
  const saved = folder === undefined ? [] : await saveFiles(files, folder)
  await output.lines(saved.map((path) => `saved ${cleanLine(path)}`))
  const left = files.filter(({ raw }) => folder === undefined || raw === undefined)
  await output.lines(left.map(fileLine))
  if (left.some(({ raw }) => raw !== undefined)) output.note('--output DIR saves the files of an answer')
}

/** One line about a file that was not saved. */
export function fileLine(file: ResultFile): string {
  const { filename, mediaType, url, raw } = file
  const size = raw === undefined ? undefined : byteText(file.bytes()?.length ?? 0)
  const about = [mediaType, size].filter((text) => text !== undefined).join(', ')
  const name = filename === undefined ? '' : ` ${cleanLine(filename)}`
  return `file${name}${about === '' ? '' : ` (${cleanLine(about)})`}${url === undefined ? '' : ` ${cleanLine(url)}`}`
}

function byteText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A state in its colour. */
export function stateText(state: TaskState, colors: Output['out']): string {
  const text = shortState(state)
  if (state === 'TASK_STATE_COMPLETED') return colors.green(text)
  if (failures[state] !== undefined) return colors.red(text)
  return isInterrupted(state) ? colors.yellow(text) : colors.cyan(text)
}
