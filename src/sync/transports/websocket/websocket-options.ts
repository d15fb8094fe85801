export interface WebsocketTransportOptions {
  /** `ws:` or `wss:`; the document's name is appended. */
  readonly url: string
  /** The query of the URL, such as a token. A function is called for each document that is opened. */
  readonly params?:
    | Readonly<Record<string, string>>
    | (() => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>)
  /** Needed where there is no global one, as in Node 20. */
  readonly WebSocket?: typeof WebSocket
}
