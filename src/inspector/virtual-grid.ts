import { createGridFrame, type GridColumn, indexOfRow, rowHeight, rowsInSight, targetOfKey } from './grid-parts.ts'
import { createGridScroll } from './grid-scroll.ts'
import { createMadeRows } from './made-rows.ts'

/** Rows that are made beyond those in sight. */
const margin = 6

interface GridRows<Row> {
  /** How many can be scrolled through. */
  readonly count: number
  /** The row at a place; `undefined` while it is not here yet. */
  at(index: number): Row | undefined
}

export interface GridOptions<Row> {
  readonly label: string
  readonly columns: readonly GridColumn<Row>[]
  /** What is said where there are no rows. */
  readonly empty: string
  /** Ends what the grid follows. */
  readonly signal: AbortSignal
  readonly onOpen?: (row: Row, index: number) => void
  /** Called with the places of the rows in sight, whenever they change. */
  readonly onRange?: (first: number, last: number) => void
}

/** A table of which only the rows in sight are made, however many there are. One row is a stop of the Tab key. */
export interface VirtualGrid<Row> {
  readonly element: HTMLElement
  /**
   * Shows other rows.
   *
   * @param shift - by how many places the rows that were shown have moved, so that they stay where they are in sight
   */
  show(rows: GridRows<Row>, shift?: number): void
  /** Fills in anew what is in sight. */
  refresh(): void
  /** Marks a row, or none. */
  mark(index: number | undefined): void
  /** Brings a row into sight. */
  reveal(index: number): void
  /** Whether the last row is in sight. */
  isAtEnd(): boolean
  focus(): void
}

export function createVirtualGrid<Row>(options: GridOptions<Row>): VirtualGrid<Row> {
  const { label, columns, empty, signal, onOpen, onRange } = options
  const { element, grid, canvas, nothing } = createGridFrame(label, columns, empty)
  const made = createMadeRows(columns, canvas)
  const scroll = createGridScroll(grid)
  let rows: GridRows<Row> = { count: 0, at: () => undefined }

  function render(): void {
    const isInSight = scroll.settle()
    const [first, last] = rowsInSight(grid, rows.count)
    const wanted = new Set<number>()
    for (let i = Math.max(0, first - margin); i <= Math.min(rows.count - 1, last + margin); i++) wanted.add(i)
    // The row with the focus stays, or the focus would be lost with it.
    if (made.active() < rows.count) wanted.add(made.active())
    made.place(wanted, rows.at)
    // Out of sight every place seems to be the first.
    if (rows.count > 0 && isInSight) onRange?.(first, last)
  }

  function open(index: number | undefined): void {
    const row = index === undefined ? undefined : rows.at(index)
    if (index !== undefined && row !== undefined) onOpen?.(row, index)
  }

  function onKey(event: KeyboardEvent): void {
    const index = indexOfRow(event.target)
    if (index === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    const target = targetOfKey(event.key, index, rows.count, grid)
    if (target !== undefined) {
      made.setActive(target)
      reveal(target)
      made.focus()
    } else if (event.key === 'Enter' || event.key === ' ') open(index)
    else return
    event.preventDefault()
  }

  function reveal(index: number): void {
    scroll.reveal(index)
    render()
  }

  grid.addEventListener('scroll', render)
  canvas.addEventListener('keydown', onKey)
  canvas.addEventListener('click', ({ target }) => open(indexOfRow(target)))
  canvas.addEventListener('focusin', ({ target }) => made.setActive(indexOfRow(target) ?? made.active()))
  const resized = new ResizeObserver(render)
  resized.observe(grid)
  signal.addEventListener('abort', () => resized.disconnect())

  return {
    element,
    show(next, shift = 0) {
      const hadFocus = made.hasFocus()
      rows = next
      canvas.style.height = `${rows.count * rowHeight}px`
      grid.setAttribute('aria-rowcount', String(rows.count + 1))
      nothing.hidden = rows.count > 0
      grid.hidden = rows.count === 0
      if (shift !== 0) {
        made.clear(shift)
        scroll.follow(shift)
      }
      made.setActive(Math.max(0, Math.min(made.active(), rows.count - 1)))
      render()
      if (hadFocus) made.focus()
    },
    refresh() {
      const hadFocus = made.hasFocus()
      made.clear()
      render()
      if (hadFocus) made.focus()
    },
    mark(index) {
      made.mark(index)
      if (index !== undefined) made.setActive(index)
    },
    reveal,
    isAtEnd: () => grid.scrollTop + grid.clientHeight >= grid.scrollHeight - rowHeight,
    focus: made.focus,
  }
}
