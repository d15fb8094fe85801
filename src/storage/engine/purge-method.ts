import type { SessionStore } from '../../contract/store.ts'
import type { Engine } from './engine.ts'
import { checkTerm } from './term-method.ts'

/** Erases a session for good, after what is queued for it. */
export function createPurgeMethod({ backend, writer, list, names, resolveKey, onChange }: Engine): Pick<SessionStore, 'purge'> {
  return {
    purge: async (key, options) => {
      const fence = checkTerm(options)
      const canonical = await resolveKey(key)
      const rows = await writer.rows(canonical)
      if (rows === undefined) return
      await writer.alone(canonical, async () => {
        const stored = await backend.loadSession(canonical)
        if (stored !== undefined) await backend.commit({ sessions: [], erase: [{ key: canonical, session: stored.hot.session, ...fence }] }, 'strict')
      })
      names.forget()
      const version = rows.hot.version + 1
      list.set(canonical, version, undefined)
      onChange({ type: 'session', key: canonical, version, rows: [], reload: true })
    },
  }
}
