import type { Entry } from '../../contract/entry.ts'
import type { MergeResult } from '../../contract/store/log-exchange.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { importTreeInSteps } from '../../domain/import-tree.ts'
import { toWellFormed } from '../../domain/to-well-formed.ts'
import type { Breather } from '../../pacing/breather.ts'
import { inBreaths } from '../../pacing/breather.ts'
import { abortError } from '../byte-source.ts'
import { chunkOutcome } from '../chunk-outcome.ts'
import { findByMid } from '../find-entry-by-mid.ts'
import { findImported } from '../find-imported.ts'
import { mergeEntries } from '../merge-entries.ts'
import { midOf } from '../mid-of.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { takeBack } from '../take-back.ts'
import type { Conversation } from './conversation.ts'
import { conversationMetaEntries } from './conversation-meta.ts'
import { hashOfId, importedIdsEntry, importedIdsMid, readImportedIds } from './imported-ids.ts'
import {
  firstLoose,
  knownParents,
  nearestKept,
  type SoundNode,
  type SoundNodes,
  soundNodes,
  withoutGaps,
} from './sound-nodes.ts'

/** What an import needs of a store. */
export type ConversationStore = Pick<
  SessionStore,
  'merge' | 'findByMid' | 'changes' | 'resolveSessionKey' | 'getMeta' | 'delete' | 'purge' | 'usage'
>

export interface StoreConversationOptions {
  readonly store: ConversationStore
  /** Takes notice of what was left out. */
  readonly skip: (reason: string, line?: number) => void
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
}

export interface StoredConversation {
  readonly key: string
  /** Entries that were new, and entries that were there already or have been. */
  readonly added: number
  readonly known: number
}

/**
 * Stores what is new of a conversation, in session `<dialect>:<source id>`, with the source id as alias. Forks become
 * branches, the line of the current node the head. Deterministic: the same again adds nothing, a conversation that grew
 * adds what is new, wherever it grew, and devices that read the same write the same entries. What was edited, removed
 * or reclaimed here stays so, and a session that was deleted stays deleted and is reported: an export of everything is
 * no wish to see each of them again.
 *
 * @returns `undefined` when it was left out
 * @throws Aborted; then a session that was not there before is gone again
 */
export async function storeConversation(
  conversation: Conversation,
  options: StoreConversationOptions,
): Promise<StoredConversation | undefined> {
  const { store, skip, breathe, signal } = options
  const source = toWellFormed(`${conversation.dialect}:${conversation.sourceId}`)
  const sound = await inBreaths(soundNodes(conversation, skip), breathe)
  if (sound.nodes.length === 0) {
    skip('it holds no message')
    return undefined
  }
  return oneAtATime(`keepsession:import:${source}`, signal, async () => {
    const key = await store.resolveSessionKey(source)
    const before = await store.getMeta(key)
    if (signal?.aborted) throw abortError()
    if (before?.deletedAt !== undefined) {
      skip(`session ${JSON.stringify(key)} was deleted here. Undelete it, then import again`)
      return undefined
    }
    let there = 0
    try {
      return await merge(conversation, sound, {
        ...options,
        source,
        key,
        isNew: before === undefined,
        onMerged: ({ added, known }) => void (there += added + known),
      })
    } catch (error) {
      await takeBack(store, key, before, there)
      throw error
    }
  })
}

interface MergeTask extends StoreConversationOptions {
  readonly source: string
  readonly key: string
  readonly isNew: boolean
  readonly onMerged: (result: MergeResult) => void
}

async function merge(
  conversation: Conversation,
  sound: SoundNodes,
  { store, skip, breathe, signal, source, key, isNew, onMerged }: MergeTask,
): Promise<StoredConversation> {
  const metas = conversationMetaEntries(source, conversation, skip)
  const asked = [...sound.nodes.map(({ id }) => id), ...metas.map(midOf), importedIdsMid]
  const known = isNew ? new Map<string, Entry>() : await findByMid(store, key, asked)
  const imported = readImportedIds(known.get(importedIdsMid))
  const stays = sound.nodes.filter(({ id }) => known.has(id) || !imported.has(hashOfId(id)))
  const present = new Set(sound.nodes.map(({ id }) => hashOfId(id)))
  // What an earlier import brought and this source has no more: a reply that was generated anew. It holds its place, so
  // that what came instead of it forks there, and does not stand behind it as if both had been said.
  const before = [...imported].some((hash) => !present.has(hash))
    ? await findImported(store, key, (mid) => imported.has(hashOfId(mid)) && !present.has(hashOfId(mid)), breathe)
    : undefined
  const gone = before?.rows ?? []
  for (const entry of gone) known.set(midOf(entry), entry)
  const isKnown = (id: string): boolean => known.has(id)
  const parents = new Map(knownParents(sound, isKnown))
  const loose = before?.end === undefined ? undefined : firstLoose(sound, parents, isKnown)
  // Another file of the session, which goes on from what the ones before brought.
  if (loose !== undefined) parents.set(loose, midOf(before!.end!))
  // What is known comes first: it was laid out before, and new nodes find their places behind it.
  const linked = withoutGaps(
    [...stays.filter(({ id }) => isKnown(id)), ...stays.filter(({ id }) => !isKnown(id))],
    parents,
  )
  const nodes = [
    ...gone.map(
      (entry): SoundNode => ({
        id: midOf(entry),
        parentId: null,
        type: entry.type,
        data: entry.data,
        at: entry.at,
        bytes: 0,
      }),
    ),
    ...linked,
  ]
  const byId = new Map(linked.map((node) => [node.id, node]))
  // An id that nobody has: the head stays where it is.
  const leaf = sound.current === undefined ? '' : (nearestKept(parents, (id) => byId.has(id))(sound.current) ?? '')
  const entries = await inBreaths(importTreeInSteps(source, nodes, known, leaf), breathe)
  const record =
    entries.length === 0
      ? []
      : [
          importedIdsEntry(
            source,
            sound.nodes.map(({ id }) => id),
            imported,
          ),
        ]
  let added = 0
  let refused = 0
  await mergeEntries(store, key, [...metas.filter((entry) => !known.has(midOf(entry))), ...record, ...entries], {
    signal,
    bytesOf: (entry) => byId.get(midOf(entry))?.bytes ?? 0,
    onChunk: (chunk, result) => {
      const outcome = chunkOutcome(chunk, result, byId)
      added += outcome.added
      for (const { node, reason } of outcome.refused) {
        if (node === undefined) continue
        refused += 1
        skip(`entry ${JSON.stringify(node.id)}: ${reason}`, node.line)
      }
      onMerged(result)
    },
  })
  return { key, added, known: sound.nodes.length - added - refused }
}
