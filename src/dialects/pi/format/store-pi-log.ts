import type { Entry } from '../../../contract/entry.ts'
import type { ImportReport } from '../../../contract/job.ts'
import type { MergeResult } from '../../../contract/store/log-exchange.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { importTreeInSteps } from '../../../domain/import-tree.ts'
import { chunkOutcome } from '../../../formats/chunk-outcome.ts'
import { findByMid } from '../../../formats/find-entry-by-mid.ts'
import { mergeEntries } from '../../../formats/merge-entries.ts'
import { midOf } from '../../../formats/mid-of.ts'
import { registerAlias } from '../../../formats/register-alias.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { inBreaths } from '../../../pacing/breather.ts'
import { findKnown } from './find-known-pi.ts'
import { metaEntries } from './meta-entries.ts'
import type { PiLog } from './read-pi-log.ts'

export interface StoreLogOptions {
  readonly store: Pick<SessionStore, 'merge' | 'findByMid' | 'resolveSessionKey' | 'getMeta' | 'updateMeta'>
  /** The session to store it in. */
  readonly key: string
  readonly log: PiLog
  readonly skipped: SkippedLines
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
  /** Whether the session does not exist yet. */
  readonly isNew: boolean
  /** Called after each transaction. */
  readonly onMerged: (result: MergeResult) => void
}

/** Stores the new entries of a log that has been read. */
export async function storeLog({
  store,
  key,
  log,
  skipped,
  breathe,
  signal,
  isNew,
  onMerged,
}: StoreLogOptions): Promise<ImportReport> {
  const source = `pi:${log.header.id}`
  const { nodes, known } = isNew
    ? { nodes: log.nodes, known: new Map<string, Entry>() }
    : await findKnown(store, key, log.nodes)
  const metas = metaEntries(source, log)
  const knownMetas = isNew ? new Map<string, Entry>() : await findByMid(store, key, metas.map(midOf))
  const entries = await inBreaths(importTreeInSteps(source, nodes, known), breathe)
  const places = new Map(nodes.map((node) => [node.mid ?? node.id, node]))
  let added = 0
  let refusedCount = 0
  const onChunk = (chunk: readonly Entry[], result: MergeResult): void => {
    const outcome = chunkOutcome(chunk, result, places)
    added += outcome.added
    for (const { node, reason } of outcome.refused) {
      if (node === undefined) continue
      refusedCount += 1
      skipped.add(node.line, reason)
    }
    onMerged(result)
  }
  await mergeEntries(store, key, [...metas.filter((entry) => !knownMetas.has(midOf(entry))), ...entries], {
    signal,
    bytesOf: (entry) => places.get(midOf(entry))?.bytes ?? 0,
    onChunk,
  })
  await registerAlias(store, key, log.header.id)
  return { keys: [key], added, known: log.entries - added - refusedCount, ...skipped.report() }
}
