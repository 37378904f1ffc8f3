// Whether two processes ever worked on one task at once, told by what the runs themselves wrote down.

/**
 * How long after it wakes a process that was stopped may still take a step, milliseconds: it learns that its time is over by the first
 * timers that fire, and nothing of what it does until then is stored.
 */
const waking = 250

/** Once a run of a task has begun, no earlier run of it goes on. Tells the tasks of which runs were cut off, or may have been. */
export function checkRuns(steps, { troubles, violate }) {
  const current = new Map()
  const over = new Set()
  const begun = new Set()
  const places = new Map()
  const broken = new Set()
  for (const { task, run, node, pid, step, at } of steps) {
    const before = current.get(task)
    if (step === 'begin') {
      if (begun.has(run)) violate('run twice', task, run)
      begun.add(run)
      current.set(task, { run, done: false })
      if (before?.done === false || (before !== undefined && places.get(task) !== pid)) broken.add(task)
      places.set(task, pid)
      continue
    }
    if (step === 'end') {
      over.add(run)
      continue
    }
    if (before?.run === run && !over.has(run)) {
      if (step === 'done') before.done = true
      continue
    }
    if (over.has(run)) violate('went on after its end', task, `${run} at ${at}`)
    else if (!justWoke(troubles, { node, at }))
      violate('two runs at once', task, `${run} took a step at ${at}, after ${before?.run} had begun`)
  }
  return { runs: begun.size, broken }
}

/** A step may have taken its time just before its process was stopped, and be written down only when that woke. */
function justWoke(troubles, { node, at }) {
  return troubles.some((trouble) => trouble.node === node && at >= trouble.from - waking && at <= trouble.to + waking)
}
