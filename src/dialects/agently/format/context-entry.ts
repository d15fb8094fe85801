import type { Clock, Entry, VersionVector } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { sealEntry } from '../../../domain/seal.ts'
import { agentlyNames } from './message-names.ts'

/** What a model gets instead of part of a line. */
export interface ContextEntry {
  /** What the writer is drawn from. */
  readonly source: string
  readonly branch: string
  readonly clock: Clock
  /** Everything up to this order is hidden, … */
  readonly order: string
  /** … as far as it is in here. */
  readonly vv: VersionVector
  /** What stands in its place. */
  readonly messages: readonly JsonObject[]
  readonly summary: string
}

/**
 * A compaction that makes a model get Agently's current history: messages in front, and the end of the line.
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

/** Whether a compaction came from {@link contextEntry}. */
export const isContextEntry = ({ data }: Entry): boolean => agentlyNames.hashIn(data['mid']) === 'context'
