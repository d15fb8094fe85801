import type { ChangeFeed } from './change-feed.ts'
import { holdInUse, type SessionUse } from './in-use.ts'

/** What a handle does with its session: streams and live queries use it, an idle handle does not. */
export interface HandleUse {
  /** @returns a function that ends this use */
  begin(): () => void
  /** Ends all uses. */
  drop(): void
}

/** @param name - name of the database; absent if the store belongs to this handle alone */
export function createHandleUse(feed: ChangeFeed, key: string, name: string | undefined): HandleUse {
  let use: SessionUse | undefined
  let count = 0
  function drop(): void {
    use?.end()
    use = undefined
    feed.ending.removeEventListener('abort', drop)
  }
  return {
    begin: () => {
      count++
      if (use === undefined && name !== undefined && !feed.ending.aborted) {
        use = holdInUse(name, key)
        feed.ending.addEventListener('abort', drop)
      }
      let isOver = false
      return () => {
        if (!isOver && --count === 0) drop()
        isOver = true
      }
    },
    drop,
  }
}
