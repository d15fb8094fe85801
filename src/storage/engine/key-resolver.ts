import type { CoreBackend } from '../../contract/backend.ts'
import { checkKey } from './input.ts'
import type { SessionWriter } from './session-writer.ts'

/** Finds the session a text names: the one with this key, else the one that owns it as an alias, else none yet. */
export function createKeyResolver(backend: CoreBackend, writer: SessionWriter): (keyOrAlias: string) => Promise<string> {
  /** A burst of calls to a session that isn't at hand looks it up once. */
  const running = new Map<string, Promise<string>>()

  const lookUp = async (keyOrAlias: string): Promise<string> => {
    const [rows, owner] = await Promise.all([writer.rows(keyOrAlias), backend.findAlias(keyOrAlias)])
    return rows !== undefined ? keyOrAlias : (owner ?? keyOrAlias)
  }

  return async (keyOrAlias) => {
    checkKey(keyOrAlias)
    if (writer.knows(keyOrAlias)) return keyOrAlias
    let looking = running.get(keyOrAlias)
    if (looking === undefined) {
      looking = lookUp(keyOrAlias).finally(() => running.delete(keyOrAlias))
      running.set(keyOrAlias, looking)
    }
    return looking
  }
}
