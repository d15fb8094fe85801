import type { Entry } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { foldEntries } from '../domain/fold.ts'
import { importedMid, importsEnd } from '../domain/imported-mid.ts'
import { lineOf, segmentOf } from '../domain/line.ts'
import type { Breather } from '../pacing/breather.ts'
import { isObject } from './is-plain-object.ts'

export interface ImportedRows {
  /** Sorted by order. */
  readonly rows: readonly Entry[]
  /**
   * The last of them on the line that imports have made the head. The line that the user has chosen here does not
   * matter, so that all devices find the same entry.
   */
  readonly end: Entry | undefined
}

/** Finds the entries of a session that come from earlier imports. */
export async function findImported(
  store: Pick<SessionStore, 'changes'>,
  key: string,
  isWanted: (mid: string) => boolean,
  breathe: Breather,
): Promise<ImportedRows> {
  const rows: Entry[] = []
  const openers: Entry[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await store.changes(key, {}, cursor)
    for (const entry of page.entries) {
      if ((entry.type === 'branch' || entry.type === 'head') && entry.clock.hp < importsEnd) openers.push(entry)
      const mid = importedMid(entry)
      if (mid !== undefined && isWanted(mid)) rows.push(entry)
    }
    cursor = page.next
    await breathe()
  }
  rows.sort((a, b) => (a.order < b.order ? -1 : 1))
  const { cold, head } = foldEntries(openers)
  const line = lineOf(cold, head)!
  return { rows, end: rows.findLast((row) => segmentOf(line, row) >= 0 && !isSideChain(row)) }
}

/** A side chain that was imported first is on the main branch, but the conversation does not continue from it. */
function isSideChain({ data: { message } }: Entry): boolean {
  return isObject(message) && isObject(message['metadata']) && message['metadata']['sidechain'] === true
}
