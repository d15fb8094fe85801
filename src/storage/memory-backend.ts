import type { CommitOutcome, StorageBackend, WriteBatch } from '../contract/backend.ts'
import { SessionError } from '../contract/errors.ts'
import type { JsonValue } from '../contract/json.ts'
import { createBlobShelf } from './blob-shelf.ts'
import { cloneInput } from './clone-input.ts'
import { clonePlain } from './clone-plain.ts'
import { draftBytes } from './draft-bytes.ts'
import { claimedTerm, noTerm, refuseOtherTerm, termsOf } from './leader-term.ts'
import { staleSessions } from './planned-version.ts'
import { documentDrafts, documentEntriesByMid, readDocumentRange } from './read-document.ts'
import { purgeRecords, type UntoldPurges, withErasures, withoutTold } from './unreported-purges.ts'
import { applyWrite, createDocument, type SessionDocument, setRecordAside } from './session-document.ts'

/** Keeps everything in memory, until it is closed. The reference for the other backends, and the last fallback of a store. */
export function createMemoryBackend(): StorageBackend {
  const documents = new Map<string, SessionDocument>()
  const numbers = new Map<number, SessionDocument>()
  const aliases = new Map<string, string>()
  const blobs = createBlobShelf()
  let leader = noTerm
  let purges: UntoldPurges | undefined
  let isClosed = false

  /** Copies what goes in and out: a caller may change what it gave or got. */
  async function call<T>(answer: () => T): Promise<T> {
    if (isClosed) throw new SessionError('StorageClosed', 'The memory backend was closed before this call. Open another one.')
    return clonePlain(answer())
  }

  function commit(batch: WriteBatch): CommitOutcome {
    refuseOtherTerm(termsOf(batch), leader)
    const stale = staleSessions(batch, {
      hot: (key) => documents.get(key)?.hot,
      aliasOwner: (alias) => aliases.get(alias),
      hasNumber: (session) => numbers.has(session),
    })
    if (stale.length > 0) return { stored: false, stale }
    const { sessions, erase } = cloneInput(batch)
    purges &&= withErasures(purges, erase)
    for (const { key, session } of erase) forget(key, session)
    const collected = blobs.count(sessions, erase, draftTexts)
    for (const { hot, aliases: change } of sessions) for (const alias of change.drop) if (aliases.get(alias) === hot.key) aliases.delete(alias)
    for (const write of sessions) {
      const document = documents.get(write.hot.key) ?? createDocument(write.hot)
      documents.set(write.hot.key, document)
      numbers.set(write.hot.session, document)
      applyWrite(document, write)
      for (const alias of write.aliases.add) aliases.set(alias, write.hot.key)
    }
    return { stored: true, ...(collected.length === 0 ? {} : { collected }) }
  }

  function forget(key: string, session: number): void {
    if (documents.get(key)?.hot.session !== session) return
    documents.delete(key)
    numbers.delete(session)
    for (const [alias, owner] of aliases) if (owner === key) aliases.delete(alias)
  }

  const draftTexts = (): readonly JsonValue[] => [...documents.values()].flatMap(documentDrafts).flatMap(({ chunks }) => [chunks.map(({ chunk }) => chunk.text ?? '').join(''), chunks.map(({ chunk }) => chunk.reasoning ?? '').join(''), chunks as unknown as JsonValue])

  const at = <T>(session: number, use: (document: SessionDocument) => T, otherwise: T): T => {
    const document = numbers.get(session)
    return document === undefined ? otherwise : use(document)
  }

  return {
    kind: 'memory',
    loadSession: (key) =>
      call(() => {
        const document = documents.get(key)
        return document?.cold === undefined ? undefined : { hot: document.hot, cold: document.cold }
      }),
    listSessions: () => call(() => [...documents.values()].map(({ hot }) => hot)),
    findAlias: (alias) => call(() => aliases.get(alias)),
    readRange: (read) => call(() => at(read.session, (document) => readDocumentRange(document, read), { entries: [], more: false, unreadable: [] })),
    findByMid: (session, mids) => call(() => at(session, (document) => documentEntriesByMid(document, mids), [])),
    findOperation: (session, id) => call(() => at(session, ({ operations }) => operations.get(id), undefined)),
    listDrafts: () => call(() => [...documents.values()].flatMap(documentDrafts).map(({ row }) => row)),
    loadDrafts: (session) => call(() => at(session, documentDrafts, [])),
    commit: (batch) => call(() => commit(batch)),
    claimTerm: (claim) => call(() => (leader = (claim && claimedTerm(leader, claim)) ?? leader)),
    // A Blob can't be changed, so it needs no copy.
    putBlob: (hash, blob, at) => call(() => blobs.put(hash, blob, at)),
    getBlob: async (hash) => {
      await call(() => undefined)
      return blobs.get(hash)
    },
    listPurges: () => call(() => purgeRecords((purges ??= new Map()))),
    forgetPurges: (told) => call(() => void (purges = told && withoutTold(purges ?? new Map(), told))),
    setAside: (session, lane, record) => call(() => at(session, (document) => setRecordAside(document, lane, record), undefined)),
    usage: () =>
      call(() => ({
        blobBytes: blobs.bytes(),
        draftBytes: draftBytes([...documents.values()].flatMap(documentDrafts)),
      })),
    blobReferences: (session) => call(() => blobs.references(session)),
    collectBlobs: (before) => call(() => blobs.collect(before, draftTexts)),
    close: async () => {
      isClosed = true
    },
  }
}
