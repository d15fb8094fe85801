import type { ColdRow, StoredEntry } from '../contract/rows.ts'
import { editKey } from './fold.ts'
import { authorOf } from './order.ts'
import { checkpointsOf } from './purge.ts'
import { covers } from './version-vector.ts'

/** An entry's fields that decide about edits. */
type Judged = Pick<StoredEntry, 'w' | 's' | 'branch' | 'order' | 'type' | 'data'>
type Place = Pick<Judged, 'branch' | 'order'>

/**
 * Finds the edits that nothing shows: another edit of the same row is later, here and at every checkpoint that is not
 * deleted (checkpoints can be compared as they were), or nothing is left of the row.
 */
export interface EditJudge<Edit extends Judged> {
  /** Takes a control entry. They come first, in ascending order. */
  control(entry: Edit): void
  /** Takes a stored line entry. */
  row(row: Place): void
  /** Nothing shows this row any more. */
  gone(row: Place): void
  /** After all entries. @returns which pending edits of the cold row were among those that nothing shows */
  finish(): readonly string[]
}

interface HeldEdit<Kept> {
  readonly kept: Kept
  /** The vectors of the checkpoints that saw it as the last one. */
  readonly seenBy: readonly ColdRow['checkpoints'][string]['vv'][]
}

interface EditedRow<Kept> {
  edits: readonly HeldEdit<Kept>[]
  isStored: boolean
}

/**
 * Its memory grows with the edited rows, and with what `keep` returns for each.
 *
 * @param keep - what to remember of an edit until it is judged
 * @param onErasable - called once for each edit that nothing shows
 */
export function judgeEdits<Kept, Edit extends Judged>(
  cold: ColdRow,
  keep: (edit: Edit) => Kept,
  onErasable: (kept: Kept) => void,
): EditJudge<Edit> {
  const vectors = checkpointsOf(cold).map(({ vv }) => vv)
  const rows = new Map<string, EditedRow<Kept>>()
  const find = ({ branch, order }: Place): EditedRow<Kept> | undefined => rows.get(editKey(branch, order))
  // An entry that was lost may still come.
  const mayEnd = Object.keys(cold.pending).length > 0 && Object.keys(cold.lost ?? {}).length === 0
  /** The latest clock of each author. */
  const clocks = new Map<string, string>()

  const witness = (order: string): void => {
    const author = mayEnd ? authorOf(order) : undefined
    if (author !== undefined && author.clock > (clocks.get(author.writer) ?? ''))
      clocks.set(author.writer, author.clock)
  }
  /** Whether a row that is not stored can't come any more, because a later entry of its author came. */
  const isOver = (order: string): boolean => {
    const author = authorOf(order)
    return author !== undefined && author.clock < (clocks.get(author.writer) ?? '')
  }
  const drop = (key: string, { edits }: EditedRow<Kept>): void => {
    for (const { kept } of edits) onErasable(kept)
    rows.delete(key)
  }

  return {
    control: (entry) => {
      witness(entry.order)
      if (entry.type !== 'edit') return
      const { branch, order } = entry.data as unknown as Place
      const key = editKey(branch, order)
      const row = rows.get(key) ?? { edits: [], isStored: false }
      rows.set(key, row)
      const left: HeldEdit<Kept>[] = []
      for (const { kept, seenBy } of row.edits) {
        const others = seenBy.filter((vv) => !covers(vv, entry.w, entry.s))
        if (others.length > 0) left.push({ kept, seenBy: others })
        else onErasable(kept)
      }
      row.edits = [...left, { kept: keep(entry), seenBy: vectors.filter((vv) => covers(vv, entry.w, entry.s)) }]
    },
    row: (row) => {
      witness(row.order)
      const edited = find(row)
      if (edited !== undefined) edited.isStored = true
    },
    gone: (row) => {
      const edited = find(row)
      if (edited !== undefined) drop(editKey(row.branch, row.order), edited)
    },
    finish: () => {
      const over = Object.keys(cold.pending).filter((key) => rows.get(key)?.isStored === false && isOver(orderIn(key)))
      for (const key of over) drop(key, rows.get(key)!)
      return over
    },
  }
}

/** The order in the key of an edited row. */
const orderIn = (key: string): string => key.slice(key.indexOf(' ') + 1)
