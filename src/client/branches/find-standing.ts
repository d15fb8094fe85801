import type { EntryRef, EntryView } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { isControl } from '../../domain/control.ts'

/** An entry and its position on a line. */
export interface Standing {
  /** The line that was meant: the head if that shows the entry, otherwise its own branch's, otherwise the newest such. */
  readonly line: string
  readonly entry: EntryView
  /** The entry before it on the line, even if it was removed. */
  readonly before: EntryView | undefined
}

/** Sorts right after an order and before everything later. */
const justAfter = (order: string): string => `${order}!`

/**
 * Finds an entry on a line that shows it, or on one that it belongs to if it was cut or removed everywhere. For a control
 * entry (pi's tree includes compactions) it finds the last entry before it.
 *
 * @throws InvalidInput when no line has it
 */
export async function findStanding(store: SessionStore, key: string, ref: EntryRef): Promise<Standing> {
  const { branch, order, isInside } = await placeOf(store, key, ref)
  const likely = (await store.listBranches(key)).toSorted((a, b) => rank(b) - rank(a) || b.createdAt - a.createdAt)
  function rank({ id, isHead }: BranchInfo): number {
    if (id === branch) return isInside ? 1 : 3
    return isHead ? 2 : 0
  }
  let holding: Standing | undefined
  for (const { id: line } of likely) {
    const { entries } = await store.read(key, { branch: line, view: 'raw', before: justAfter(order), limit: 2 })
    const entry = entries.at(-1)
    if (entry === undefined || (isInside && (entry.order !== order || entry.branch !== branch))) continue
    const standing = { line, entry, before: entries.at(-2) }
    if (!isInside || (await isShown(store, key, line, entry))) return standing
    holding ??= standing
  }
  if (holding !== undefined) return holding
  throw new SessionError(
    'InvalidInput',
    `Session "${key}" has no entry ${JSON.stringify(ref)} on any of its lines. Pass an entry that read() gave, or the id its host gave it as "mid".`,
  )
}

async function isShown(store: SessionStore, key: string, line: string, { id, order }: EntryView): Promise<boolean> {
  const { entries } = await store.read(key, { branch: line, before: justAfter(order), limit: 1 })
  return entries[0]?.id === id
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
