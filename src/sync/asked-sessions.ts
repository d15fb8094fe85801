import { commonLife, standingOf } from './session-standing.ts'
import { documentIdOf, laterLifeOf } from './document-id.ts'
import type { SyncTransport } from './link.ts'
import type { UnderKey } from './under-key.ts'

/** Names that are remembered while the list of the others has not come. */
const mostAsked = 1000

export interface AskedSessionsOptions {
  readonly transport: Pick<SyncTransport, 'onAsked'>
  readonly namespace: string
  readonly our: () => Pick<UnderKey, 'locals' | 'index'>
  /** Whether anything may be sent yet. */
  readonly mayServe: () => boolean
  /** This session is to be connected. */
  readonly serve: (key: string) => void
}

/** Among equals nobody has a document but who opens it: what others ask for is opened where it is known. */
export interface AskedSessions {
  /** Those that were asked for before anything could be sent. */
  serve(): void
  close(): void
}

export function createAskedSessions({ transport, namespace, our, mayServe, serve }: AskedSessionsOptions): AskedSessions {
  const asked = new Set<string>()
  const prefix = `${namespace}/s/`

  const keyOf = (documentId: string): string | undefined => {
    const { locals, index } = our()
    const id = index.entries().has(documentId) ? documentId : (laterLifeOf(documentId) ?? documentId)
    const entry = index.entries().get(id)
    const local = entry === undefined ? [...locals.all.values()].find((one) => one.id === id) : locals.all.get(entry.key)
    if (local === undefined) return entry?.purged === undefined ? entry?.key : undefined
    const standing = standingOf(local, entry)
    // Nothing is told of what is to be erased, or of another life than the one that all have now.
    const isServed = standing !== 'erase' && standing !== 'kept' && documentIdOf(id, commonLife(local, entry)) === documentId
    return isServed ? local.listing.key : undefined
  }
  const serveAll = (): void => {
    if (!mayServe()) return
    for (const id of asked) {
      asked.delete(id)
      const key = keyOf(id)
      if (key !== undefined) serve(key)
    }
  }
  const stop = transport.onAsked?.((name) => {
    if (!name.startsWith(prefix)) return
    asked.add(name.slice(prefix.length))
    if (asked.size > mostAsked) asked.clear()
    serveAll()
  })
  return { serve: serveAll, close: () => stop?.() }
}
