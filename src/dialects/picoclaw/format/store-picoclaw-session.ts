import type { Entry } from '../../../contract/entry.ts'
import type { MergeResult } from '../../../contract/store/log-exchange.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { entryId } from '../../../domain/address.ts'
import { importTreeInSteps } from '../../../domain/import-tree.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { nothingKnown, readKnown } from '../../../formats/known-messages.ts'
import { lineNodes } from '../../../formats/line-nodes.ts'
import { mergeEntries } from '../../../formats/merge-entries.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import { takeBack } from '../../../formats/take-back.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { inBreaths } from '../../../pacing/breather.ts'
import type { PicoClawSession } from './picoclaw-entries.ts'
import { aliasEntry, creationEntry, cutEntry, sessionMetaEntry } from './picoclaw-entries.ts'
import { picoClawForm, picoClawNames } from './picoclaw-message.ts'
import type { PicoClawMeta } from './read-picoclaw-meta.ts'

/** The part of a store that an import needs. */
export type PicoClawStore = Pick<
  SessionStore,
  'merge' | 'changes' | 'read' | 'resolveSessionKey' | 'getMeta' | 'delete' | 'undelete' | 'purge' | 'usage'
>

export interface StoreSessionOptions {
  readonly store: PicoClawStore
  readonly skipped: SkippedLines
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
}

export interface StoredSession {
  readonly key: string
  readonly added: number
  readonly known: number
}

/**
 * Stores the new entries of a session under its own key. A session whose key is now another session's alias is left
 * out: PicoClaw can't reach it either.
 *
 * @throws Aborted; a new session is removed again
 */
export async function storeSession(
  session: PicoClawSession,
  { store, skipped, breathe, signal }: StoreSessionOptions,
): Promise<StoredSession | undefined> {
  const { key, file } = session
  const source = sourceOf(key)
  const owner = await store.resolveSessionKey(key)
  if (owner !== key) {
    skipped.add(0, `its key ${JSON.stringify(key)} is an alias of session ${JSON.stringify(owner)}`, file)
    return undefined
  }
  const before = await store.getMeta(key)
  if (signal?.aborted) throw abortError()
  // The entries of a deleted session can't be looked up, and would be imported twice.
  if (before?.deletedAt !== undefined) await store.undelete(key)
  let there = 0
  try {
    const known = before === undefined ? nothingKnown : await readKnown(store, key, picoClawForm, breathe)
    const line = await inBreaths(lineNodes(session.messages, known, picoClawNames), breathe)
    const entries = await inBreaths(importTreeInSteps(source, line.nodes, line.known), breathe)
    const nodes = new Map(line.nodes.map((node) => [node.id, node]))
    const all = [
      creationEntry(source, session),
      sessionMetaEntry(source, session),
      ...entries,
      cutEntry(source, session, line, known, entries),
    ]
    let added = 0
    await mergeEntries(
      store,
      key,
      all.filter((entry) => entry !== undefined),
      {
        signal,
        bytesOf: ({ data }) => nodes.get(data['mid'] as string)?.bytes ?? 0,
        onChunk: (chunk, result) => {
          there += result.added + result.known
          added += taken(chunk, result)
        },
      },
    )

    function taken(chunk: readonly Entry[], { refused }: MergeResult): number {
      const reasons = new Map(refused.map(({ id, reason }) => [id, reason]))
      let count = 0
      for (const { w, s, data } of chunk) {
        const node = nodes.get(data['mid'] as string)
        if (node === undefined) continue
        const reason = reasons.get(entryId(w, s))
        if (reason === undefined) count += 1
        else skipped.add(node.line, reason, file)
      }
      return count
    }
    return { key, added, known: line.nodes.filter(({ id }) => line.known.has(id)).length }
  } catch (error) {
    await takeBack(store, key, before, there)
    throw error
  }
}

/**
 * Stores the aliases of sessions. Sessions whose keys are aliases of other sessions come first, because their keys may
 * lead to those sessions afterwards. Changes that were made here since an earlier import stay.
 */
export async function storeAliases(
  sessions: ReadonlyMap<string, PicoClawMeta>,
  store: PicoClawStore,
  skip: (key: string, reason: string) => void,
): Promise<void> {
  const named = new Set([...sessions].flatMap(([key, { aliases }]) => aliases.filter((alias) => alias !== key)))
  const last = [...sessions].filter(([key]) => !named.has(key))
  for (const [key, meta] of [...[...sessions].filter(([key]) => named.has(key)), ...last]) {
    const entry = aliasEntry(sourceOf(key), meta)
    if (entry === undefined) continue
    const owner = await store.resolveSessionKey(key)
    if (owner === key) await store.merge(key, [entry])
    else skip(key, `its aliases were left out: ${JSON.stringify(key)} is an alias of session ${JSON.stringify(owner)}`)
  }
}

/** The seed of the writers' ids for a session's entries. */
const sourceOf = (key: string): string => `picoclaw:${key}`
