import type { SessionChange } from '../../contract/change.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { insertEntry, keepEntries, lengthenPage, readNewest, type TranscriptPage } from './transcript-page.ts'

/** The entries and the metadata of a transcript. */
export interface TranscriptLog {
  page(): TranscriptPage
  meta(): SessionMeta | undefined
  /** Reads all of it again. @returns what shows what was read */
  read(): Promise<() => void>
  /** Whether a change is already part of it. */
  includes(change: SessionChange): boolean
  /** @returns whether the change says enough to be applied; otherwise nothing happens */
  apply(change: SessionChange): boolean
  /** @returns what makes it this many entries longer; that returns false when it changed meanwhile */
  lengthen(count: number): Promise<() => boolean>
}

/** @param last - the least number of entries to show */
export function createTranscriptLog(store: SessionStore, key: string, last: number): TranscriptLog {
  let page: TranscriptPage = { entries: [], more: false, skipped: 0, branch: '', version: 0 }
  let meta: SessionMeta | undefined
  let size = last
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
    includes: ({ version, listing }) => version <= page.version && listing !== undefined,
    apply: ({ version, reload, entries: added, listing }) => {
      const isNext = version === page.version + 1 && !reload
      if (!isNext || added === undefined || listing === undefined || meta === undefined) return false
      const { more } = page
      const entries = added.reduce((all, entry) => insertEntry(all, entry, more), page.entries)
      page = { ...page, version, entries }
      size = Math.max(size, entries.length)
      meta = { ...meta, ...listing }
      return true
    },
    lengthen: async (count) => {
      const { version } = page
      size = page.entries.length + count
      const longer = await lengthenPage(store, key, page, size)
      return () => {
        if (page.version !== version) return false
        page = { ...longer, version }
        return true
      }
    },
  }
}
