import type { CoreBackend } from '../../../contract/backend.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { mainKeyOf } from '../../../domain/identity/main-key-of.ts'
import { checkKey } from '../writing/input.ts'
import type { SessionWriter } from '../writing/session-writer.ts'
import { hasLogOf } from './has-log-of.ts'

/** Finds the session that a key or alias names (L19). */
export interface KeyResolver {
  /** The key, if it is known without asking the backend. */
  readonly known: (text: string) => string | undefined
  /** Resolves one step: the owner's key is never resolved again, so that names can't form cycles. */
  readonly resolve: (text: string) => Promise<string>
  /** Aliases changed owners, here or in another tab. */
  readonly forget: () => void
}

/** How many names are cached. */
const namesKept = 1024

/**
 * PicoClaw replaces these characters by the same one in file names, and prefers an alias with one of them to a session
 * with that exact key.
 */
const separators = /[:/\\]/

/**
 * Finds the session that a text names. A session with that exact key wins, unless its history moved to another one, or
 * the text has a separator and another session owns it as an alias. Both are looked up at once.
 *
 * @param isFollowed - whether `forget` is called for what other stores on this database do; otherwise aliases are
 * looked up each time
 */
export function createKeyResolver(backend: CoreBackend, writer: SessionWriter, isFollowed: boolean): KeyResolver {
  /** A burst of calls to a session that is not cached looks it up once. */
  let running = new Map<string, Promise<string>>()
  let found = new Map<string, string>()

  const lookUp = async (text: string): Promise<string> => {
    const into = found
    const main = mainKeyOf(text)
    const [rows, holder] = await Promise.all([
      writer.rows(text),
      main === undefined ? backend.findAlias(goTrim(text)) : undefined,
    ])
    const owner = holder ?? (await ownerByLogs(text, rows?.hot.promotedTo))
    const isOwn =
      rows !== undefined && (owner === undefined || (!separators.test(text) && rows.hot.promotedTo === undefined))
    const key = isOwn ? text : (owner ?? main ?? text)
    if (isFollowed && (isOwn || key !== text)) {
      if (into.size >= namesKept) into.clear()
      into.set(text, key)
    }
    return key
  }

  /** The session that continues a log and has its name, although a crash prevented recording that. */
  const ownerByLogs = async (text: string, promotedTo: string | undefined): Promise<string | undefined> => {
    const owner = promotedTo === undefined ? undefined : await writer.rows(promotedTo)
    return owner && hasLogOf(owner, text) ? promotedTo : undefined
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
      // A new map makes running look-ups leave no outdated result.
      running = new Map()
      found = new Map()
    },
  }
}
