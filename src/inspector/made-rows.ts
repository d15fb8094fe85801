import { createGridRow, focusedRow, type GridColumn } from './grid-parts.ts'
import { placeChildren } from './make-element.ts'

/** The rows of a grid that have an element now. */
export interface MadeRows<Row> {
  /** Makes elements for exactly these places. */
  place(wanted: ReadonlySet<number>, at: (index: number) => Row | undefined): void
  /** Makes another row the one that the Tab key stops at. */
  setActive(index: number): void
  active(): number
  mark(index: number | undefined): void
  /** Gives the focus to the row that the Tab key stops at. */
  focus(): void
  hasFocus(): boolean
  /** The rows are others now, and have moved by so many places. */
  clear(shift?: number): void
}

export function createMadeRows<Row>(columns: readonly GridColumn<Row>[], canvas: HTMLElement): MadeRows<Row> {
  const made = new Map<number, { readonly row: Row | undefined; readonly element: HTMLElement }>()
  let active = 0
  let marked: number | undefined

  const hasFocus = (): boolean => focusedRow(canvas) !== undefined
  const focus = (): void => made.get(active)?.element.focus({ preventScroll: true })

  return {
    place(wanted, at) {
      const hadFocus = hasFocus()
      for (const index of made.keys()) if (!wanted.has(index)) made.delete(index)
      for (const index of wanted) {
        const row = at(index)
        if (made.has(index) && made.get(index)!.row === row) continue
        made.set(index, { row, element: createGridRow(columns, row, index, index === active, index === marked) })
      }
      const inOrder = [...made].sort(([a], [b]) => a - b)
      placeChildren(
        canvas,
        inOrder.map(([, { element }]) => element),
      )
      if (hadFocus && !hasFocus()) focus()
    },
    setActive(index) {
      made.get(active)?.element.setAttribute('tabindex', '-1')
      active = index
      made.get(active)?.element.setAttribute('tabindex', '0')
    },
    active: () => active,
    mark(index) {
      marked = index
      for (const [at, { element }] of made) element.setAttribute('aria-selected', String(at === marked))
    },
    focus,
    hasFocus,
    clear(shift = 0) {
      made.clear()
      active += shift
      if (marked !== undefined) marked += shift
    },
  }
}
