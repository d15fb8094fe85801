export interface SyncServerOptions {
  /** 0 for any free port; 4466 when left out. */
  readonly port?: number
  /**
   * The address to listen on. `127.0.0.1` when left out, so that nobody else reaches a server that was started without
   * further settings.
   */
  readonly address?: string
  /** The folder of the documents and blobs, `./data` when left out. With a shared database nothing is stored here. */
  readonly data?: string
  /** One secret that allows everything. Drawn at random when neither it nor `tokens` nor `authorise` is given. */
  readonly secret?: string
  /** Several tokens with their rights. Of several entries of one token, the one counts that allows most. */
  readonly tokens?: readonly Token[]
  /** Decides instead of `secret` and `tokens`. */
  readonly authorise?: Authorise
  /** Where documents and blobs are stored instead of in a folder, shared by several nodes. */
  readonly database?: PostgresOptions | S3Options
  /**
   * `redis://…` or `rediss://…`, through which nodes with one database announce to each other at once what they stored.
   */
  readonly redis?: string
  readonly limits?: Partial<Limits>
  /** Called with messages for the operator; `console.log` when left out. */
  readonly say?: (message: string) => void
}

export interface SyncServer {
  /** The URL for providers: `ws://<address>:<port>`. */
  readonly url: string
  /** The same for HTTP: blobs, `/health`, `/metrics`. */
  readonly httpUrl: string
  readonly port: number
  /** The secret that clients give as their token; empty when `tokens` or `authorise` decide. */
  readonly secret: string
  /** Finishes what is being stored, closes all connections and stops listening. */
  close(): Promise<void>
}

export type Access = 'write' | 'read' | 'denied'

/**
 * Decides what a token allows with a document: `<namespace>/index`, `<namespace>/s/<sid>`, or
 * `<namespace>/blobs/<sha256>` for a blob. At the time `expires` (milliseconds since 1970), the connection is closed
 * with the reason `token-expired`, unless the client has sent a new token. To say nothing is to deny.
 */
export type Authorise = (token: string, documentName: string) => Decision | Promise<Decision>

export type Decision = Access | { readonly access: Access; readonly expires?: number }

export interface Token {
  readonly token: string
  /** The namespaces that it opens; `*` at the end matches any continuation. All when left out. */
  readonly namespaces?: readonly string[]
  /** `write` when left out. */
  readonly access?: 'write' | 'read'
  /** An ISO date and time. */
  readonly expires?: string
}

export interface PostgresOptions {
  readonly kind: 'postgres'
  /** `postgres://…` */
  readonly url: string
}

export interface S3Options {
  readonly kind: 's3'
  /** `https://s3.eu-central-1.amazonaws.com` or that of another service; buckets are addressed by path. */
  readonly endpoint: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** `us-east-1` when left out. */
  readonly region?: string
  /** The prefix of all keys; none when left out. */
  readonly prefix?: string
}

export interface Limits {
  /** Bytes of one message of a client. */
  readonly messageBytes: number
  /** Stored bytes of one document. */
  readonly documentBytes: number
  /** Documents that one connection has open. */
  readonly documents: number
  /** Messages of one connection, per second and at once. */
  readonly messagesPerSecond: number
  readonly messageBurst: number
  /** Bytes of one connection, per second and at once. */
  readonly bytesPerSecond: number
  readonly byteBurst: number
  /** Bytes of one blob. */
  readonly blobBytes: number
  /**
   * Milliseconds that a connection may take until it has sent the head of a request, and until a token of it was accepted.
   * `Infinity`: any time.
   */
  readonly authenticateMs: number
}
