/** Where a library says what a person may want to know. Fields are plain data; message texts of users never belong in them. */
export interface Logger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

function ignore(): void {}

/** The logger of whoever gives none. */
export const silent: Logger = { info: ignore, warn: ignore, error: ignore }
