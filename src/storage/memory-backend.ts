import type { StorageBackend } from '../contract/backend.ts'
import { SessionError } from '../contract/errors.ts'
import type { CommitOutcome, WriteBatch } from '../contract/write-batch.ts'
import { createBlobShelf } from './blob-shelf.ts'
import { cloneInput } from './clone-input.ts'
import { clonePlain } from './clone-plain.ts'
import { draftBytes } from './draft-bytes.ts'
import { claimedTerm, noTerm, refuseOtherTerm, termsOf } from './leader-term.ts'
import { createMemoryDocuments } from './memory-documents.ts'
import { createMemoryRows } from './memory-rows.ts'
import { documentDrafts, documentEntriesByMid, readDocumentRange } from './read-document.ts'
import { setRecordAside } from './session-document.ts'
import { purgeRecords, type UnreportedPurges, withErasures, withoutReported } from './unreported-purges.ts'

/**
 * Keeps everything in memory until it is closed. It is the reference for the other backends, and the last fallback of a
 * store.
 */
export function createMemoryBackend(): StorageBackend {
  const blobs = createBlobShelf()
  const documents = createMemoryDocuments(blobs)
  const { at, draftTexts } = documents
  const rows = createMemoryRows()
  let leader = noTerm
  let purges: UnreportedPurges | undefined
  let isClosed = false

  /** Copies the answer, because a caller may change what it got. */
  async function call<T>(answer: () => T): Promise<T> {
    if (isClosed)
      throw new SessionError('StorageClosed', 'The memory backend was closed before this call. Open another one.')
    return clonePlain(answer())
  }

  const commit = (batch: WriteBatch): CommitOutcome => {
    refuseOtherTerm(termsOf(batch), leader)
    const writing = batch.rows && rows.begin(cloneInput(batch.rows))
    const outcome = documents.commit(batch, (erased) => {
      purges &&= withErasures(purges, erased)
    })
    if (!outcome.stored || writing === undefined) return outcome
    writing.store()
    return { ...outcome, changed: writing.changed }
  }

  return {
    kind: 'memory',
    loadSession: (key) =>
      call(() => {
        const document = documents.byKey(key)
        return document?.cold === undefined ? undefined : { hot: document.hot, cold: document.cold }
      }),
    listSessions: () => call(() => documents.all().map(({ hot }) => hot)),
    findAlias: (alias) => call(() => documents.aliasOwner(alias)),
    readRange: (read) =>
      call(() =>
        at(read.session, (document) => readDocumentRange(document, read), { entries: [], more: false, unreadable: [] }),
      ),
    findByMid: (session, mids) => call(() => at(session, (document) => documentEntriesByMid(document, mids), [])),
    findOperation: (session, id) => call(() => at(session, ({ operations }) => operations.get(id), undefined)),
    listDrafts: () =>
      call(() =>
        documents
          .all()
          .flatMap(documentDrafts)
          .map(({ row }) => row),
      ),
    loadDrafts: (session) => call(() => at(session, documentDrafts, [])),
    getRows: (collection, keys) => call(() => keys.map((key) => rows.get(collection, key))),
    rangeRows: (read) => call(() => rows.range(read)),
    commit: (batch) => call(() => commit(batch)),
    claimTerm: (claim) => call(() => (leader = (claim && claimedTerm(leader, claim)) ?? leader)),
    // A Blob can't be changed, so it needs no copy.
    putBlob: (hash, blob, at) => call(() => blobs.put(hash, blob, at)),
    getBlob: async (hash) => {
      await call(() => undefined)
      return blobs.get(hash)
    },
    listPurges: () => call(() => purgeRecords((purges ??= new Map()))),
    forgetPurges: (reported) => call(() => void (purges = reported && withoutReported(purges ?? new Map(), reported))),
    setAside: (session, lane, record) =>
      call(() => at(session, (document) => setRecordAside(document, lane, record), undefined)),
    usage: () =>
      call(() => ({ blobBytes: blobs.bytes(), draftBytes: draftBytes(documents.all().flatMap(documentDrafts)) })),
    // Nothing damages what is in memory.
    setRowAside: () => call(() => false),
    listCollections: () => call(rows.usage),
    blobReferences: (session) => call(() => blobs.references(session)),
    collectBlobs: (before) => call(() => blobs.collect(before, draftTexts)),
    close: async () => {
      isClosed = true
    },
  }
}
