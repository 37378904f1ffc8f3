/** The members of `T` without `undefined` among their values. */
export type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** A copy without the members that are undefined. */
export function defined<T extends object>(value: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<Defined<T>>
}
