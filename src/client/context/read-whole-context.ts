import type { EntryView } from '../../contract/entry.ts'
import type { HiddenPart } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { type FoldOptions, foldContext } from './fold-context.ts'

/** The whole context of a line. */
export interface WholeContext {
  /** In reading order. */
  readonly entries: readonly EntryView[]
  readonly hidden: HiddenPart
  readonly branch: string
}

/**
 * Reads the whole context of a line as {@link foldContext} does, and holds all of it in memory.
 *
 * @throws Aborted
 */
export async function readWholeContext(store: SessionStore, key: string, options: FoldOptions): Promise<WholeContext> {
  const { fold, hidden, branch } = await foldContext(store, key, options, holdEntries)
  return { entries: fold.entries, hidden, branch }
}

function holdEntries(): { readonly entries: readonly EntryView[]; add(page: readonly EntryView[]): void } {
  const entries: EntryView[] = []
  return {
    entries,
    add: (page) => {
      for (const entry of page) entries.push(entry)
    },
  }
}
