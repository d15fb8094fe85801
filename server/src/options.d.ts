export interface SyncServerOptions {
  /** 0 for any free one; 4466 when left out. */
  readonly port?: number
  /** `127.0.0.1` when left out. */
  readonly address?: string
  /** The folder of the documents and blobs; `./data` when left out. */
  readonly data?: string
  /** One shared secret. Drawn at random when neither it nor `authorise` is given. */
  readonly secret?: string
}

export interface SyncServer {
  /** Where a provider connects to: `ws://…`. */
  readonly url: string
  readonly port: number
  /** The secret that clients give as their token. */
  readonly secret: string
  /** Stores, closes all connections and stops listening. */
  close(): Promise<void>
}
