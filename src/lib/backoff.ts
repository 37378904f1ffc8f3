/** A delay in milliseconds drawn between nothing and a bound that doubles with each attempt ("full jitter"). */
export function jitter(attempt: number, { base, cap }: { readonly base: number; readonly cap: number }): number {
  return Math.random() * Math.min(cap, base * 2 ** Math.min(attempt, 30))
}

/** Waits; ends at once when the signal is aborted, which the caller then has to look at. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const finish = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    signal?.addEventListener('abort', finish)
  })
}
