import type { EntryInput, EntryView } from '../../contract/entry.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { AppendOptions, AppendResult } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { entryId, parseEntryId } from '../../domain/address.ts'
import { mergeMarkType } from '../../domain/merge-mark-type.ts'
import { readEntries } from '../session/read-entries.ts'
import type { BranchMerge } from './branch-types.ts'

/** Number of entries that one transaction copies, after one entry that names their origin. */
const batchSize = 256
/** How often in a row somebody else may append while a batch is being stored. */
const patience = 8
const none: ReadonlyMap<string, string> = new Map()
const copied = new Set(['message', 'custom_message', 'branch_summary'])

export interface MergeBranchOptions {
  readonly store: SessionStore
  readonly key: string
  readonly from: string
  /** Default: the head. */
  readonly into: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Appends copies of stored entries. The app's schema is not applied, because the entries may be older than it. */
  appendStored(entries: readonly EntryInput[], options: AppendOptions): Promise<AppendResult>
}

/**
 * Copies entries that a line lacks from another line to its end, in batches of one transaction each. Every batch names
 * the entries that it copies, and is refused if the line has grown since it was read. So no tab copies anything twice,
 * and the next merge completes an interrupted one. Both lines are read, in pages, once unless somebody else appends
 * meanwhile.
 *
 * @throws Aborted when the signal fires; what was copied by then remains
 */
export async function mergeBranch(options: MergeBranchOptions): Promise<BranchMerge> {
  const { store, key, from, into, appendStored } = options
  const branch = into ?? (await store.read(key, { last: 1 })).branch
  let added = 0
  for (let refusals = 0; ; ) {
    const compared = await compareLines(options, branch)
    let parent = compared.tail
    const append = async (batch: readonly Lacking[]): Promise<void> => {
      const mark: EntryInput = {
        type: 'custom',
        data: { customType: mergeMarkType, data: { branch: from, entries: batch.map(({ origin }) => origin) } },
      }
      const { entries } = await appendStored([mark, ...batch.map(({ entry }) => copyOf(entry))], {
        branch,
        parent,
        onConflict: 'refuse',
      })
      parent = entries.reduce((last, { order }) => (order > last ? order : last), parent)
      added += batch.length
      refusals = 0
    }
    try {
      // As long as nobody else appends, the lines need not be read again.
      for await (const batch of lackingBatches(options, compared)) await append(batch)
      return { branch, added }
    } catch (error) {
      if (!isSessionError(error) || error.name !== 'ParentMoved' || ++refusals === patience) throw error
    }
  }
}

/** An entry that a line lacks, and the entry that it was first copied from, or its own id. */
interface Lacking {
  readonly entry: EntryView
  readonly origin: string
}

/** What has to be known of two lines before anything is copied from one to the other. */
interface Comparison {
  /** The order up to which they are the same: where they fork, as a rule. */
  readonly shared: string
  /** The end of the line that gets the copies. */
  readonly tail: string
  /** What it has behind the shared part, and the origins of all copies that it ever had. */
  readonly origins: ReadonlySet<string>
  /** The origins of the copies on the other line. */
  readonly copies: ReadonlyMap<string, string>
  /** The end of the other line: it may get copies itself meanwhile, whose origins are not known here. */
  readonly end: string
}

/** Reads both lines side by side, so that nothing of what they share has to be remembered. */
async function compareLines({ store, key, from, signal }: MergeBranchOptions, branch: string): Promise<Comparison> {
  const origins = new Set<string>()
  const copies = new Map<string, string>()
  const theirs = readEntries(store, key, signal, { branch: from, view: 'raw' })
  let [page, at]: [readonly EntryView[], number] = [[], 0]
  let end = ''
  const turnPage = async (): Promise<boolean> => {
    const { done, value } = await theirs.next()
    ;[page, at] = [done === true ? [] : value, 0]
    end = page.at(-1)?.order ?? end
    for (const entry of page) for (const [id, origin] of originsNamed(entry)) copies.set(id, origin)
    return done !== true
  }
  let [shared, tail, isSame] = ['', '', true]
  for await (const ours of readEntries(store, key, signal, { branch, view: 'raw' })) {
    for (const entry of ours) {
      // Copies that were removed since must not return with another merge.
      for (const origin of originsNamed(entry).values()) origins.add(origin)
      while (isSame && at === page.length) isSame = await turnPage()
      isSame &&= page[at++]?.id === entry.id
      if (isSame) shared = entry.order
      else origins.add(entry.id)
      tail = entry.order
    }
  }
  for (let isLeft = true; isLeft; ) isLeft = await turnPage()
  return { shared, tail, origins, copies, end }
}

/** What a line lacks of the other one, in the order of the other one's transcript, in batches. */
async function* lackingBatches(
  { store, key, from, signal }: MergeBranchOptions,
  { shared, origins, copies, end }: Comparison,
): AsyncGenerator<readonly Lacking[]> {
  const batch: Lacking[] = []
  for await (const page of readEntries(store, key, signal, { branch: from, after: shared })) {
    for (const entry of page) {
      const origin = copies.get(entry.id) ?? entry.id
      if (entry.order <= end && copied.has(entry.type) && !origins.has(origin)) batch.push({ entry, origin })
    }
    while (batch.length >= batchSize) yield batch.splice(0, batchSize)
    if ((page.at(-1)?.order ?? '') > end) break
  }
  if (batch.length > 0) yield batch
}

/**
 * For each copy that an entry stands in front of, the id of the entry that it was first copied from. The entries of one
 * transaction have consecutive numbers.
 */
function originsNamed({ id, type, data }: EntryView): ReadonlyMap<string, string> {
  if (type !== 'custom' || data?.['customType'] !== mergeMarkType) return none
  const { branch, entries } = (data['data'] ?? {}) as { readonly branch?: unknown; readonly entries?: unknown }
  const address = parseEntryId(id)
  const origins = new Map<string, string>()
  if (typeof branch !== 'string' || !Array.isArray(entries) || address === undefined) return origins
  for (const [i, origin] of entries.entries())
    if (typeof origin === 'string') origins.set(entryId(address.w, address.s + 1 + i), origin)
  return origins
}

function copyOf({ type, message, data = {}, mid, at }: EntryView): EntryInput {
  const input = { at, ...(mid === undefined ? {} : { mid }) }
  return message === undefined ? { ...input, type, data } : { ...input, type: 'message', message }
}
