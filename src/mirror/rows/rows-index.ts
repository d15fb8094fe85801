import type { ScannedRows } from './scan-rows.ts'

/** What the index of a mirror says of rows. */
export interface RowsIndex {
  /**
   * Up to this stamp the mirror was found to have all rows: in files that the index covers, or in files of workers that
   * lived then and had written them a while ago.
   */
  readonly whole: number
  /** Commits behind that stamp in the files that the index covers, each with the stamp before it. */
  readonly links: readonly (readonly [stamp: number, previous: number])[]
  /** Epochs of lost databases whose rows are still to be restored. */
  readonly lost: readonly string[]
  /** Epochs of lost databases whose rows were restored. */
  readonly restored: readonly string[]
  /** Boots of the files that have rows. */
  readonly boots: readonly string[]
}

export const noRows: RowsIndex = { whole: 0, links: [], lost: [], restored: [], boots: [] }

/** Adds a file to the index. @param epoch - of the database that the mirror is compared with */
export function addRows(index: RowsIndex, epoch: string, boot: string, { epochs, marks }: ScannedRows): RowsIndex {
  if (epochs.size === 0 && marks.length === 0) return index
  const restored = new Set([...index.restored, ...marks.map(({ lost }) => lost)])
  const lost = new Set([...index.lost, ...epochs.keys()])
  return {
    ...index,
    links: [...index.links, ...(epochs.get(epoch)?.links ?? [])].filter(([stamp]) => stamp > index.whole),
    lost: [...lost].filter((one) => one !== epoch && !restored.has(one)),
    restored: [...restored],
    boots: index.boots.includes(boot) ? index.boots : [...index.boots, boot],
  }
}
