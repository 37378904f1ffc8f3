/** What one version says and the other has no place for. */
export interface Loss {
  readonly id: string
  readonly direction: '1.0 to 0.3' | '0.3 to 1.0'
  /** The form of 0.3: `json` over JSON-RPC, `proto` over HTTP+JSON and gRPC. */
  readonly form: 'json' | 'proto' | 'both'
  readonly what: string
  readonly outcome: string
}

/** Every loss; whoever converts names the row when it happens. */
export const losses: readonly Loss[] = [
  {
    id: 'tenant',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'the tenant of a request',
    outcome: 'left out',
  },
  {
    id: 'history-none',
    direction: '1.0 to 0.3',
    form: 'proto',
    what: '`historyLength: 0`, as 0 means no limit there',
    outcome: 'left out; our client drops the history of the answer',
  },
  {
    id: 'cancel-metadata',
    direction: '1.0 to 0.3',
    form: 'proto',
    what: 'the metadata of a cancel',
    outcome: 'left out',
  },
  {
    id: 'part-media-type',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'the media type of a text or of data',
    outcome: 'left out',
  },
  {
    id: 'part-filename',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'the file name of a text or of data',
    outcome: 'left out',
  },
  {
    id: 'part-data',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'data that is no object',
    outcome: 'wrapped as `{"value": …}`, with `data_part_compat` in the metadata; undone on the way back',
  },
  {
    id: 'reference-tasks',
    direction: '1.0 to 0.3',
    form: 'proto',
    what: '`referenceTaskIds` of a message',
    outcome: 'left out',
  },
  {
    id: 'list-page',
    direction: '1.0 to 0.3',
    form: 'proto',
    what: 'token and sizes of a page of tasks over HTTP+JSON, where it is a bare list',
    outcome: 'left out',
  },
  {
    id: 'list-filter',
    direction: '1.0 to 0.3',
    form: 'json',
    what: 'what a list of tasks of the drafts has no filter for: the time of a status, history, artifacts',
    outcome: 'left out; more tasks may be listed, and with what the peer gives of them',
  },
  {
    id: 'push-page',
    direction: '1.0 to 0.3',
    form: 'json',
    what: 'size and token of a page of push configurations, all of which are listed at once there',
    outcome: 'left out',
  },
  {
    id: 'get-metadata',
    direction: '0.3 to 1.0',
    form: 'json',
    what: 'the metadata of a request that reads, follows or deletes',
    outcome: 'left out',
  },
  {
    id: 'push-schemes',
    direction: '0.3 to 1.0',
    form: 'both',
    what: 'all but the first authentication scheme of a push configuration',
    outcome: 'left out; without any scheme, credentials are a Bearer token',
  },
  {
    id: 'card-signatures',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'the signatures of a card, which cover its form of 1.0',
    outcome: 'left out',
  },
  {
    id: 'card-tenant',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'the tenant of an interface',
    outcome: 'the interface is left out',
  },
  {
    id: 'card-device-code',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'the device code flow of a scheme',
    outcome: 'left out',
  },
  {
    id: 'card-pkce',
    direction: '1.0 to 0.3',
    form: 'both',
    what: 'that a flow requires PKCE',
    outcome: 'left out',
  },
  {
    id: 'card-old-signatures',
    direction: '0.3 to 1.0',
    form: 'both',
    what: 'the signatures of a card, for which 0.3 names no canonical form',
    outcome: 'left out',
  },
  {
    id: 'card-state-history',
    direction: '0.3 to 1.0',
    form: 'both',
    what: '`capabilities.stateTransitionHistory` of a card',
    outcome: 'left out',
  },
]
