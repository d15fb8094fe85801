/** One device of a contender: a page in a browser of its own. */
export interface PageDevice {
  /** Stores so many messages. It is not connected yet. */
  say(count: number): Promise<void>
  /** Connects; resolves once so many messages are stored here for good. */
  exchange(count: number): Promise<void>
  /** What it shows, in its order. */
  texts(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface PageDeviceOptions {
  /** Of its database. */
  readonly name: string
  /** Of its server. */
  readonly url: string
}
