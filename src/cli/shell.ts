/** How this command is called from anywhere: by npm, which finds an installed copy before it fetches one. */
export const commandName = 'npx parlance'

/** One argument as a POSIX shell reads it back. */
export function quote(argument: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(argument) && !argument.startsWith('~')) return argument
  return `'${argument.replaceAll("'", "'\\''")}'`
}

/** A command line that can be copied to a shell. */
export function commandLine(...args: readonly string[]): string {
  return [commandName, ...args.map(quote)].join(' ')
}
