// Whether two processes ever worked on one task at once, told by what the runs themselves wrote down.

/**
 * How long after it wakes a process that was stopped may still take a step, milliseconds: it learns that its time is over by the first
 * timers that fire, and nothing of what it does until then is stored.
 */
const waking = 250

/** Once a run of a task has begun, no earlier run of it goes on. */
export function checkRuns(steps, { troubles, violate }) {
  const current = new Map()
  const over = new Set()
  const begun = new Set()
  const again = new Set()
  for (const { task, run, node, step, at } of steps) {
    const before = current.get(task)
    if (step === 'begin') {
      if (begun.has(run)) violate('run twice', task, run)
      begun.add(run)
      current.set(task, { run, node })
      if (before === undefined || over.has(before.run)) continue
      again.add(task)
      // Another process, or the same one after it lost its hold: the earlier run must be silent from here on.
      continue
    }
    if (step === 'end') {
      over.add(run)
      continue
    }
    if (before?.run === run && !over.has(run)) continue
    if (over.has(run)) violate('went on after its end', task, `${run} at ${at}`)
    else if (!justWoke(troubles, { node, at }))
      violate('two runs at once', task, `${run} took a step at ${at}, after ${before?.run} had begun`)
  }
  return { runs: begun.size, again }
}

function justWoke(troubles, { node, at }) {
  return troubles.some((trouble) => trouble.node === node && at >= trouble.from && at <= trouble.to + waking)
}
