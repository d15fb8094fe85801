import type { Entry } from '../contract/entry.ts'
import type { MergeResult } from '../contract/store/log-exchange.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { ImportNode } from '../domain/import-node.ts'
import { importTreeInSteps } from '../domain/import-tree.ts'
import { type Breather, inBreaths } from '../pacing/breather.ts'
import { abortError } from './byte-source.ts'
import { chunkOutcome } from './chunk-outcome.ts'
import { findByMid } from './find-entry-by-mid.ts'
import { findImported } from './find-imported.ts'
import { mergeEntries } from './merge-entries.ts'
import { midOf } from './mid-of.ts'
import type { SkippedLines } from './skipped-lines.ts'
import { takeBack } from './take-back.ts'

/** The part of a store that is needed to store a session of a directory. */
export type TreeStore = Pick<
  SessionStore,
  'merge' | 'findByMid' | 'changes' | 'resolveSessionKey' | 'getMeta' | 'delete' | 'undelete' | 'purge' | 'usage'
>

/** An entry of a file as a node, with its place. */
export interface FileNode extends ImportNode {
  /** Line of the file, from 1. */
  readonly line: number
  /** UTF-8 bytes of the entry as JSON. */
  readonly bytes: number
}

/** A session that was read from a directory. */
export interface FileTree {
  /** `<system>:<id of the session>`: its key, and the seed of the writers' ids for its entries. */
  readonly source: string
  /** The session to store it in. Default: the one that `source` names. */
  readonly key?: string
  /** Path of the file. */
  readonly file: string
  readonly nodes: readonly FileNode[]
  /** Id of the node whose line is the current one; default: the last. */
  readonly leaf?: string
  /** Entries with the metadata of the session. */
  readonly metas: readonly Entry[]
  /**
   * Makes entries that refer to others (checkpoints) after those have their places: `placeOf` finds the entry of a
   * node. Runs in steps.
   */
  readonly about?: (placeOf: (id: string) => Entry | undefined) => Generator<void, readonly Entry[], undefined>
}

export interface StoreTreeOptions {
  readonly store: TreeStore
  readonly skipped: SkippedLines
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
}

export interface StoredTree {
  readonly key: string
  readonly added: number
  readonly known: number
}

/**
 * Stores the new entries of a session. Doing it again adds nothing, and a file that has grown adds what is new,
 * identically on every device. A session that was deleted is restored.
 *
 * @throws Aborted; a new session is removed again
 */
export async function storeTree(
  tree: FileTree,
  { store, skipped, breathe, signal }: StoreTreeOptions,
): Promise<StoredTree> {
  const { source, nodes, file } = tree
  const key = tree.key ?? (await store.resolveSessionKey(source))
  const before = await store.getMeta(key)
  if (signal?.aborted) throw abortError()
  // The entries of a deleted session can't be looked up, and would be imported twice.
  if (before?.deletedAt !== undefined) await store.undelete(key)
  const find = async (mids: readonly string[]): Promise<ReadonlyMap<string, Entry>> =>
    before === undefined ? new Map<string, Entry>() : findByMid(store, key, mids)
  let there = 0
  let added = 0
  let refused = 0
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const onChunk = (chunk: readonly Entry[], result: MergeResult): void => {
    there += result.added + result.known
    const outcome = chunkOutcome(chunk, result, byId)
    added += outcome.added
    for (const { node, reason } of outcome.refused) {
      skipped.add(node?.line ?? 0, reason, file)
      if (node !== undefined) refused += 1
    }
  }
  try {
    const known = new Map(await find([...byId.keys()]))
    // Another file of the session, of which no entry is stored, continues from the entries of earlier files.
    const { rows, end } =
      before === undefined || known.size > 0
        ? { rows: [], end: undefined }
        : await findImported(store, key, () => true, breathe)
    const above = rows.find((row) => midOf(row) === nodes[0]?.parentId) ?? end
    if (above !== undefined) known.set(midOf(above), above)
    const placed = nodes.map((node, i) => (i === 0 && above !== undefined ? { ...node, parentId: midOf(above) } : node))
    const entries = await inBreaths(importTreeInSteps(source, placed, known, tree.leaf), breathe)
    const fresh = new Map(entries.map((entry) => [midOf(entry), entry]))
    const said = [
      ...tree.metas,
      ...(tree.about === undefined
        ? []
        : await inBreaths(
            tree.about((id) => fresh.get(id) ?? known.get(id)),
            breathe,
          )),
    ]
    const knownSaid = await find(said.map(midOf))
    const isNew = (entry: Entry): boolean => !knownSaid.has(midOf(entry))
    const [first, last] = [
      said.filter((entry) => entry.type === 'meta' && isNew(entry)),
      said.filter((entry) => entry.type !== 'meta' && isNew(entry)),
    ]
    await mergeEntries(store, key, [...first, ...entries, ...last], {
      signal,
      bytesOf: (entry) => byId.get(midOf(entry))?.bytes ?? 0,
      onChunk,
    })
    return { key, added, known: byId.size - added - refused }
  } catch (error) {
    await takeBack(store, key, before, there)
    throw error
  }
}
