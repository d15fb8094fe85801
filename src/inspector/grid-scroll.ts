import { rowHeight } from './grid-parts.ts'

/** Scrolls a grid. Out of sight it can't be scrolled: that is done once it has a place on the page again. */
export interface GridScroll {
  /** The rows have moved by so many places. */
  follow(shift: number): void
  /** Brings a row into sight. */
  reveal(index: number): void
  /** Does what is left to do. @returns whether the grid is in sight */
  settle(): boolean
}

export function createGridScroll(grid: HTMLElement): GridScroll {
  let moved = 0
  let wanted: number | undefined

  function bring(index: number): void {
    const top = index * rowHeight
    const room = Math.max(rowHeight, grid.clientHeight - rowHeight)
    if (top < grid.scrollTop) grid.scrollTop = top
    else if (top + rowHeight > grid.scrollTop + room) grid.scrollTop = top + rowHeight - room
  }

  return {
    follow(shift) {
      moved += shift
      if (wanted !== undefined) wanted += shift
    },
    reveal(index) {
      // Where there are no rows, there is no last one either.
      if (index >= 0) wanted = index
    },
    settle() {
      if (grid.clientHeight === 0) return false
      if (moved !== 0) grid.scrollTop += moved * rowHeight
      if (wanted !== undefined) bring(wanted)
      moved = 0
      wanted = undefined
      return true
    },
  }
}
