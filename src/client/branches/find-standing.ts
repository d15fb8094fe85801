import type { EntryRef, EntryView } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { isControl } from '../../domain/control.ts'

/** An entry and its position on a line. */
export interface Standing {
  /** A line that has the entry and can be written to: that of its own branch, unless that was deleted. */
  readonly line: string
  readonly entry: EntryView
  /** The entry before it on the line, even if it was removed. */
  readonly before: EntryView | undefined
}

/** Sorts right after an order and before everything later. */
const justAfter = (order: string): string => `${order}!`

/**
 * Finds an entry on a line. For a control entry (pi's tree includes compactions) it finds the last entry before it.
 *
 * @throws InvalidInput when no line has it
 */
export async function findStanding(store: SessionStore, key: string, ref: EntryRef): Promise<Standing> {
  const { branch, order, isInside } = await placeOf(store, key, ref)
  const lines = (await store.listBranches(key)).toSorted((a, b) => rank(b) - rank(a)).map(({ id }) => id)
  function rank({ id, isHead }: { readonly id: string; readonly isHead: boolean }): number {
    return id === branch ? 2 : isHead ? 1 : 0
  }
  for (const line of lines) {
    const { entries } = await store.read(key, { branch: line, view: 'raw', before: justAfter(order), limit: 2 })
    const entry = entries.at(-1)
    if (entry !== undefined && (!isInside || (entry.order === order && entry.branch === branch)))
      return { line, entry, before: entries.at(-2) }
  }
  throw new SessionError(
    'InvalidInput',
    `Session "${key}" has no entry ${JSON.stringify(ref)} on any of its lines. Pass an entry that read() gave, or the id its host gave it as "mid".`,
  )
}

async function placeOf(
  store: SessionStore,
  key: string,
  ref: EntryRef,
): Promise<{ readonly branch: string; readonly order: string; readonly isInside: boolean }> {
  const { branch, order, mid } = (ref ?? {}) as {
    readonly branch?: unknown
    readonly order?: unknown
    readonly mid?: unknown
  }
  if (typeof branch === 'string' && typeof order === 'string') return { branch, order, isInside: true }
  const [found] = typeof mid === 'string' ? await store.findByMid(key, [mid]) : []
  if (found === undefined)
    throw new SessionError(
      'InvalidInput',
      `Session "${key}" has no entry ${JSON.stringify(ref)}. Pass an entry that read() gave, or the id its host gave it as "mid".`,
    )
  return { branch: found.branch, order: found.order, isInside: !isControl(found.type) }
}
