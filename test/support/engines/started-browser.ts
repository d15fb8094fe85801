/** A browser that shows one page, with a profile of its own that is gone with it. */
export interface StartedBrowser {
  /** Settles when the browser is gone, whoever ended it. */
  readonly gone: Promise<void>
  end(): Promise<void>
}

/** Starts a browser on an address. */
export type StartBrowser = (url: string) => Promise<StartedBrowser>
