import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { writerKey } from '../../../domain/address.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { tick } from '../../../domain/clock.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { agentIdOf } from '../../../domain/identity/key-kind.ts'
import { sealEntry } from '../../../domain/seal.ts'
import type { KnownMessages } from '../../../formats/known-messages.ts'
import type { LineMessage, LineNodes } from '../../../formats/line-nodes.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import { timeOf } from '../../../formats/time.ts'
import type { PicoClawMeta } from './read-picoclaw-meta.ts'

/** A session that was read from a PicoClaw directory. */
export interface PicoClawSession {
  readonly key: string
  /** The file it was read from. */
  readonly file: string
  readonly messages: readonly LineMessage[]
  /** Absent when there is none, or it can't be read. */
  readonly meta?: PicoClawMeta
}

/**
 * Makes an entry from `.meta.json` without the aliases; `undefined` if there is none. `custom.picoclaw` keeps the
 * original text of the times.
 */
export function sessionMetaEntry(source: string, { key, meta }: PicoClawSession): Entry | undefined {
  if (meta === undefined) return undefined
  const { summary, scope, createdAt, updatedAt } = meta
  const agentId = agentIdOf(key, scope)
  const times = {
    ...(createdAt === undefined ? {} : { created_at: createdAt }),
    ...(updatedAt === undefined ? {} : { updated_at: updatedAt }),
  }
  const set = {
    summary,
    ...(scope === undefined ? {} : { scope: scope as unknown as JsonObject }),
    ...(agentId === undefined ? {} : { agentId }),
    custom: { picoclaw: times },
  }
  const at = timeOf(updatedAt) ?? 0
  return metaEntry(source, set, at, at)
}

/** Makes an entry from the aliases in `.meta.json`. It is separate because it is stored after all sessions. */
export function aliasEntry(source: string, { aliases, updatedAt }: PicoClawMeta): Entry | undefined {
  const at = timeOf(updatedAt) ?? 0
  return aliases.length === 0 ? undefined : metaEntry(source, { aliases: [...aliases] }, at, at)
}

/** Makes an entry with the time when the session was created, which may be before its first message. */
export function creationEntry(source: string, { meta }: PicoClawSession): Entry | undefined {
  const at = timeOf(meta?.createdAt) ?? 0
  return at === 0 ? undefined : metaEntry(source, {}, at, 0)
}

/**
 * Hides the messages that PicoClaw hides: the first `skip` lines, and imported messages from before the log's first
 * line, which PicoClaw's `Save` has removed from the log. It makes one `cut` at the last of them, so that everything
 * after it stays.
 *
 * @param entries - the new entries of the file
 */
export function cutEntry(
  source: string,
  { messages, meta }: PicoClawSession,
  { nodes, known }: LineNodes,
  there: KnownMessages,
  entries: readonly Entry[],
): Entry | undefined {
  const added = new Map(entries.map((entry) => [entry.data['mid'], entry]))
  const skipped = nodes.filter(({ line }) => line <= (meta?.skip ?? 0)).map(({ id }) => known.get(id) ?? added.get(id)!)
  const first = messages[0]?.line === 1 ? known.get(nodes[0]!.id) : undefined
  const gone = there.imported.slice(0, Math.max(0, first === undefined ? 0 : there.imported.indexOf(first)))
  const hidden = [...gone, ...skipped]
  // Messages that a summary replaces already must not be hidden again, because a cut would also remove them from the
  // user's view.
  if (!hidden.some((entry) => added.has(entry.data['mid']) || there.shown.has(entry.order))) return undefined
  const vv: Record<string, number> = {}
  for (const { w, s } of hidden) vv[writerKey(w)] = Math.max(vv[writerKey(w)] ?? 0, s + 1)
  const last = hidden.reduce((latest, entry) => (entry.order > latest.order ? entry : latest))
  const data = { order: last.order, vv }
  return sealEntry({
    w: hash53(`${source} cut ${canonicalJson(data)}`),
    s: 0,
    branch: '',
    type: 'cut',
    data,
    at: 0,
    clock: tick(last.clock, 0),
  })
}
