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

/**
 * Reads the whole context of a line, page by page, all of it on one compaction: where that changes meanwhile, it begins again.
 *
 * @param isExact - whether nothing may be missing that came between entries already read: then it also begins again when anything else
 * changed, until two readings agree on what they have in common
 * @throws Aborted
 */
export async function readWholeContext(store: SessionStore, key: string, options: { readonly branch?: string | undefined; readonly isExact: boolean; readonly signal?: AbortSignal | undefined }): Promise<WholeContext> {
  let before: readonly EntryView[] = []
  for (let tries = 0; ; tries++) {
    const { pages, isSteady } = await readPages(store, key, options, tries === restarts)
    const entries = pages.flatMap((page) => page.entries)
    const { hidden = { summary: '' }, branch } = pages.at(-1)!
    if (tries === restarts || (isSteady && (!options.isExact || pages.every(({ version }) => version === pages[0]!.version) || startsWith(entries, before)))) return { entries, hidden, branch }
    before = isSteady ? entries : []
  }
}

/** @param isLast - whether to read on when the compaction changed */
async function readPages(store: SessionStore, key: string, { branch, signal }: { readonly branch?: string | undefined; readonly signal?: AbortSignal | undefined }, isLast: boolean): Promise<{ readonly pages: readonly EntryPage[]; readonly isSteady: boolean }> {
  const pages: EntryPage[] = []
  for (let after = '', line = branch; ; ) {
    const page = await unlessAborted(store.read(key, { view: 'context', after, limit: pageSize, ...(line === undefined ? {} : { branch: line }) }), signal, 'Reading the context')
    const first = (pages[0] ?? page).hidden
    pages.push(page)
    const isSteady = isSameBasis(first ?? { summary: '' }, page.hidden ?? { summary: '' })
    const last = page.entries.at(-1)
    if (!page.more || last === undefined || !(isSteady || isLast)) return { pages, isSteady }
    after = last.order
    line = page.branch
  }
}

/** Whether what was read first is still there, whole, with nothing in between. An empty reading proves nothing. */
function startsWith(entries: readonly EntryView[], before: readonly EntryView[]): boolean {
  return before.length > 0 && before.length <= entries.length && before.every(({ id }, i) => id === entries[i]!.id)
}
