import type { JsonValue } from '../contract/json.ts'
import type { CommitOutcome, SessionErasure, WriteBatch } from '../contract/write-batch.ts'
import type { BlobShelf } from './blob-shelf.ts'
import { cloneInput } from './clone-input.ts'
import { staleSessions } from './planned-version.ts'
import { documentDrafts } from './read-document.ts'
import { applyWrite, createDocument, type SessionDocument } from './session-document.ts'

/** The sessions of the memory backend, with the blobs that they name. */
export interface MemoryDocuments {
  all(): readonly SessionDocument[]
  byKey(key: string): SessionDocument | undefined
  aliasOwner(alias: string): string | undefined
  /** Uses the document of a local session number; `otherwise` when there is none. */
  at<T>(session: number, use: (document: SessionDocument) => T, otherwise: T): T
  /** The texts of all drafts, which may name blobs. */
  draftTexts(): readonly JsonValue[]
  /**
   * Applies a batch, or nothing of it.
   *
   * @param onErase - called before the sessions are erased
   */
  commit(batch: WriteBatch, onErase: (erased: readonly SessionErasure[]) => void): CommitOutcome
}

export function createMemoryDocuments(blobs: BlobShelf): MemoryDocuments {
  const documents = new Map<string, SessionDocument>()
  const numbers = new Map<number, SessionDocument>()
  const aliases = new Map<string, string>()

  function erase({ key, session }: SessionErasure): void {
    if (documents.get(key)?.hot.session !== session) return
    documents.delete(key)
    numbers.delete(session)
    for (const [alias, owner] of aliases) if (owner === key) aliases.delete(alias)
  }

  const draftTexts = (): readonly JsonValue[] =>
    [...documents.values()]
      .flatMap(documentDrafts)
      .flatMap(({ chunks }) => [
        chunks.map(({ chunk }) => chunk.text ?? '').join(''),
        chunks.map(({ chunk }) => chunk.reasoning ?? '').join(''),
        chunks as unknown as JsonValue,
      ])

  return {
    all: () => [...documents.values()],
    byKey: (key) => documents.get(key),
    aliasOwner: (alias) => aliases.get(alias),
    at: (session, use, otherwise) => {
      const document = numbers.get(session)
      return document === undefined ? otherwise : use(document)
    },
    draftTexts,
    commit: (batch, onErase) => {
      const stale = staleSessions(batch, {
        hot: (key) => documents.get(key)?.hot,
        aliasOwner: (alias) => aliases.get(alias),
        hasNumber: (session) => numbers.has(session),
      })
      if (stale.length > 0) return { stored: false, stale }
      const { sessions, erase: erased } = cloneInput(batch)
      onErase(erased)
      for (const one of erased) erase(one)
      const collected = blobs.count(sessions, erased, draftTexts)
      for (const { hot, aliases: change } of sessions)
        for (const alias of change.drop) if (aliases.get(alias) === hot.key) aliases.delete(alias)
      for (const write of sessions) {
        const document = documents.get(write.hot.key) ?? createDocument(write.hot)
        documents.set(write.hot.key, document)
        numbers.set(write.hot.session, document)
        applyWrite(document, write)
        for (const alias of write.aliases.add) aliases.set(alias, write.hot.key)
      }
      return { stored: true, ...(collected.length === 0 ? {} : { collected }) }
    },
  }
}
