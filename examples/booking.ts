// Asks before it acts: parlance serve examples/booking.ts, then examples/call.ts calls it.
import { type Agent, agent as define, inputRequired, working } from 'parlance/server'

export const agent: Agent = define({
  name: 'booking',
  description: 'Books a table.',
  version: '1.0.0',
  async *run(task) {
    const text = task.message.parts[0]?.text ?? ''
    if (task.history.length === 0) {
      yield inputRequired('For how many people?')
      return
    }
    if (!/^\d+$/.test(text)) {
      yield inputRequired('A number, please: for how many people?')
      return
    }
    yield working('looking for a table')
    yield `Booked for ${text}.`
  },
})
