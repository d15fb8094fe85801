import type { CoreBackend } from '../../../contract/backend.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { mainKeyOf } from '../../../domain/identity/main-key-of.ts'
import { checkKey } from '../writing/input.ts'
import { aliasesOf } from '../metadata/stored-meta.ts'
import type { SessionWriter } from '../writing/session-writer.ts'

/** Which session a text names (L19). */
export interface KeyResolver {
  /** The key, when it can be told without asking the backend. */
  readonly known: (text: string) => string | undefined
  /** One step: the owner's key is never resolved again, so that names can't go in circles. */
  readonly resolve: (text: string) => Promise<string>
  /** Aliases changed hands, here or in another tab. */
  readonly forget: () => void
}

/** Names whose keys are kept. */
const namesKept = 1024

/** PicoClaw makes these one in its file names, and lets an alias with one of them win over a session of that very key. */
const separators = /[:/\\]/

/**
 * Finds the session a text names. A session of that very key wins, unless its history moved to another one, or the text has a separator
 * and another session owns it as an alias. Both are looked up at once.
 *
 * @param isFollowed - whether `forget` is called for what other stores on this place do; otherwise aliases are looked up each time
 */
export function createKeyResolver(backend: CoreBackend, writer: SessionWriter, isFollowed: boolean): KeyResolver {
  /** A burst of calls to a session that isn't at hand looks it up once. */
  let running = new Map<string, Promise<string>>()
  let found = new Map<string, string>()

  const lookUp = async (text: string): Promise<string> => {
    const into = found
    const main = mainKeyOf(text)
    const [rows, holder] = await Promise.all([writer.rows(text), main === undefined ? backend.findAlias(goTrim(text)) : undefined])
    const owner = holder ?? (await ownerByLogs(text, rows?.hot.promotedTo))
    const isOwn = rows !== undefined && (owner === undefined || (!separators.test(text) && rows.hot.promotedTo === undefined))
    const key = isOwn ? text : (owner ?? main ?? text)
    if (isFollowed && (isOwn || key !== text)) {
      if (into.size >= namesKept) into.clear()
      into.set(text, key)
    }
    return key
  }

  /** The session that a log went on in and that has its name, though nobody has noted it: a crash came between. */
  const ownerByLogs = async (text: string, promotedTo: string | undefined): Promise<string | undefined> => {
    const owner = promotedTo === undefined ? undefined : await writer.rows(promotedTo)
    return owner && !owner.hot.promotedTo && aliasesOf(owner.cold).includes(text) ? promotedTo : undefined
  }

  const known = (text: string): string | undefined => {
    const rows = !isFollowed || separators.test(text) ? undefined : writer.peek(text)
    return rows !== undefined && rows.hot.promotedTo === undefined ? text : found.get(text)
  }

  return {
    known,
    resolve: async (text) => {
      checkKey(text)
      const key = known(text)
      if (key !== undefined) return key
      const lookUps = running
      let looking = lookUps.get(text)
      if (looking === undefined) {
        looking = lookUp(text).finally(() => lookUps.delete(text))
        lookUps.set(text, looking)
      }
      return looking
    },
    forget: () => {
      // New ones, so that what is being looked up leaves nothing of before.
      running = new Map()
      found = new Map()
    },
  }
}
