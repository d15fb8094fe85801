import { h } from './make-element.ts'

/** Height of a row in CSS pixels, as the style sheet has it. */
export const rowHeight = 30

export interface GridColumn<Row> {
  readonly name: string
  /** Its track in a CSS grid. */
  readonly width: string
  /** Left out where there is little room. Default false. */
  readonly isWide?: boolean
  /** Whether it has text of users, which has a direction of its own. */
  readonly isText?: boolean
  readonly isNumber?: boolean
  cell(row: Row): string
}

/** What a grid consists of, besides its rows. */
export interface GridFrame {
  readonly element: HTMLElement
  /** What scrolls. */
  readonly grid: HTMLElement
  /** What the rows lie on. */
  readonly canvas: HTMLElement
  /** What is said where there are no rows. */
  readonly nothing: HTMLElement
}

export function createGridFrame(label: string, columns: readonly GridColumn<never>[], empty: string): GridFrame {
  const header = h(
    'div',
    { role: 'row', class: 'row head', 'aria-rowindex': 1 },
    columns.map((column) => h('div', { role: 'columnheader', class: cellClass(column) }, column.name)),
  )
  const canvas = h('div', { role: 'rowgroup', class: 'canvas' })
  const nothing = h('p', { class: 'empty', hidden: true }, empty)
  const top = h('div', { role: 'rowgroup', class: 'top' }, header)
  const grid = h('div', { role: 'grid', class: 'grid', 'aria-label': label }, top, canvas)
  grid.style.setProperty('--columns', widths(columns))
  grid.style.setProperty('--narrow', widths(columns.filter(({ isWide }) => isWide !== true)))
  return { element: h('div', { class: 'grid-frame' }, grid, nothing), grid, canvas, nothing }
}

/** The element of a row; `undefined` is one that is not here yet. */
export function createGridRow<Row>(
  columns: readonly GridColumn<Row>[],
  row: Row | undefined,
  index: number,
  isActive: boolean,
  isMarked: boolean,
): HTMLElement {
  const element = h(
    'div',
    {
      role: 'row',
      class: 'row',
      'aria-rowindex': index + 2,
      'aria-selected': String(isMarked),
      tabindex: isActive ? 0 : -1,
    },
    columns.map((column) =>
      h(
        'div',
        { role: 'gridcell', class: cellClass(column), dir: column.isText === true && 'auto' },
        row === undefined ? '…' : column.cell(row),
      ),
    ),
  )
  element.style.transform = `translateY(${index * rowHeight}px)`
  return element
}

/** The place of the row that an event is about. */
export function indexOfRow(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest('[aria-rowindex]') : null
  return row === null ? undefined : Number(row.getAttribute('aria-rowindex')) - 2
}

/** The place of the row that has the focus. */
export function focusedRow(canvas: HTMLElement): number | undefined {
  const root = canvas.getRootNode()
  const focused = root instanceof ShadowRoot || root instanceof Document ? root.activeElement : null
  return focused !== null && canvas.contains(focused) ? indexOfRow(focused) : undefined
}

/** The places of the first and the last row in sight. */
export function rowsInSight(grid: HTMLElement, count: number): readonly [first: number, last: number] {
  const first = Math.floor(grid.scrollTop / rowHeight)
  const last = Math.floor((grid.scrollTop + Math.max(0, grid.clientHeight - rowHeight)) / rowHeight)
  return [Math.min(first, Math.max(0, count - 1)), Math.min(last, count - 1)]
}

/** The place that a key goes to from a row; `undefined` for a key that goes nowhere. */
export function targetOfKey(key: string, index: number, count: number, grid: HTMLElement): number | undefined {
  const page = Math.max(1, Math.floor(grid.clientHeight / rowHeight) - 2)
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: count - 1,
  }
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined
  return target === undefined ? undefined : Math.max(0, Math.min(count - 1, target))
}

const widths = (columns: readonly GridColumn<never>[]): string => columns.map(({ width }) => width).join(' ')

const cellClass = (column: GridColumn<never>): string =>
  ['cell', column.isWide === true && 'wide', column.isNumber === true && 'number'].filter(Boolean).join(' ')
