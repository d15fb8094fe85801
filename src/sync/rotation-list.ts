import { encodeStateVector } from 'yjs'
import { SessionError } from '../contract/errors.ts'
import type { KeyChangeOptions } from './change-keys.ts'
import { sealedCodec } from './encryption/sealed-codec.ts'
import { hasAll } from './has-all.ts'
import { type IndexDocument, openIndexDocument } from './index-document.ts'
import { keepConnected } from './keep-connected.ts'
import type { LinkStatus } from './link.ts'
import { readStateVector } from './read-state-vector.ts'
import { waitUntil } from './wait-until.ts'

/** The list of sessions while the key is changed, read under both keys and written under the new one. */
export interface RotationList {
  readonly index: IndexDocument
  /** Resolves when the list of the other side has arrived. @throws AccessDenied, Aborted */
  arrived(): Promise<void>
  /** Resolves when the other side has what the list says here. @throws AccessDenied, Aborted */
  confirmed(): Promise<void>
  close(): Promise<void>
}

export async function openRotationList(options: Omit<KeyChangeOptions, 'store' | 'onProgress'>): Promise<RotationList> {
  const { transport, namespace, state, from, to, retry, now, signal } = options
  const listeners = new Set<() => void>()
  const changed = (): void => listeners.forEach((listener) => listener())
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  let link: LinkStatus = { state: 'connecting' }
  let hasList = false
  let theirs: ReadonlyMap<number, number> | undefined
  let answers = 0

  const obstacle = (): SessionError | undefined => {
    if (signal.aborted)
      return new SessionError('Aborted', 'The change of keys was stopped. Call it again for the rest.')
    if (link.state !== 'denied') return undefined
    return new SessionError('AccessDenied', `The other side refuses us: ${link.message}. Sign in again.`)
  }
  const until = (isMet: () => boolean): Promise<void> => waitUntil(isMet, { subscribe, obstacle, signal })

  const index = await openIndexDocument({
    name: `${namespace}/index`,
    codec: sealedCodec([to, from]).index,
    now,
    state,
    onChange: changed,
  })
  const connection = keepConnected(
    transport,
    {
      name: `${namespace}/index`,
      doc: index.doc,
      receive: async (update, origin) => {
        // Updates that are none of the list are reported by sync itself.
        await index.receive(update, origin).catch(() => undefined)
        hasList = true
        changed()
      },
      peerHas: (stateVector) => {
        theirs = readStateVector(stateVector)
        answers += 1
        changed()
      },
      status: (status) => {
        link = status
        if (status.state !== 'connected') theirs = undefined
        changed()
      },
    },
    retry,
  )
  const hasOurs = (): boolean => theirs !== undefined && hasAll(theirs, readStateVector(encodeStateVector(index.doc)))

  return {
    index,
    arrived: () => until(() => hasList),
    confirmed: async () => {
      // State vectors do not show deletions. Of two answers, the second one is to a question that was asked after they
      // were sent.
      for (let i = 0; i < 2; i++) {
        const before = answers
        connection.ask()
        await until(() => answers > before && theirs !== undefined)
      }
      if (hasOurs()) return
      connection.ask()
      await until(hasOurs)
    },
    close: () => connection.close(),
  }
}
