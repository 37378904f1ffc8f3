/** Header values by lower-case name; repeated lines are joined with a comma. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>

/** One HTTP request as the bindings see it, wherever it came from. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  /** Still percent-encoded, without the query. */
  readonly path: string
  /** What follows the `?`, still encoded; `''` when there is none. */
  readonly query: string
  readonly headers: HttpHeaders
  /** Whether the connection to this process is encrypted. */
  readonly secure: boolean
  readonly remoteAddress?: string
  /** The part of the path that the host program took off before it came here, such as `/agents/echo`. */
  readonly mount?: string
  /** Aborted when the caller goes away; made when first asked for. */
  readonly signal: AbortSignal
  /** The whole body. Rejects with PayloadTooLarge when it holds more than `limit` bytes; a string is known to be valid Unicode. */
  body(limit: number): Promise<string | Uint8Array>
}

/** One HTTP answer. The text of an iterable is ready to be written, piece by piece. */
export interface HttpResponse {
  readonly status: number
  /** Names in lower case, without `content-length`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | AsyncIterable<string>
  /** Nothing is served at this path, so a host program may pass the request on. */
  readonly unrouted?: true
}

/** Answers HTTP requests; never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>
