import type { SessionClient } from '../../src/index.ts'

/** A burst of changes needs one look. */
const settleMs = 200

/**
 * Has something look again when the session it shows has changed.
 *
 * @returns calls off a look that is due, because one is taken now
 */
export function lookAgain(
  client: SessionClient,
  isShown: (key: string) => boolean,
  look: () => Promise<void>,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  client.subscribe((change) => {
    if (change.type !== 'session' || !isShown(change.key)) return
    clearTimeout(timer)
    timer = setTimeout(() => void look(), settleMs)
  })
  return () => clearTimeout(timer)
}
