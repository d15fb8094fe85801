import type { StorageBackend } from '../../contract/backend.ts'
import { checkKey } from './input.ts'
import type { SessionWriter } from './session-writer.ts'

/** Finds the session a text names: the one with this key, else the one that owns it as an alias, else none yet. */
export function createKeyResolver(backend: StorageBackend, writer: SessionWriter): (keyOrAlias: string) => Promise<string> {
  return async (keyOrAlias) => {
    checkKey(keyOrAlias)
    if (writer.knows(keyOrAlias)) return keyOrAlias
    const [rows, owner] = await Promise.all([writer.rows(keyOrAlias), backend.findAlias(keyOrAlias)])
    return rows !== undefined ? keyOrAlias : (owner ?? keyOrAlias)
  }
}
