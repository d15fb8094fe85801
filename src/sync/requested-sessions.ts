import { documentIdOf, laterLifeOf } from './document-id.ts'
import type { KeyScope } from './key-scope.ts'
import type { SyncTransport } from './link.ts'
import { commonLife, standingOf } from './session-standing.ts'

/** How many names are remembered while the list of the others has not arrived. */
const mostRequested = 1000

export interface RequestedSessionsOptions {
  readonly transport: Pick<SyncTransport, 'onAsked'>
  readonly namespace: string
  readonly our: () => Pick<KeyScope, 'locals' | 'index'>
  /** Whether anything may be sent yet. */
  readonly mayServe: () => boolean
  /** Whether it was purged here and the list does not say so yet. */
  readonly isUnreported: (key: string) => boolean
  /** Connects this session. */
  readonly serve: (key: string) => void
}

/**
 * Among peers, a document exists only where somebody has it open. So sessions that others ask for are opened here, if
 * they are known.
 */
export interface RequestedSessions {
  /** Serves those that were asked for before anything could be sent. */
  serve(): void
  close(): void
}

export function createRequestedSessions({
  transport,
  namespace,
  our,
  mayServe,
  isUnreported,
  serve,
}: RequestedSessionsOptions): RequestedSessions {
  const requested = new Set<string>()
  const prefix = `${namespace}/s/`

  const keyOf = (documentId: string): string | undefined => {
    const { locals, index } = our()
    const id = index.entries().has(documentId) ? documentId : (laterLifeOf(documentId) ?? documentId)
    const entry = index.entries().get(id)
    const local =
      entry === undefined ? [...locals.all.values()].find((one) => one.id === id) : locals.all.get(entry.key)
    if (local === undefined) return entry?.purged === undefined ? entry?.key : undefined
    const standing = standingOf(local, entry)
    // Nothing is sent of a session that is to be erased, or of a life other than the current one.
    const isServed =
      standing !== 'erase' && standing !== 'kept' && documentIdOf(id, commonLife(local, entry)) === documentId
    return isServed ? local.listing.key : undefined
  }
  const serveAll = (): void => {
    if (!mayServe()) return
    for (const id of requested) {
      const key = keyOf(id)
      // It is served once the list says what was purged of it.
      if (key !== undefined && isUnreported(key)) continue
      requested.delete(id)
      if (key !== undefined) serve(key)
    }
  }
  const stop = transport.onAsked?.((name) => {
    if (!name.startsWith(prefix)) return
    requested.add(name.slice(prefix.length))
    if (requested.size > mostRequested) requested.clear()
    serveAll()
  })
  return { serve: serveAll, close: () => stop?.() }
}
