import type { Line } from './line.ts'

/** Whether two lines show the same of the first branches, of which both have the same number of segments or more. */
export function showsAlike(a: Line, b: Line, branches: number): boolean {
  return (
    a.compaction?.cut === b.compaction?.cut &&
    isEqual(cutsOf(a), cutsOf(b)) &&
    a.segments
      .slice(0, branches)
      .every(({ branch, seen }, i) => branch === b.segments[i]?.branch && isEqual(seen, b.segments[i].seen))
  )
}

function cutsOf({ cuts }: Line): readonly unknown[] {
  return cuts.map(({ cut }) => cut)
}

function isEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}
