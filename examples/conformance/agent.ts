// One agent for every conformance suite: parlance serve examples/conformance/agent.ts --profile tck-1.0
import { type Agent, completed, agent as define, type TaskContext, type Yielded } from 'parlance/server'
import { actsTable, unknownBehaviour } from './acts.ts'
import { firstText, rowOf } from './behaviour.ts'
import { clientParse } from './client-parse.ts'
import { instructionOf } from './instruction.ts'
import { follow } from './itk.ts'
import { oldTckTable, tckTable } from './tck.ts'

/** Which suite a message is from, and what that suite wants. */
function behaviourOf(task: TaskContext): AsyncIterable<Yielded> {
  const { messageId } = task.message
  const instruction = instructionOf(task.message)
  if (instruction !== undefined) return follow(instruction, task)
  const text = firstText(task.history[0] ?? task.message)
  if (text.startsWith('tck-client-parse')) return clientParse(task)
  const known = rowOf(tckTable, messageId) ?? rowOf(actsTable, text)
  if (known !== undefined) return known(task)
  if (text.startsWith('tck-')) return unknownBehaviour(text)
  if (messageId.startsWith('tck-')) return echo(task)
  return (rowOf(oldTckTable, messageId) as typeof echo)(task)
}

async function* echo({ message }: TaskContext): AsyncIterable<Yielded> {
  yield completed(`The TCK said: ${firstText(message)}`)
}

/** The agent, with all it can do or, as ACTS wants it for one of its passes, with what every agent can do. */
export function conformanceAgent({ reduced }: { readonly reduced: boolean }): Agent {
  return define({
    name: 'conformance',
    description: 'Does what the messages of the conformance suites ask for.',
    version: '1.0.0',
    skills: [
      {
        id: 'conformance',
        name: 'Conformance',
        description: 'Plays the part that a suite writes in its messages.',
        tags: ['conformance', 'tck', 'acts', 'itk'],
      },
    ],
    inputModes: ['text/plain', 'application/json', 'application/x-protobuf'],
    outputModes: ['text/plain', 'application/json'],
    streaming: !reduced,
    run: behaviourOf,
  })
}

export const agent: Agent = conformanceAgent({ reduced: process.env.ITK_ACTS_REDUCED_CAPABILITIES === '1' })
