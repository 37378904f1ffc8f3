import { type Agent, agent as define } from 'parlance/server'

export const agent: Agent = define({
  name: 'echo',
  description: 'Says again what it hears.',
  version: '1.0.0',
  async *run(task) {
    for (const part of task.message.parts) yield part
  },
})
