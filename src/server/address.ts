/** Where to listen. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string }

/**
 * Reads `8080`, `:8080`, `host:8080`, `[::]:8080` or `unix:///run/agent.sock`. Without a host, all interfaces; port 0 is
 * any free port. Anything else is a `TypeError`.
 */
export function parseListen(text: string | number): ListenAddress {
  const given = String(text).trim()
  if (given.startsWith('unix://')) {
    const path = given.slice('unix://'.length)
    if (!path.startsWith('/'))
      throw new TypeError(`listen: ${given} must name an absolute path, like unix:///run/agent.sock`)
    return { kind: 'unix', path }
  }
  const match = /^(?:(?:\[([\da-f:.]+)\]|([^\s:/[\]]*)):)?(\d{1,5})$/i.exec(given)
  const port = Number(match?.[3])
  if (match === null || port > 65_535) {
    throw new TypeError(
      `listen: ${JSON.stringify(given)} is not an address; write host:port, :port, [::]:port or unix:///path`,
    )
  }
  const host = match[1] ?? match[2] ?? ''
  return { kind: 'tcp', host: host === '' || host === '*' ? '::' : host, port }
}

/** Whether a host stands for every interface, so that nobody can be sent there. */
export function isUnspecified(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  return bare === '0.0.0.0' || (/^[0:]+$/.test(bare) && bare.includes(':'))
}

/** Whether only this machine reaches a host. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return (
    bare === 'localhost' ||
    bare.endsWith('.localhost') ||
    bare === '::1' ||
    /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(bare)
  )
}

/** A host as it stands in a URL. */
export function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
