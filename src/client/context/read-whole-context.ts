import type { EntryView } from '../../contract/entry.ts'
import type { EntryPage, HiddenPart, SessionStore } from '../../contract/store.ts'
import { unlessAborted } from '../unless-aborted.ts'

const pageSize = 512
/** Times that reading starts again because the session changed meanwhile. */
const restarts = 4

/** Everything a model could get of a line. */
export interface WholeContext {
  /** In reading order. */
  readonly entries: readonly EntryView[]
  readonly hidden: HiddenPart
  readonly branch: string
}

/** Whether two pages rest on one compaction and one summary. */
export function isSameBasis(a: HiddenPart, b: HiddenPart): boolean {
  return a.compaction === b.compaction && a.summary === b.summary
}

export interface WholeContextOptions {
  /** Default: the head. */
  readonly branch?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with each page as it comes, so that work on a long line is spread over its pages. */
  readonly onPage?: (entries: readonly EntryView[]) => void
}

/**
 * Reads the whole context of a line, page by page, all of it on one compaction, and without missing what came between entries that were
 * read already: where anything changes meanwhile, it begins again, until two readings agree on what they have in common.
 *
 * @throws Aborted
 */
export async function readWholeContext(store: SessionStore, key: string, options: WholeContextOptions): Promise<WholeContext> {
  let before: readonly EntryView[] = []
  for (let tries = 0; ; tries++) {
    const { entries, hidden, branch, isSteady, isOneVersion } = await readPages(store, key, options, tries === restarts)
    if (tries === restarts || (isSteady && (isOneVersion || startsWith(entries, before)))) return { entries, hidden, branch }
    before = isSteady ? entries : []
  }
}

interface ReadPages extends WholeContext {
  /** All pages rest on one compaction. */
  readonly isSteady: boolean
  readonly isOneVersion: boolean
}

/** @param isLast - whether to read on when the compaction changed */
async function readPages(store: SessionStore, key: string, { branch: asked, signal, onPage }: WholeContextOptions, isLast: boolean): Promise<ReadPages> {
  const entries: EntryView[] = []
  let first: EntryPage | undefined
  let isOneVersion = true
  for (let after = ''; ; ) {
    // Whoever changes to another line meanwhile, all pages are of one.
    const branch = first?.branch ?? asked
    const page = await unlessAborted(store.read(key, { view: 'context', after, limit: pageSize, ...(branch === undefined ? {} : { branch }) }), signal, 'Reading the context')
    first ??= page
    // Page by page, so that what is done with a long line is never one long piece of work.
    for (const entry of page.entries) entries.push(entry)
    onPage?.(page.entries)
    isOneVersion &&= page.version === first.version
    const hidden = page.hidden ?? { summary: '' }
    const isSteady = isSameBasis(first.hidden ?? { summary: '' }, hidden)
    const last = page.entries.at(-1)
    if (!page.more || last === undefined || !(isSteady || isLast)) return { entries, hidden, branch: page.branch, isSteady, isOneVersion }
    after = last.order
  }
}

/** Whether what was read first is still there, whole, with nothing in between. An empty reading proves nothing. */
function startsWith(entries: readonly EntryView[], before: readonly EntryView[]): boolean {
  return before.length > 0 && before.length <= entries.length && before.every(({ id }, i) => id === entries[i]!.id)
}
