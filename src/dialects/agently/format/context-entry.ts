import type { Clock, Entry, VersionVector } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { sealEntry } from '../../../domain/seal.ts'
import { agentlyNames } from './message-names.ts'

/** The content of a compaction: what a model gets instead of a part of a line. */
export interface ContextEntry {
  /** The seed of the writer's id. */
  readonly source: string
  readonly branch: string
  readonly clock: Clock
  /** Entries up to this order are hidden if {@link vv} covers them. */
  readonly order: string
  /** The entries that the compaction had seen. */
  readonly vv: VersionVector
  /** The messages that replace the hidden part. */
  readonly messages: readonly JsonObject[]
  readonly summary: string
}

/**
 * A compaction after which a model gets Agently's current history: these messages, followed by the end of the line.
 *
 * @throws TooLarge when one entry can't hold those messages
 */
export function contextEntry({ source, branch, clock, order, vv, messages, summary }: ContextEntry): Entry {
  const said = { order, vv, summary, ...(messages.length === 0 ? {} : { messages: [...messages] }) }
  normaliseJson(messages, { path: 'current_chat_history', maxBytes: 16 * 1024 * 1024 - 1024 * 1024 })
  const w = hash53(`${source} context ${canonicalJson({ said, clock: { ...clock } })}`)
  const mid = agentlyNames.midOf(`context-${w.toString(36)}`, 0)
  return sealEntry({ w, s: 0, branch, type: 'compaction', data: { ...said, mid }, at: 0, clock })
}

/** Whether a compaction was made by {@link contextEntry}. */
export const isContextEntry = ({ data }: Entry): boolean => agentlyNames.hashIn(data['mid']) === 'context'
