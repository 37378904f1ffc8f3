import assert from 'node:assert/strict'
import type { Store, TaskLog } from '../engine/store.ts'
import { type Cluster, type ClusterCase, claimed, losesHold } from './testing-cluster.ts'
import { historyOf, message, refuses, scope, status } from './testing-entries.ts'

const letter = { kind: 'message', text: '{"n":1}' } as const
const cancel = { kind: 'cancel', text: '{}' } as const
const soon = (): number => Date.now() + 1_000

/** A process that holds task `t`, whose log has one entry, and another one. */
async function holding(cluster: Cluster): Promise<{ holder: Store; log: TaskLog; sender: Store }> {
  const [holder, sender] = [await cluster.open(), await cluster.open()]
  const log = holder.create({ scope, id: 't', contextId: 'c' })
  await log.append([message(1, 'one')])
  return { holder, log, sender }
}

/** Leaves mail for the process that holds `t`, and tells its number. */
async function posted(sender: Store, mail: Parameters<Store['post']>[2] = letter): Promise<number> {
  const number = await sender.post(scope, 't', mail)
  assert.ok(number !== undefined, 'a living process holds the task')
  return number
}

/** What processes ask of the one that holds a task. */
export const mailCases: readonly ClusterCase[] = [
  {
    name: 'takes mail only for a task that another living process holds',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const ask = (store: Store, where = scope, id = 't') => store.post(where, id, letter)
      assert.equal(typeof (await ask(sender)), 'number')
      assert.equal(await ask(holder), undefined)
      assert.equal(await ask(sender, scope, 'unknown'), undefined)
      assert.equal(await ask(sender, { ...scope, owner: 'other' }), undefined)
      assert.equal(await ask(sender, { ...scope, tenant: 'other' }), undefined)
      await log.append([message(2, 'two')], { release: 'handOver' })
      assert.equal(await ask(sender), undefined)
      const next = await claimed(holder, 't')
      assert.equal(typeof (await ask(sender)), 'number')
      await next.log.append([], { release: true })
      assert.equal(await ask(sender), undefined)
      await claimed(holder, 't')
      await cluster.kill(holder)
      assert.equal(await ask(sender), undefined)
    },
  },
  {
    name: 'hands mail to the holder alone, oldest first, each once',
    run: async (cluster) => {
      const { holder, sender } = await holding(cluster)
      const third = await cluster.open()
      assert.deepEqual(await holder.mail(), [])
      const first = await posted(sender)
      const second = await posted(third, cancel)
      for (const store of [sender, third]) assert.deepEqual(await store.mail(), [])
      assert.deepEqual(await holder.mail(), [
        { ...letter, id: first, taskId: 't' },
        { ...cancel, id: second, taskId: 't' },
      ])
      assert.deepEqual(await holder.mail(), [])
      const later = await posted(sender)
      assert.deepEqual(await holder.mail(), [{ ...letter, id: later, taskId: 't' }])
    },
  },
  {
    name: 'tells a sender step by step what became of its mail',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const [mail, other] = [await posted(sender), await posted(sender)]
      assert.deepEqual(await sender.posted(mail), {})
      await holder.mail()
      assert.deepEqual(await sender.posted(mail), {})
      await log.append([message(2, 'two')], { accepted: [{ mail, seq: 2 }] })
      assert.deepEqual(await sender.posted(mail), { seq: 2 })
      await holder.settle([{ mail, startedAt: 1 }])
      assert.deepEqual(await sender.posted(mail), { seq: 2, startedAt: 1 })
      await holder.settle([
        { mail, outcome: '{"settled":3}' },
        { mail: other, seq: 7, outcome: '{"error":{}}' },
      ])
      assert.deepEqual(await sender.posted(mail), { seq: 2, startedAt: 1, outcome: '{"settled":3}' })
      assert.deepEqual(await holder.posted(other), { seq: 7, outcome: '{"error":{}}' })
      assert.equal(await sender.posted(other + 1000), undefined)
    },
  },
  {
    name: 'lets a sender take its mail back until the holder has it in hand',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const early = await posted(sender)
      assert.equal(await sender.withdraw(early), true)
      assert.equal(await sender.withdraw(early), false)
      assert.equal(await sender.posted(early), undefined)
      assert.deepEqual(await holder.mail(), [])
      const late = await posted(sender)
      await holder.mail()
      assert.equal(await sender.withdraw(late), false)
      await log.append([message(2, 'two')], { accepted: [{ mail: late, seq: 2 }] })
      assert.equal(await sender.withdraw(late), false)
      const settled = await posted(sender)
      await holder.mail()
      await holder.settle([{ mail: settled, outcome: '{}' }])
      await log.append([], { release: true })
      for (const mail of [late, settled]) assert.equal(await sender.withdraw(mail), false)
    },
  },
  {
    name: 'never lets mail be both taken back and handed out',
    run: async (cluster) => {
      const { holder, sender } = await holding(cluster)
      for (let round = 0; round < 10; round++) {
        const sent = await Promise.all(Array.from({ length: 6 }, () => posted(sender)))
        const early = holder.mail()
        const back = await Promise.all(sent.map((mail) => sender.withdraw(mail)))
        const handed = [...(await early), ...(await holder.mail())].map(({ id }) => id)
        const kept = sent.filter((_, index) => !back[index])
        assert.deepEqual(handed.sort(), kept.sort())
      }
    },
  },
  {
    name: 'takes mail in together with its entries, or not at all',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const mail = await posted(sender)
      await holder.mail()
      await refuses(log.append([message(3, 'gap')], { accepted: [{ mail, seq: 3 }] }))
      assert.deepEqual(await sender.posted(mail), {})
      const used = { key: 'k', digest: 'd' }
      await sender.remember(scope, 'k', { digest: 'other', text: '{}' })
      await refuses(log.append([message(2, 'two')], { accepted: [{ mail, seq: 2 }], idempotency: used }))
      assert.deepEqual(await sender.posted(mail), {})
      assert.deepEqual(await historyOf(sender, 't'), ['one'])
      await log.append([message(2, 'two')], { accepted: [{ mail, seq: 2 }] })
      assert.deepEqual(await sender.posted(mail), { seq: 2 })
    },
  },
  {
    name: 'hands unsettled mail out again under the next hold, with the entry that it became',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const next = await cluster.open()
      const sent = [await posted(sender), await posted(sender), await posted(sender), await posted(sender)]
      const [joined = 0, inHand = 0, lying = 0, settled = 0] = sent
      const taken = (await holder.mail()).map(({ id }) => id)
      assert.deepEqual(taken, sent)
      await log.append([message(2, 'two')], { accepted: [{ mail: joined, seq: 2 }] })
      await holder.settle([{ mail: settled, outcome: '{}' }])
      await cluster.kill(holder)
      for (const mail of [inHand, lying]) assert.deepEqual(await sender.posted(mail), {})
      assert.equal(await sender.withdraw(joined), false)
      assert.equal(await sender.withdraw(inHand), true)
      const { log: nextLog } = await claimed(next, 't')
      const later = await posted(sender)
      assert.deepEqual(await next.mail(), [
        { ...letter, id: joined, taskId: 't', seq: 2 },
        { ...letter, id: lying, taskId: 't' },
        { ...letter, id: later, taskId: 't' },
      ])
      assert.deepEqual(await next.mail(), [])
      assert.equal(await sender.withdraw(lying), false)
      await nextLog.append([message(3, 'three')], { accepted: [{ mail: lying, seq: 3 }], release: true })
      await claimed(next, 't')
      const ids = (await next.mail()).map(({ id, seq }) => [id, seq])
      assert.deepEqual(ids, [
        [joined, 2],
        [lying, 3],
        [later, undefined],
      ])
    },
  },
  {
    name: 'listens to nobody but the process that has the mail in hand',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const mail = await posted(sender)
      await holder.settle([{ mail, outcome: '{"early":1}' }])
      assert.deepEqual(await sender.posted(mail), {})
      await holder.mail()
      await sender.settle([{ mail, outcome: '{"forged":1}' }])
      assert.deepEqual(await sender.posted(mail), {})
      await log.append([message(2, 'two')], { accepted: [{ mail, seq: 2 }], release: true })
      await holder.settle([{ mail, outcome: '{"late":1}' }])
      assert.deepEqual(await sender.posted(mail), { seq: 2, outcome: '{"late":1}' })
      const { log: again } = await claimed(sender, 't')
      await again.append([], { release: true })
    },
  },
  {
    name: 'refuses entries that take in mail which was taken back, as their process counted as dead',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const mail = await posted(sender)
      await holder.mail()
      assert.equal(await sender.withdraw(mail), false)
      await cluster.silence(holder)
      assert.equal(await sender.withdraw(mail), true)
      await losesHold(log.append([message(2, 'twice')], { accepted: [{ mail, seq: 2 }] }))
      const taken = await claimed(sender, 't')
      await taken.log.append([message(2, 'once')], { release: true })
      assert.deepEqual(await historyOf(sender, 't'), ['one', 'once'])
    },
  },
  {
    name: 'drops settled mail, and keeps what a holder has yet to answer',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const [settled, open] = [await posted(sender), await posted(sender)]
      await holder.mail()
      await holder.settle([{ mail: settled, outcome: '{}' }])
      assert.equal(await sender.purge({ answers: 1 }), 0)
      assert.deepEqual(await sender.posted(settled), { outcome: '{}' })
      assert.equal(await sender.purge({ answers: soon() }), 1)
      assert.equal(await sender.posted(settled), undefined)
      assert.deepEqual(await sender.posted(open), {})
      await log.append([], { release: true })
      assert.equal(await holder.purge({ answers: soon() }), 1)
      assert.equal(await sender.posted(open), undefined)
    },
  },
  {
    name: 'drops mail with its task',
    run: async (cluster) => {
      const { holder, log, sender } = await holding(cluster)
      const mail = await posted(sender)
      await holder.mail()
      const entries = [message(2, 'two'), status(3, 'TASK_STATE_COMPLETED', { time: 5 })]
      await log.append(entries, { accepted: [{ mail, seq: 2 }], release: true })
      assert.ok((await sender.purge({ tasks: { agent: scope.agent, before: 1_000 } })) > 0)
      assert.equal(await sender.posted(mail), undefined)
    },
  },
]
