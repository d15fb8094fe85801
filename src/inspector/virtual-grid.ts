import { h, placeChildren } from './make-element.ts'

/** Height of a row in CSS pixels, as the style sheet has it. */
const rowHeight = 30
/** Rows that are made beyond those in sight. */
const margin = 6

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

export interface GridRows<Row> {
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
  readonly onOpen?: (row: Row, index: number) => void
  /** Called with the places of the rows in sight, whenever they change. */
  readonly onRange?: (first: number, last: number) => void
}

/** A table of which only the rows in sight are made, however many there are. */
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
  end(): void
}

const widths = (columns: readonly GridColumn<never>[]): string => columns.map(({ width }) => width).join(' ')

export function createVirtualGrid<Row>(options: GridOptions<Row>): VirtualGrid<Row> {
  const { label, columns, empty, onOpen, onRange } = options
  const made = new Map<number, { readonly row: Row | undefined; readonly element: HTMLElement }>()
  let rows: GridRows<Row> = { count: 0, at: () => undefined }
  /** The row that the Tab key stops at. */
  let active = 0
  let marked: number | undefined

  const header = h(
    'div',
    { role: 'row', class: 'row head', 'aria-rowindex': 1 },
    ...columns.map((column) => h('div', { role: 'columnheader', class: cellClass(column) }, column.name)),
  )
  const canvas = h('div', { role: 'rowgroup', class: 'canvas', onkeydown: onKey, onfocusin: onFocus, onclick: onClick })
  const nothing = h('p', { class: 'empty' }, empty)
  const grid = h(
    'div',
    { role: 'grid', class: 'grid', 'aria-label': label, onscroll: render },
    h('div', { role: 'rowgroup', class: 'top' }, header),
    canvas,
  )
  const element = h('div', { class: 'grid-frame' }, grid, nothing)
  grid.style.setProperty('--columns', widths(columns))
  grid.style.setProperty('--narrow', widths(columns.filter(({ isWide }) => isWide !== true)))
  const resized = new ResizeObserver(() => render())
  resized.observe(grid)

  function rangeInSight(): readonly [first: number, last: number] {
    const first = Math.floor(grid.scrollTop / rowHeight)
    const last = Math.floor((grid.scrollTop + Math.max(0, grid.clientHeight - rowHeight)) / rowHeight)
    return [Math.min(first, Math.max(0, rows.count - 1)), Math.min(last, rows.count - 1)]
  }

  function render(): void {
    const [first, last] = rangeInSight()
    const wanted = new Set<number>()
    for (let i = Math.max(0, first - margin); i <= Math.min(rows.count - 1, last + margin); i++) wanted.add(i)
    // The row with the focus stays, or the focus would be lost with it.
    if (active < rows.count) wanted.add(active)
    const focused = focusedIndex()
    for (const index of made.keys()) if (!wanted.has(index)) made.delete(index)
    for (const index of wanted) {
      const row = rows.at(index)
      if (made.get(index)?.row !== row || !made.has(index)) made.set(index, { row, element: makeRow(index, row) })
    }
    const inOrder = [...made].sort(([a], [b]) => a - b)
    placeChildren(
      canvas,
      inOrder.map(([, { element: one }]) => one),
    )
    if (focused !== undefined && focusedIndex() === undefined) made.get(focused)?.element.focus({ preventScroll: true })
    if (rows.count > 0) onRange?.(first, last)
  }

  function makeRow(index: number, row: Row | undefined): HTMLElement {
    const one = h(
      'div',
      {
        role: 'row',
        class: 'row',
        'aria-rowindex': index + 2,
        'aria-selected': index === marked ? 'true' : 'false',
        tabindex: index === active ? 0 : -1,
      },
      ...columns.map((column) =>
        h(
          'div',
          { role: 'gridcell', class: cellClass(column), dir: column.isText === true && 'auto' },
          row === undefined ? '…' : column.cell(row),
        ),
      ),
    )
    one.style.transform = `translateY(${index * rowHeight}px)`
    return one
  }

  const indexOf = (target: EventTarget | null): number | undefined => {
    const one = target instanceof Element ? target.closest('[aria-rowindex]') : null
    return one === null ? undefined : Number(one.getAttribute('aria-rowindex')) - 2
  }
  function focusedIndex(): number | undefined {
    const root = canvas.getRootNode()
    const focused = root instanceof ShadowRoot || root instanceof Document ? root.activeElement : null
    return focused !== null && canvas.contains(focused) ? indexOf(focused) : undefined
  }

  function setActive(index: number): void {
    made.get(active)?.element.setAttribute('tabindex', '-1')
    active = index
    made.get(active)?.element.setAttribute('tabindex', '0')
  }

  function onFocus({ target }: FocusEvent): void {
    const index = indexOf(target)
    if (index !== undefined && index !== active) setActive(index)
  }

  function onClick({ target }: MouseEvent): void {
    const index = indexOf(target)
    if (index !== undefined) open(index)
  }

  function open(index: number): void {
    const row = rows.at(index)
    if (row !== undefined) onOpen?.(row, index)
  }

  function onKey(event: KeyboardEvent): void {
    const index = indexOf(event.target)
    if (index === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    const page = Math.max(1, Math.floor(grid.clientHeight / rowHeight) - 2)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: rows.count - 1,
    }
    const target = steps[event.key]
    if (event.key === 'Enter' || event.key === ' ') open(index)
    else if (target !== undefined) goTo(Math.max(0, Math.min(rows.count - 1, target)))
    else return
    event.preventDefault()
  }

  function goTo(index: number): void {
    setActive(index)
    reveal(index)
    made.get(active)?.element.focus({ preventScroll: true })
  }

  function reveal(index: number): void {
    const top = index * rowHeight
    const room = Math.max(rowHeight, grid.clientHeight - rowHeight)
    if (top < grid.scrollTop) grid.scrollTop = top
    else if (top + rowHeight > grid.scrollTop + room) grid.scrollTop = top + rowHeight - room
    render()
  }

  function remark(): void {
    for (const [index, { element: one }] of made) one.setAttribute('aria-selected', String(index === marked))
  }

  return {
    element,
    show(next, shift = 0) {
      rows = next
      canvas.style.height = `${rows.count * rowHeight}px`
      grid.setAttribute('aria-rowcount', String(rows.count + 1))
      nothing.hidden = rows.count > 0
      grid.hidden = rows.count === 0
      const focused = focusedIndex()
      if (shift !== 0) {
        made.clear()
        if (marked !== undefined) marked += shift
        active += shift
        grid.scrollTop += shift * rowHeight
      }
      active = Math.max(0, Math.min(active, rows.count - 1))
      render()
      if (focused !== undefined && focusedIndex() === undefined)
        made.get(active)?.element.focus({ preventScroll: true })
    },
    refresh() {
      const focused = focusedIndex()
      made.clear()
      render()
      if (focused !== undefined) made.get(focused)?.element.focus({ preventScroll: true })
    },
    mark(index) {
      marked = index
      if (index !== undefined) setActive(index)
      remark()
    },
    reveal,
    isAtEnd: () => grid.scrollTop + grid.clientHeight >= grid.scrollHeight - rowHeight,
    focus: () => made.get(active)?.element.focus(),
    end: () => resized.disconnect(),
  }
}

const cellClass = (column: GridColumn<never>): string =>
  ['cell', column.isWide === true && 'wide', column.isNumber === true && 'number'].filter(Boolean).join(' ')
