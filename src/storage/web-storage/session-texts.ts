import { SessionError } from '../../contract/errors.ts'
import type { SessionDocument } from '../session-document.ts'
import { createDocumentText, sessionNumberIn } from './document-text.ts'
import { type TextWrite, writeTexts } from './write-texts.ts'

/** The documents in a storage. Other tabs write them too, so that each look-up starts with the current text. */
export interface SessionTexts {
  /** @throws ChecksumMismatch when the document can't be read */
  load(key: string): SessionDocument | undefined
  /** The document for a caller that changes it. The caller saves it, or it is read again. */
  take(key: string): SessionDocument | undefined
  /** The document with this number; `damaged` when it exists but can't be read. */
  find(session: number): SessionDocument | 'damaged' | undefined
  /** Every document that can be read. */
  all(): SessionDocument[]
  /** The key of the session that owns an alias. */
  owner(alias: string): string | undefined
  /**
   * Stores changed documents, then removes others with the aliases they own, then sets or removes the owners of
   * aliases, then stores `more`; all or nothing.
   */
  save(
    changed: readonly SessionDocument[],
    removed?: readonly string[],
    owners?: ReadonlyMap<string, string | undefined>,
    more?: readonly TextWrite[],
  ): void
}

/**
 * @param name - prefix of the keys: `<name>:session:<session key>`, and `<name>:alias:<alias>` with the owner's key as
 *   text
 */
export function createSessionTexts(storage: Storage, name: string): SessionTexts {
  const format = createDocumentText()
  const prefix = `${name}:session:`
  const aliasPrefix = `${name}:alias:`
  const cache = new Map<string, { readonly text: string; readonly document: SessionDocument }>()
  /** Keys of all documents that were seen, by number. They find a document again after its head was damaged. */
  const keys = new Map<number, string>()

  function peek(key: string): SessionDocument | 'damaged' | undefined {
    const text = storage.getItem(prefix + key)
    if (text === null) return undefined
    const cached = cache.get(key)
    // Comparing megabytes takes microseconds, but parsing them takes much longer.
    if (cached?.text === text) return cached.document
    const document = format.parse(text)
    if (document === undefined || document.hot.key !== key) return 'damaged'
    cache.set(key, { text, document })
    keys.set(document.hot.session, key)
    return document
  }

  function storedKeys(start = prefix): string[] {
    const found: string[] = []
    for (let i = 0; i < storage.length; i++) {
      const key = storage.key(i)
      if (key?.startsWith(start)) found.push(key.slice(start.length))
    }
    return found
  }

  const owner = (alias: string): string | undefined => storage.getItem(aliasPrefix + alias) ?? undefined

  function load(key: string): SessionDocument | undefined {
    const document = peek(key)
    if (document !== 'damaged') return document
    throw new SessionError(
      'ChecksumMismatch',
      `The document of session "${key}" can't be read. It was left as it is; restore the session from an export, or purge it.`,
    )
  }

  return {
    load,
    take: (key) => {
      const document = load(key)
      cache.delete(key)
      return document
    },
    find: (session) => {
      const known = keys.get(session)
      const isThere = known !== undefined && storage.getItem(prefix + known) !== null
      const key = isThere
        ? known
        : storedKeys().find((one) => sessionNumberIn(storage.getItem(prefix + one) ?? '') === session)
      const document = key === undefined ? undefined : peek(key)
      return document === undefined || document === 'damaged' || document.hot.session === session ? document : undefined
    },
    all: () =>
      storedKeys()
        .map(peek)
        .filter((document) => document !== undefined && document !== 'damaged'),
    owner,
    save: (changed, removed = [], owners = new Map(), more = []) => {
      const writes: TextWrite[] = changed.map((document) => ({
        key: prefix + document.hot.key,
        text: format.format(document),
      }))
      const freed =
        removed.length === 0 ? [] : storedKeys(aliasPrefix).filter((alias) => removed.includes(owner(alias)!))
      writeTexts(storage, [
        ...writes,
        ...removed.map((key) => ({ key: prefix + key, text: undefined })),
        ...[...freed.map((alias) => [alias, undefined] as const), ...owners].map(([alias, key]) => ({
          key: aliasPrefix + alias,
          text: key,
        })),
        ...more,
      ])
      changed.forEach((document, i) => cache.set(document.hot.key, { text: writes[i]!.text!, document }))
      for (const document of changed) keys.set(document.hot.session, document.hot.key)
      for (const key of removed) cache.delete(key)
    },
  }
}
