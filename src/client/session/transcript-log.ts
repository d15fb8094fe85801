import type { DraftChange, SessionChange } from '../../contract/change.ts'
import { SessionError } from '../../contract/errors.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { insertEntry, keepEntries, lengthenPage, readNewest, type TranscriptPage } from './transcript-page.ts'

/** The entries and the metadata of a transcript. */
export interface TranscriptLog {
  page(): TranscriptPage
  meta(): SessionMeta | undefined
  /** Reads all of it again. @returns what shows what was read */
  read(): Promise<() => void>
  /** Whether a change is one of its session, also of the one that its key is an alias of (L19, L20). */
  isAbout(change: SessionChange | DraftChange): boolean
  /** Whether a change is already part of it. */
  includes(change: SessionChange): boolean
  /** @returns whether the change says enough to be applied; otherwise nothing happens */
  apply(change: SessionChange): boolean
  /**
   * @returns what makes it this many entries longer; that returns false when it changed meanwhile
   * @throws InvalidInput
   */
  lengthen(count: number): Promise<() => boolean>
}

/** @param last - the least number of entries to show */
export function createTranscriptLog(store: SessionStore, key: string, last: number): TranscriptLog {
  let page: TranscriptPage = { entries: [], more: false, skipped: 0, branch: '', version: 0, session: 0 }
  let meta: SessionMeta | undefined
  let size = last
  /** What other sessions may get as an alias, or give up. */
  const name = key.trim()
  /** The session that the history has moved to. */
  let movedTo: string | undefined
  return {
    page: () => page,
    meta: () => meta,
    read: async () => {
      const [next, newMeta] = await Promise.all([readNewest(store, key, size), store.getMeta(key)])
      return () => {
        page = { ...next, entries: keepEntries(page.entries, next.entries) }
        meta = newMeta
      }
    },
    isAbout: (change) => {
      const isNamed = change.type === 'session' && change.names?.includes(name) === true
      if (!isNamed && change.key !== key && change.key !== movedTo && change.key !== meta?.key) return false
      if (change.type === 'session') movedTo = change.listing?.promotedTo ?? movedTo
      return true
    },
    // A session that was begun anew counts its versions anew.
    includes: ({ session, version, listing }) =>
      session === page.session && version <= page.version && listing !== undefined,
    apply: ({ session, version, reload, entries: added, listing }) => {
      const isNext = session === page.session && version === page.version + 1 && !reload
      if (!isNext || added === undefined || listing === undefined || meta === undefined) return false
      const { more } = page
      const entries = added.reduce((all, entry) => insertEntry(all, entry, more), page.entries)
      page = { ...page, version, entries }
      size = Math.max(size, entries.length)
      meta = { ...meta, ...listing }
      return true
    },
    lengthen: async (count) => {
      if (!Number.isSafeInteger(count) || count < 1)
        throw new SessionError(
          'InvalidInput',
          `loadEarlier takes how many entries to add, a whole number from 1 up, got ${String(count)}. As a handler of events, pass () => loadEarlier().`,
        )
      const before = page
      const length = before.entries.length + count
      const longer = await lengthenPage(store, key, before, length)
      // What is read from now on is as long, also if this page is not taken because of a change.
      size = Math.max(size, length)
      return () => {
        if (page !== before || longer.session !== before.session) return false
        page = { ...longer, version: before.version }
        return true
      }
    },
  }
}
