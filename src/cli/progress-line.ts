import type { Output } from './output.ts'
import { cleanLine } from './terminal-text.ts'

/** A line on the terminal that shows what a command waits for. */
export interface ProgressLine {
  /** Shows a text, with the seconds that have passed. */
  show(text: string): void
  /** Takes the line away, so that something else can be written. */
  clear(): void
  stop(): void
}

const nothing: ProgressLine = { show() {}, clear() {}, stop() {} }
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/** How long a wait is too short to be shown, and how often the line is drawn; milliseconds. */
export interface ProgressTimes {
  readonly patience: number
  readonly every: number
}

/** A progress line on standard error while that is a terminal; nothing at all in a pipe. Short waits show nothing. */
export function createProgressLine(
  output: Output,
  { patience, every }: ProgressTimes = { patience: 400, every: 100 },
): ProgressLine {
  if (!output.errIsTerminal) return nothing
  const started = Date.now()
  let text = ''
  let frame = 0
  let visible = false
  let quietUntil = started + patience

  function draw(): void {
    if (text === '' || Date.now() < quietUntil) return
    frame = (frame + 1) % frames.length
    const seconds = Math.floor((Date.now() - started) / 1000)
    const line = cleanLine(`${frames[frame]} ${text} ${seconds} s`, Math.max(20, output.columns - 1))
    output.writeNote(`\r\u001b[2K${output.err.dim(line)}`)
    visible = true
  }

  function clear(): void {
    if (visible) output.writeNote('\r\u001b[2K')
    visible = false
    quietUntil = Date.now() + patience
  }

  const timer = setInterval(draw, every)
  timer.unref()
  return {
    show(given) {
      text = given
    },
    clear,
    stop() {
      clearInterval(timer)
      clear()
    },
  }
}
