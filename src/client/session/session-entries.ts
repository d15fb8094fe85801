import type { SessionStore } from '../../contract/store/session-store.ts'
import type { SessionEntries } from '../session-groups.ts'
import type { HandleWriter } from './handle-writer.ts'

/** Methods of a handle for single entries. */
export function createSessionEntries(store: SessionStore, key: string, writer: HandleWriter): SessionEntries {
  return {
    find: (target) => store.find(key, target),
    put: async (message, options) => {
      await writer.check(message)
      const result = await store.put(key, message, { onDeleted: writer.onDeleted(), ...options })
      await writer.written()
      return result
    },
    transact: async (changes, options) => {
      for (const change of changes) {
        if (change.type === 'append') await writer.checkEntries(change.entries)
        if (change.type === 'edit') await writer.check(change.content)
      }
      const result = await store.transact(key, changes, { onDeleted: writer.onDeleted(), ...options })
      await writer.written()
      return result
    },
    pop: (options) => store.pop(key, options),
    clear: (options) => store.clear(key, options),
  }
}
