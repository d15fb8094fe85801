import { SessionError } from '../contract/errors.ts'
import { keyStanding } from './encryption/key-standing.ts'
import { type RotationReport, rotateKeys } from './encryption/rotate-keys.ts'
import { sealedDocumentId } from './encryption/sealed-document-id.ts'
import type { KeyChangeOptions } from './key-change-options.ts'
import { openRotationList } from './rotation-list.ts'
import { createRotationMoves } from './rotation-moves.ts'

/**
 * Runs `rotateKeys` over a transport on which nothing else is open. Blobs are also put under the new key. Under the old
 * key they stay on the server, because servers delete no blobs.
 *
 * @throws as `rotateKeys` does; WrongPassphrase when the old key does not belong to this namespace; AccessDenied
 */
export async function changeKeys(options: KeyChangeOptions): Promise<RotationReport> {
  const { store, here, onProgress, ...connected } = options
  const { transport, namespace, from, to, signal, term } = options
  const list = await openRotationList(connected)
  const { index } = list
  const moves = createRotationMoves({
    store,
    transport,
    namespace,
    from,
    to,
    signal,
    list,
    here,
    ...(term === undefined ? {} : { term }),
  })
  let hasList = false
  try {
    await list.arrived()
    hasList = true
    const { records, sealed } = index.marks()
    const standing = await keyStanding(records, [from, to])
    if (standing.state === 'wrongKey' || standing.state === 'replaced' || (standing.state === 'first' && sealed > 0)) {
      throw new SessionError(
        'WrongPassphrase',
        `The sessions of ${JSON.stringify(namespace)} are not under the key that is to be changed. Nothing was done. Pair this device with one that has the key in use.`,
      )
    }
    return await rotateKeys({
      from,
      to,
      signal,
      ...(onProgress === undefined ? {} : { onProgress }),
      steps: {
        ...moves,
        records: async () => index.marks().records,
        announce: async (record) => {
          await index.addRecord(record)
          await list.confirmed()
        },
        sessions: async () => {
          const isUnderOld = async (id: string, key: string): Promise<boolean> =>
            (await sealedDocumentId(key, from)) === id
          const found = await Promise.all(
            [...index.entries()].map(async ([id, { key }]) => ((await isUnderOld(id, key)) ? [key] : [])),
          )
          return found.flat()
        },
      },
    })
  } finally {
    // What was removed from the list has to be removed there as well. If that fails now, the next call finds it again.
    if (hasList && !signal.aborted) await list.confirmed().catch(() => undefined)
    moves.close()
    await list.close()
  }
}
