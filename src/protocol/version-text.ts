/** `Major.Minor` of a version text, without the patch number, which plays no part (§3.6); undefined for any other text. */
export function majorMinor(text: string): string | undefined {
  return /^(\d+\.\d+)(?:\.\d+)?$/.exec(text)?.[1]
}
