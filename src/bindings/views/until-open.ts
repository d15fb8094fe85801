import type { SessionClient } from '../../client/client-contract.ts'
import { isSessionError } from '../../contract/errors.ts'

/**
 * Opens something. What could not be opened is tried again when the store says something: a live query does the same with
 * what it could not read. A request that is wrong stays wrong.
 *
 * @param open - returns what ends it
 * @returns what ends it, or the trying
 */
export function untilOpen<M extends object>(
  { subscribe }: Pick<SessionClient<M>, 'subscribe'>,
  open: () => Promise<() => unknown>,
  fail: (error: unknown) => void,
): () => unknown {
  let isOver = false
  let leave = (): void => undefined
  let opening: Promise<(() => unknown) | undefined>
  function attempt(): void {
    leave()
    opening = open().catch((error: unknown) => {
      fail(error)
      if (!isOver && !isSessionError(error, 'InvalidInput'))
        leave = subscribe(({ type }) => (type === 'session' || type === 'notice') && attempt())
      return undefined
    })
  }
  attempt()
  return async () => {
    isOver = true
    leave()
    await (await opening)?.()
  }
}
