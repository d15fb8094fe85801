import type { StorageBackend } from '../contract/backend.ts'
import { SessionError } from '../contract/errors.ts'
import { clonePlain } from './clone-plain.ts'
import { damagedRow } from './damaged-row.ts'
import { draftBytes } from './draft-bytes.ts'
import { claimedTerm } from './leader-term.ts'
import { documentDrafts, documentEntriesByMid, readDocumentRange } from './read-document.ts'
import { type SessionDocument, setRecordAside } from './session-document.ts'
import { purgeRecords, withoutReported } from './unreported-purges.ts'
import { commitDocuments } from './web-storage/commit-documents.ts'
import { probeStorage } from './web-storage/probe-storage.ts'
import { createPurgesText } from './web-storage/purges-text.ts'
import { rowMethods } from './web-storage/row-methods.ts'
import { createRowTexts } from './web-storage/row-texts.ts'
import { createSessionTexts } from './web-storage/session-texts.ts'
import { createTermText } from './web-storage/term-text.ts'
import { writeTexts } from './web-storage/write-texts.ts'

/** How to open a Web Storage backend. */
export interface OpenWebStorageOptions {
  /** Prefix of every key it uses. */
  readonly name: string
  readonly storage: Storage
  /** Prevents tabs of an origin from writing at the same time, which browsers with several processes would allow. */
  readonly locks?: LockManager
}

/**
 * Keeps sessions in Web Storage, where nothing better is available: one document for each session, which each write
 * replaces. Blobs are refused, because one picture would fill the space that all sessions share.
 *
 * @throws StorageUnavailable when the storage stores nothing
 */
export async function openWebStorageBackend(options: OpenWebStorageOptions): Promise<StorageBackend> {
  const { name, storage, locks } = options
  const texts = createSessionTexts(storage, name)
  const leader = createTermText(storage, name)
  const purges = createPurgesText(storage, name)
  const rows = createRowTexts(storage, name)
  const stored = { texts, leader, purges, rows }
  probeStorage(storage, name)
  let isClosed = false

  async function call<T>(answer: () => T): Promise<T> {
    if (isClosed)
      throw new SessionError(
        'StorageClosed',
        `The Web Storage backend "${name}" was closed before this call. Open it again.`,
      )
    return clonePlain(answer())
  }

  /** Nothing is awaited between reading and writing. Within one process that is enough to keep other tabs out. */
  const change = <T>(act: () => T): Promise<T> => inTurn(locks, `${name}:web-storage`, () => call(act))

  const at = <T>(session: number, use: (document: SessionDocument) => T, otherwise: T): T => {
    const document = texts.find(session)
    return document === undefined || document === 'damaged' ? otherwise : use(document)
  }

  return {
    kind: 'web-storage',
    loadSession: (key) =>
      call(() => {
        const document = texts.load(key)
        if (document === undefined) return undefined
        if (document.cold === undefined) throw damagedRow(key, 'cold')
        return { hot: document.hot, cold: document.cold }
      }),
    listSessions: () => call(() => texts.all().map(({ hot }) => hot)),
    findAlias: (alias) => call(() => texts.owner(alias)),
    readRange: (read) =>
      call(() => {
        const document = texts.find(read.session)
        if (document === 'damaged') return { entries: [], more: false, unreadable: [''] }
        return document === undefined ? { entries: [], more: false, unreadable: [] } : readDocumentRange(document, read)
      }),
    findByMid: (session, mids) => call(() => at(session, (document) => documentEntriesByMid(document, mids), [])),
    findOperation: (session, id) => call(() => at(session, ({ operations }) => operations.get(id), undefined)),
    listDrafts: () =>
      call(() =>
        texts
          .all()
          .flatMap(documentDrafts)
          .map(({ row }) => row),
      ),
    loadDrafts: (session) => call(() => at(session, documentDrafts, [])),
    ...rowMethods(storage, rows, call, change),
    commit: (batch) => change(() => commitDocuments(stored, batch)),
    claimTerm: (claim) =>
      change(() => {
        const held = leader.load()
        const claimed = claim && claimedTerm(held, claim)
        if (claimed !== undefined) leader.save(claimed)
        return claimed ?? held
      }),
    ...withoutBlobs(call),
    setAside: (session, lane, record) =>
      change(() => {
        const found = texts.find(session)
        const document = found === undefined || found === 'damaged' ? undefined : texts.take(found.hot.key)
        if (document === undefined) return
        setRecordAside(document, lane, record)
        texts.save([document])
      }),
    listPurges: () =>
      change(() => {
        const unreported = purges.load()
        if (unreported === undefined) writeTexts(storage, [purges.textOf(new Map())])
        return purgeRecords(unreported ?? new Map())
      }),
    forgetPurges: (reported) =>
      change(() =>
        writeTexts(storage, [purges.textOf(reported && withoutReported(purges.load() ?? new Map(), reported))]),
      ),
    usage: () => call(() => ({ blobBytes: 0, draftBytes: draftBytes(texts.all().flatMap(documentDrafts)) })),
    close: async () => {
      isClosed = true
    },
  }
}

/** Does work under a lock; at once where there are no locks, or the page is not allowed to use them. */
async function inTurn<T>(locks: LockManager | undefined, lock: string, work: () => Promise<T>): Promise<T> {
  let hasBegun = false
  const begin = (): Promise<T> => {
    hasBegun = true
    return work()
  }
  try {
    return await (locks?.request(lock, begin) ?? begin())
  } catch (error) {
    if (hasBegun) throw error
    return work()
  }
}

/** The blob methods of a backend that keeps none. @param call - refuses once the backend is closed */
function withoutBlobs(
  call: <T>(answer: () => T) => Promise<T>,
): Pick<StorageBackend, 'putBlob' | 'getBlob' | 'blobReferences' | 'collectBlobs'> {
  return {
    putBlob: (hash) =>
      call(() => {
        throw new SessionError(
          'StorageUnavailable',
          `Web Storage has no room for blobs, "${hash}" was not stored. Use IndexedDB.`,
        )
      }),
    getBlob: () => call(() => undefined),
    blobReferences: () => call(() => undefined),
    collectBlobs: () => call(() => []),
  }
}
