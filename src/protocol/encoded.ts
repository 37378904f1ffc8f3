/** A message held as JSON text, as a value, or both; each form is made from the other once, when it is first asked for. */
export interface Encoded<T> {
  /** Canonical ProtoJSON text. */
  readonly text: string
  readonly value: T
}

class Lazy<T> implements Encoded<T> {
  #text: string | undefined
  #value: T | undefined
  readonly id: number | undefined

  constructor(text: string | undefined, value: T | undefined, id: number | undefined) {
    this.#text = text
    this.#value = value
    this.id = id
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#value)
    return this.#text
  }

  get value(): T {
    if (this.#value === undefined) this.#value = JSON.parse(this.#text as string) as T
    return this.#value
  }
}

/** Wraps a canonical value; `id` is kept for stream frames. */
export function encodeValue<T>(value: T, id?: number): Encoded<T> & { readonly id?: number } {
  return new Lazy<T>(undefined, value, id) as Encoded<T> & { readonly id?: number }
}

/** Wraps canonical JSON text; `id` is kept for stream frames. */
export function encodeText<T>(text: string, id?: number): Encoded<T> & { readonly id?: number } {
  return new Lazy<T>(text, undefined, id) as Encoded<T> & { readonly id?: number }
}
