import type { Entry, MetaTarget } from '../contract/entry.ts'
import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { MetaField } from '../contract/meta.ts'
import type { ColdRow } from '../contract/rows.ts'
import { orderEnd } from './order.ts'

/** The branches and checkpoints of which a `meta` entry writes the fields; `undefined`: those of the session itself. */
export function metaTargets(entry: Pick<Entry, 'data'>): readonly string[] | undefined {
  const { branch, checkpoint, branches, checkpoints } = (entry.data['target'] ?? {}) as MetaTarget
  if (branch !== undefined) return [`branch:${branch}`]
  if (checkpoint !== undefined) return [`checkpoint:${checkpoint}`]
  if (branches === undefined && checkpoints === undefined) return undefined
  return [...(branches ?? []).map((id) => `branch:${id}`), ...(checkpoints ?? []).map((id) => `checkpoint:${id}`)]
}

/** Applies a `meta` entry to the fields of branches and checkpoints. */
export function setTargets(
  fields: Record<string, ColdRow['targets'][string]>,
  targets: readonly string[],
  { order, data }: Entry,
): void {
  for (const target of targets) fields[target] = setFields(fields[target] ?? {}, order, data['set'] as JsonObject)
}

/** Last writer wins, field by field. */
export function setFields(
  fields: Readonly<Record<string, MetaField>>,
  clock: string,
  set: JsonObject,
): Readonly<Record<string, MetaField>> {
  const next: Record<string, MetaField> = { ...fields }
  for (const [field, value] of Object.entries(set)) {
    if (clock > (next[field]?.[0] ?? '')) next[field] = [clock, value as JsonValue]
  }
  return next
}

/** The fields without a summary that was set at this clock. It counts as unset right after that. */
export function unsetSummary(fields: ColdRow['fields'], clock: string): ColdRow['fields'] {
  return setFields(fields, clock + orderEnd, { summary: null })
}

/** The fields without the summary that a `purge` entry says was cleared. */
export function forgetSummary(
  fields: ColdRow['fields'],
  { order, data }: Pick<Entry, 'order' | 'data'>,
): ColdRow['fields'] {
  const clock = data['summary']
  // Nobody can clear what is still to be said. A shorter text would be later than every clock that begins with it.
  const isClock = typeof clock === 'string' && clock.length === order.length && clock < order
  return isClock ? unsetSummary(fields, clock) : fields
}

/** Fields that tell where a log goes on and by which names: what was said of that before is asked for, too. */
const lastingFields = ['aliases', 'promotedTo']

/**
 * Whether later entries have set all that a `meta` entry sets, so that it says nothing any more, however many others
 * come. An entry that sets nothing is kept for what else it has.
 */
export function isReplaced(
  { fields, targets }: Pick<ColdRow, 'fields' | 'targets'>,
  entry: Pick<Entry, 'order' | 'data'>,
): boolean {
  const names = Object.keys(entry.data['set'] as JsonObject)
  const set = metaTargets(entry)?.map((target) => targets[target] ?? {}) ?? [fields]
  return (
    names.length > 0 &&
    !names.some((name) => lastingFields.includes(name)) &&
    set.every((known) => names.every((name) => (known[name]?.[0] ?? '') > entry.order))
  )
}
