import type { EntryInput, EntryView } from '../../contract/entry.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { AppendOptions, AppendResult, ReadOptions } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { entryId, parseEntryId } from '../../domain/address.ts'
import { mergeMarkType } from '../../domain/merge-mark-type.ts'
import { pushAll } from '../../domain/push-all.ts'
import { readEntries } from '../session/read-entries.ts'
import type { BranchMerge } from './branch-types.ts'

/** Number of entries that one transaction copies, after one entry that names their origin. */
const batchSize = 256
/** How often in a row somebody else may append while a batch is being stored. */
const patience = 8
const copied = new Set(['message', 'custom_message', 'branch_summary'])

export interface MergeBranchOptions {
  readonly store: SessionStore
  readonly key: string
  readonly from: string
  /** Default: the head. */
  readonly into: string | undefined
  /** Appends copies of stored entries. The app's schema is not applied, because the entries may be older than it. */
  appendStored(entries: readonly EntryInput[], options: AppendOptions): Promise<AppendResult>
}

/**
 * Copies entries that a line lacks from another line to its end, in batches of one transaction each. Every batch names
 * the entries that it copies, and is refused if the line has grown since it was read. So no tab copies anything twice,
 * and the next merge completes an interrupted one. Both lines are read completely: once, unless somebody else appends
 * meanwhile.
 */
export async function mergeBranch({ store, key, from, into, appendStored }: MergeBranchOptions): Promise<BranchMerge> {
  const branch = into ?? (await store.read(key, { last: 1 })).branch
  let added = 0
  for (let refusals = 0; ; ) {
    const { lacking, tail } = await compareLines(store, key, from, branch)
    let parent = tail
    try {
      // As long as nobody else appends, the lines need not be read again.
      for (let at = 0; at < lacking.length; at += batchSize) {
        const batch = lacking.slice(at, at + batchSize)
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
      return { branch, added }
    } catch (error) {
      if (!isSessionError(error) || error.name !== 'ParentMoved' || ++refusals === patience) throw error
    }
  }
}

/**
 * The entries that a line lacks from another one, each with the entry that it was first copied from, and the end of the
 * line.
 */
async function compareLines(
  store: SessionStore,
  key: string,
  from: string,
  branch: string,
): Promise<{
  readonly lacking: readonly { readonly entry: EntryView; readonly origin: string }[]
  readonly tail: string
}> {
  const theirs = originsOf(await readAll(store, key, { branch: from, view: 'raw' }))
  const shown = await readAll(store, key, { branch: from })
  const line = await readAll(store, key, { branch, view: 'raw' })
  const ours = new Set(originsOf(line).values())
  const lacking = shown
    .map((entry) => ({ entry, origin: theirs.get(entry.id) ?? entry.id }))
    .filter(({ entry, origin }) => copied.has(entry.type) && !ours.has(origin))
  return { lacking, tail: line.at(-1)?.order ?? '' }
}

async function readAll(
  store: SessionStore,
  key: string,
  options: Pick<ReadOptions, 'branch' | 'view'>,
): Promise<readonly EntryView[]> {
  const entries: EntryView[] = []
  for await (const page of readEntries(store, key, undefined, options)) pushAll(entries, page)
  return entries
}

/**
 * For each entry of a line, the id of the entry that it was first copied from, or its own id. The entries of one
 * transaction have consecutive numbers.
 */
function originsOf(line: readonly EntryView[]): ReadonlyMap<string, string> {
  const origins = new Map(line.map(({ id }) => [id, id]))
  for (const { id, type, data } of line) {
    const { branch, entries } = (type === 'custom' && data?.['customType'] === mergeMarkType ? data['data'] : {}) as {
      readonly branch?: unknown
      readonly entries?: unknown
    }
    const address = parseEntryId(id)
    if (typeof branch !== 'string' || !Array.isArray(entries) || address === undefined) continue
    // Copies that were removed since must not return with another merge.
    entries.forEach(
      (origin: unknown, i) =>
        void (typeof origin === 'string' && origins.set(entryId(address.w, address.s + 1 + i), origin)),
    )
  }
  return origins
}

function copyOf({ type, message, data = {}, mid, at }: EntryView): EntryInput {
  const input = { at, ...(mid === undefined ? {} : { mid }) }
  return message === undefined ? { ...input, type, data } : { ...input, type: 'message', message }
}
