// What every server in the benchmark does for a message: `answer` is one artifact, `stream N` is an artifact in N chunks.

/** Twenty bytes, the size of a few tokens of a model. */
export function chunk(index) {
  return `chunk ${String(index % 1_000_000).padStart(6, '0')} words `.slice(0, 20)
}

/** Number of chunks that the text of a message asks for. */
export function chunksAsked(text) {
  return text.startsWith('stream ') ? Number(text.slice('stream '.length)) : 1
}
