import type { DraftChunk } from '../../contract/change.ts'
import type { JsonObject } from '../../contract/json.ts'
import { namedBlobs } from '../../domain/named-blobs.ts'
import { readValues } from './read-keyed-values.ts'
import type { KeyRanges } from './record-keys.ts'
import type { HeldRow, ReferenceRow } from './schema.ts'
import type { Steps, WriteSteps } from './transaction.ts'

/**
 * Erases those of these blobs that no entry and no draft names. The stores `references`, `blobs` and `drafts` belong to
 * the transaction, so that no commit can name one in the meantime.
 *
 * @param waits - `named`: only blobs that an entry has named since they were put; otherwise blobs that have waited
 *   since before this time
 */
export function collectUnnamed(
  steps: WriteSteps,
  ranges: KeyRanges,
  hashes: readonly string[],
  waits: 'named' | number,
  collected: Set<string>,
): void {
  const store = steps.store('references')
  readDraftBlobs(steps, (isInDrafts) => {
    for (const hash of hashes) {
      steps.read<(HeldRow | ReferenceRow)[]>(store.getAll(ranges.references(hash)), (rows) => {
        const [held] = rows
        if (held === undefined || rows.length > 1 || 'session' in held) return
        const { unnamedSince } = held as HeldRow
        if (waits === 'named' ? unnamedSince !== undefined : unnamedSince === undefined || unnamedSince >= waits) return
        if (isInDrafts(hash)) {
          // A blob that only an abandoned draft names must not stay for ever.
          if (unnamedSince === undefined) store.put({ unnamedSince: 0 } satisfies HeldRow, [hash])
          return
        }
        store.delete([hash])
        steps.store('blobs').delete(hash)
        collected.add(hash)
      })
    }
  })
}

/** Starts the waiting time of a blob that nothing names any more. */
export function letWait(steps: WriteSteps, ranges: KeyRanges, hash: string, at: number): void {
  const store = steps.store('references')
  steps.read<(HeldRow | ReferenceRow)[]>(store.getAll(ranges.references(hash)), (rows) => {
    const [held] = rows
    if (rows.length === 1 && held !== undefined && !('session' in held) && held.unnamedSince === undefined)
      store.put({ unnamedSince: at } satisfies HeldRow, [hash])
  })
}

/** Collects blobs that were put before a time and that no entry names. */
export function collectWaiting(steps: WriteSteps, ranges: KeyRanges, before: number, collected: Set<string>): void {
  const waiting = steps.store('references').index('unnamedSince')
  steps.read<IDBValidKey[]>(waiting.getAllKeys(ranges.before(before)), (keys) => {
    if (keys.length > 0)
      collectUnnamed(
        steps,
        ranges,
        (keys as [hash: string][]).map(([hash]) => hash),
        before,
        collected,
      )
  })
}

/**
 * Reads the blobs that drafts name, because drafts become entries. A draft that can't be read, or is sealed, may name
 * any blob.
 */
function readDraftBlobs(steps: Steps, use: (isNamed: (hash: string) => boolean) => void): void {
  readValues(steps, 'drafts', undefined, (values) => {
    const found = new Set<string>()
    let isUnknown = false
    const texts = new Map<string, string>()
    for (const { key, value } of values) {
      isUnknown ||= value === undefined
      if (typeof value !== 'object' || value === null) continue
      isUnknown ||= 'sealed' in value
      for (const hash of namedBlobs({ type: '', data: value as JsonObject })) found.add(hash)
      // A hash may be spread over several chunks.
      const [session, draft] = key as [number, string]
      const { text = '', reasoning = '' } = value as DraftChunk
      for (const [kind, piece] of [
        ['text', text],
        ['reasoning', reasoning],
      ] as const)
        texts.set(`${session} ${kind} ${draft}`, (texts.get(`${session} ${kind} ${draft}`) ?? '') + piece)
    }
    for (const text of texts.values()) for (const hash of namedBlobs({ type: '', data: { text } })) found.add(hash)
    use((hash) => isUnknown || found.has(hash))
  })
}
