/**
 * Streams can be picked up where they broke: SubscribeToTask with `Last-Event-ID: n` starts with the task as it stood at
 * event n, then sends every later event, also when the task has ended meanwhile.
 */
export const resumeExtension = 'urn:parlance:extension:resume:1'

/**
 * A send with `Idempotency-Key` can be repeated: the same key with the same body gives the first answer and starts nothing.
 */
export const idempotencyExtension = 'urn:parlance:extension:idempotency:1'

/** Name of the header or metadata entry that names the last event a reader saw. */
export const lastEventIdHeader = 'last-event-id'

/** Name of the header or metadata entry that makes a send repeatable. */
export const idempotencyKeyHeader = 'idempotency-key'
