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

  const keyOf = (id: string): string | undefined => {
    const { locals, index } = our()
    const entry = index.entries().get(id)
    if (entry?.purged !== undefined) return undefined
    return entry?.key ?? [...locals.all.values()].find((local) => local.id === id)?.listing.key
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
