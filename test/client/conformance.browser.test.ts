import { openSessionStore } from '../../src/client/open-session-store.ts'
import type { OpenOptions } from '../../src/client/types.ts'
import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import { sessionWorker } from './support/real-worker.ts'

/** A client on a database of its own. */
function underLaws(name: string, options: OpenOptions): void {
  sessionStoreConformance({
    name,
    durable: true,
    deviations: { abandonedDrafts: 'a page that closes its store ends the replies it was streaming' },
    open: async () => {
      const database = `laws-${crypto.randomUUID()}`
      const open = () => openSessionStore({ ...options, name: database, timeoutMs: 30_000 })
      return { store: await open(), reopen: open, openAnother: open }
    },
  })
}

underLaws('a client of a real worker', { modes: ['worker'], worker: sessionWorker() })
underLaws('a client in the page', { modes: ['in-page'] })
