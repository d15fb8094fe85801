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

/** The part of a store that an import needs. */
export type ConversationStore = Pick<
  SessionStore,
  'merge' | 'findByMid' | 'changes' | 'resolveSessionKey' | 'getMeta' | 'delete' | 'purge' | 'usage'
>

export interface StoreConversationOptions {
  readonly store: ConversationStore
  /** Called for each part that was left out. */
  readonly skip: (reason: string, line?: number) => void
  /** Called for a session that was deleted here, and stays so. */
  readonly leaveDeleted: (key: string) => void
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
}

export interface StoredConversation {
  readonly key: string
  /** The number of new entries, and of entries that the session already has or has had. */
  readonly added: number
  readonly known: number
}

/**
 * Stores the new entries of a conversation in the session `<dialect>:<source id>`, with the source id as an alias.
 * Forks become branches, and the line of the current node becomes the head. It is deterministic: the same conversation
 * adds nothing again, one that has grown adds what is new, wherever it has grown, and devices that read the same source
 * write the same entries. Entries that were edited, removed or reclaimed here stay so. A session that was deleted stays
 * deleted and is reported, because importing an export of everything is no request to restore each session.
 *
 * @returns `undefined` when it was left out
 * @throws Aborted; a new session is removed again
 */
export async function storeConversation(
  conversation: Conversation,
  options: StoreConversationOptions,
): Promise<StoredConversation | undefined> {
  const { store, skip, leaveDeleted, breathe, signal } = options
  const source = toWellFormed(`${conversation.dialect}:${conversation.sourceId}`)
  const sound = await inBreaths(soundNodes(conversation, skip), breathe)
  if (sound.nodes.length === 0) {
    skip('it contains no message')
    return undefined
  }
  return oneAtATime(`keepsession:import:${source}`, signal, async () => {
    const key = await store.resolveSessionKey(source)
    const before = await store.getMeta(key)
    if (signal?.aborted) throw abortError()
    if (before?.deletedAt !== undefined) {
      leaveDeleted(key)
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
  // Entries of earlier imports that this source does not contain any more, such as a reply that was generated again.
  // They keep their places, so that their replacement forks there and does not follow them.
  const before = [...imported].some((hash) => !present.has(hash))
    ? await findImported(store, key, (mid) => imported.has(hashOfId(mid)) && !present.has(hashOfId(mid)), breathe)
    : undefined
  const gone = before?.rows ?? []
  for (const entry of gone) known.set(midOf(entry), entry)
  const isKnown = (id: string): boolean => known.has(id)
  const parents = new Map(knownParents(sound, isKnown))
  const loose = before?.end === undefined ? undefined : firstLoose(sound, parents, isKnown)
  // Another file of the session continues from the entries of earlier files.
  if (loose !== undefined) parents.set(loose, midOf(before!.end!))
  // Known nodes come first, because new nodes get their places after them.
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
  // Without a current node, `''` is passed, which is no node's id, so that the head stays where it is.
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
