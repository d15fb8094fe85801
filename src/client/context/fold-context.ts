import type { EntryView } from '../../contract/entry.ts'
import type { EntryPage, HiddenPart } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { addToFingerprint } from '../../domain/context-fingerprint.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'

const pageSize = 512
/** How often reading restarts because the session changed meanwhile. */
const restarts = 4
const nothing: HiddenPart = { summary: '' }

/** Processes a context page by page. */
export interface ContextFold {
  add(entries: readonly EntryView[]): void
}

/** The result of folding the context of a line. */
export interface FoldedContext<Fold> {
  readonly fold: Fold
  readonly hidden: HiddenPart
  readonly branch: string
}

export interface FoldOptions {
  /** Default: the head. */
  readonly branch?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whether two pages are based on the same compaction and summary. */
export function isSameBasis(a: HiddenPart, b: HiddenPart): boolean {
  return a.compaction === b.compaction && a.summary === b.summary
}

/**
 * Reads the whole context of a line, page by page, all based on one compaction and without gaps. If anything changes
 * meanwhile, it restarts, until two readings agree on what they have in common. Only what the fold keeps is held in
 * memory, and no page takes long.
 *
 * @param begin - creates the fold of a reading; receives what replaces the hidden part
 * @throws Aborted
 */
export async function foldContext<Fold extends ContextFold>(
  store: SessionStore,
  key: string,
  options: FoldOptions,
  begin: (hidden: HiddenPart) => Fold,
): Promise<FoldedContext<Fold>> {
  let before: Reading | undefined
  for (let tries = 0; ; tries++) {
    const reading = await readPages(store, key, options, { begin, before, isLast: tries === restarts })
    if (tries === restarts || (reading.isSteady && (reading.isOneVersion || reading.goesOn))) return reading
    before = reading.isSteady ? reading : undefined
  }
}

/** What is known after a reading. */
interface Reading {
  readonly entries: number
  /** Hash of the ids of all entries. */
  readonly ids: number
  /** Whether all pages are based on one compaction. */
  readonly isSteady: boolean
  readonly isOneVersion: boolean
  /**
   * Whether the result of the previous reading is completely included, with nothing in between. An empty one proves
   * nothing.
   */
  readonly goesOn: boolean
}

interface ReadingOptions<Fold> {
  readonly begin: (hidden: HiddenPart) => Fold
  readonly before: Reading | undefined
  /** Whether to continue when the compaction has changed. */
  readonly isLast: boolean
}

async function readPages<Fold extends ContextFold>(
  store: SessionStore,
  key: string,
  { branch: asked, signal }: FoldOptions,
  { begin, before, isLast }: ReadingOptions<Fold>,
): Promise<Reading & FoldedContext<Fold>> {
  let ids = 0
  let entries = 0
  let goesOn = false
  let first: { readonly page: EntryPage; readonly fold: Fold } | undefined
  let isOneVersion = true
  for (let after = ''; ; ) {
    // All pages are of one line, even if the head changes meanwhile.
    const branch = first?.page.branch ?? asked
    const page = await unlessAborted(
      store.read(key, { view: 'context', after, limit: pageSize, ...(branch === undefined ? {} : { branch }) }),
      signal,
      'Reading the context',
    )
    const hidden = page.hidden ?? nothing
    first ??= { page, fold: begin(hidden) }
    for (const { id } of page.entries) {
      ids = addToFingerprint(ids, { id })
      entries += 1
      if (entries === before?.entries) goesOn = ids === before.ids
    }
    first.fold.add(page.entries)
    isOneVersion &&= page.version === first.page.version
    const isSteady = isSameBasis(first.page.hidden ?? nothing, hidden)
    const last = page.entries.at(-1)
    if (!page.more || last === undefined || !(isSteady || isLast))
      return { fold: first.fold, hidden, branch: page.branch, entries, ids, isSteady, isOneVersion, goesOn }
    after = last.order
  }
}
