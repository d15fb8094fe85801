import type { CommitOutcome, StorageBackend, WriteBatch } from '../contract/backend.ts'
import { SessionError } from '../contract/errors.ts'
import { cloneInput } from './clone-input.ts'
import { clonePlain } from './clone-plain.ts'
import { draftBytes } from './draft-bytes.ts'
import { staleSessions } from './planned-version.ts'
import { documentDrafts, documentEntriesByMid, readDocumentRange } from './read-document.ts'
import { damagedRow } from './damaged-row.ts'
import { claimedTerm, refuseOtherTerm, termsOf } from './leader-term.ts'
import { createPurgesText } from './web-storage/purges-text.ts'
import { createTermText } from './web-storage/term-text.ts'
import { purgeRecords, withErasures, withoutTold } from './unreported-purges.ts'
import { applyWrite, createDocument, type SessionDocument, setRecordAside } from './session-document.ts'
import { createSessionTexts } from './web-storage/session-texts.ts'
import { isQuotaError, toWebStorageError, writeTexts } from './web-storage/write-texts.ts'

/** How to open a Web Storage backend. */
export interface OpenWebStorageOptions {
  /** Prefix of every key it uses. */
  readonly name: string
  readonly storage: Storage
  /** Keeps the tabs of an origin from writing at the same time, which browsers with several processes otherwise allow. */
  readonly locks?: LockManager
}

/**
 * Keeps sessions in Web Storage, where nothing better is to be had: one document for each session, written whole. Blobs are refused,
 * because one picture would fill the place that all sessions share.
 *
 * @throws StorageUnavailable when the storage takes nothing
 */
export async function openWebStorageBackend(options: OpenWebStorageOptions): Promise<StorageBackend> {
  const { name, storage, locks } = options
  const texts = createSessionTexts(storage, name)
  const leader = createTermText(storage, name)
  const untold = createPurgesText(storage, name)
  probe(storage, name)
  let isClosed = false

  async function call<T>(answer: () => T): Promise<T> {
    if (isClosed) throw new SessionError('StorageClosed', `The Web Storage backend "${name}" was closed before this call. Open it again.`)
    return clonePlain(answer())
  }

  /** Nothing is awaited between looking and writing: within one process that alone keeps other tabs out. */
  const change = async <T>(act: () => T): Promise<T> => (locks === undefined ? call(act) : locks.request(`${name}:web-storage`, () => call(act)))

  function commit(batch: WriteBatch): CommitOutcome {
    const terms = termsOf(batch)
    if (terms.size > 0) refuseOtherTerm(terms, leader.load())
    const stale = staleSessions(batch, {
      hot: (key) => texts.load(key)?.hot,
      aliasOwner: texts.owner,
      hasNumber: (session) => texts.find(session) !== undefined,
    })
    if (stale.length > 0) return { stored: false, stale }
    const changed = cloneInput(batch.sessions).map((write) => {
      const document = texts.take(write.hot.key) ?? createDocument(write.hot)
      applyWrite(document, write)
      return document
    })
    const removed = batch.erase.filter(({ key, session }) => isToErase(key, session)).map(({ key }) => key)
    const owners = new Map<string, string | undefined>()
    for (const { hot, aliases } of batch.sessions) for (const alias of aliases.drop) if (texts.owner(alias) === hot.key) owners.set(alias, undefined)
    for (const { hot, aliases } of batch.sessions) for (const alias of aliases.add) owners.set(alias, hot.key)
    const purges = untold.load()
    texts.save(changed, removed, owners, purges === undefined || removed.length === 0 ? [] : [untold.textOf(withErasures(purges, batch.erase))])
    return { stored: true }
  }

  /** Also when nothing but its number can be read: purging is what is left to do. */
  function isToErase(key: string, session: number): boolean {
    const document = texts.find(session)
    return document === 'damaged' || document?.hot.key === key
  }

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
    listDrafts: () => call(() => texts.all().flatMap(documentDrafts).map(({ row }) => row)),
    loadDrafts: (session) => call(() => at(session, documentDrafts, [])),
    commit: (batch) => change(() => commit(batch)),
    claimTerm: (claim) =>
      change(() => {
        const stored = leader.load()
        const claimed = claim && claimedTerm(stored, claim)
        if (claimed !== undefined) leader.save(claimed)
        return claimed ?? stored
      }),
    putBlob: (hash) =>
      call(() => {
        throw new SessionError('StorageUnavailable', `Web Storage has no room for blobs, "${hash}" was not stored. Use IndexedDB.`)
      }),
    getBlob: () => call(() => undefined),
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
        const purges = untold.load()
        if (purges === undefined) writeTexts(storage, [untold.textOf(new Map())])
        return purgeRecords(purges ?? new Map())
      }),
    forgetPurges: (told) => change(() => writeTexts(storage, [untold.textOf(told && withoutTold(untold.load() ?? new Map(), told))])),
    blobReferences: () => call(() => undefined),
    collectBlobs: () => call(() => []),
    usage: () => call(() => ({ blobBytes: 0, draftBytes: draftBytes(texts.all().flatMap(documentDrafts)) })),
    close: async () => {
      isClosed = true
    },
  }
}

/** Some browsers offer a storage that takes nothing, or throw when it is touched. A full one with sessions in it can still be read. */
function probe(storage: Storage, name: string): void {
  try {
    storage.setItem(`${name}:probe`, '1')
    storage.removeItem(`${name}:probe`)
  } catch (error) {
    if (isQuotaError(error) && storage.length > 0) return
    throw new SessionError('StorageUnavailable', `Could not open Web Storage for "${name}": it takes nothing. Use another backend.`, { cause: toWebStorageError(error) })
  }
}
