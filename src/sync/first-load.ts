/** The first look at what is here, under the keys that are in use. */
export interface FirstLoad {
  start(): Promise<void>
  /** Settles with the last one that was started. */
  done(): Promise<void>
}

export function createFirstLoad(load: () => Promise<void>): FirstLoad {
  let loading: Promise<void> = Promise.resolve()
  return { start: () => (loading = load()), done: () => loading }
}
