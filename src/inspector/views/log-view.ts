import type { EntryView } from '../../contract/entry.ts'
import type { View } from '../../contract/store/session-log.ts'
import { createDelay } from '../create-delay.ts'
import { counted, lineOf, timeOf } from '../describe-values.ts'
import { kindOfEntry, marksOfEntry, textOfEntry } from '../entry-text.ts'
import type { GridColumn } from '../grid-parts.ts'
import type { Inspection, InspectorView, Selection } from '../inspection.ts'
import type { LogWindow } from '../join-window.ts'
import { createLogReader, type LogReader } from '../log-window.ts'
import { button, fill, h, userText } from '../make-element.ts'
import { createVirtualGrid } from '../virtual-grid.ts'
import { createEntryDetail } from './entry-detail.ts'

/** How near the edge of what is here more is read. */
const nearEdge = 20

const columns: readonly GridColumn<EntryView>[] = [
  { name: 'Kind', width: '6.5rem', cell: kindOfEntry },
  { name: 'Content', width: 'minmax(8rem, 1fr)', isText: true, cell: (entry) => lineOf(textOfEntry(entry)) },
  { name: 'Marks', width: '7rem', isWide: true, cell: marksOfEntry },
  { name: 'Branch', width: '8rem', isWide: true, cell: ({ branch }) => branch || 'main' },
  { name: 'Time', width: '11rem', isWide: true, cell: ({ at }) => timeOf(at) },
]

/** The log of one line of a session, as a table that is read from its end. */
export function createLogView(inspection: Inspection): InspectorView {
  const { client, signal } = inspection
  let reader: LogReader | undefined
  /** Id of the entry that is shown by itself. */
  let opened: string | undefined

  const detail = createEntryDetail(inspection, () => {
    opened = undefined
    grid.mark(undefined)
    grid.focus()
  })
  const grid = createVirtualGrid<EntryView>({
    label: 'Log',
    signal,
    empty: 'There are no entries here.',
    columns,
    onOpen: (_, index) => openEntry(index),
    onRange: (first, last) => inspection.attempt(async () => reader && readNear(reader, first, last)),
  })
  const lastOf = (own: LogReader): number => own.window().entries.length - 1
  const toEnd = (): void => readAndReveal(async (own) => (await own.toEnd(), lastOf(own)))
  const toStart = (): void => readAndReveal(async (own) => (await own.toStart(), 0))
  const { bar, name, extent, view, id } = createLogBar({ begin, toStart, toEnd, search })
  const burst = createBurst(signal, (change) => {
    const isAtEnd = grid.isAtEnd()
    readAndReveal(async (own) => (await own.follow(change), isAtEnd ? lastOf(own) : undefined))
  })

  function search(event: SubmitEvent): void {
    event.preventDefault()
    readAndReveal(async (own) => {
      const index = await own.find(id.value.trim())
      if (own !== reader) return undefined
      inspection.say(index === undefined ? `No entry has the message id "${id.value}".` : '')
      if (index !== undefined) openEntry(index)
      return index
    })
  }

  function openEntry(index: number): void {
    const entry = reader?.window().entries[index]
    const key = inspection.selection()?.key
    opened = entry?.id
    grid.mark(index)
    if (entry !== undefined && key !== undefined) detail.show(key, entry)
  }

  function display(shift: number): void {
    const window = reader?.window() ?? noWindow
    const { entries } = window
    grid.show({ count: entries.length, at: (index) => entries[index] }, shift)
    const at = opened === undefined ? -1 : entries.findIndex((one) => one.id === opened)
    grid.mark(at < 0 ? undefined : at)
    extent.textContent = extentOf(window)
  }

  function begin(): void {
    burst.clear()
    detail.close()
    const selection = inspection.selection()
    fill(name, nameOf(selection))
    reader = undefined
    display(0)
    if (selection === undefined) return
    const own = createLogReader(client.store, { ...selection, view: view.value as View }, (shift) => {
      if (own === reader) display(shift)
    })
    reader = own
    toEnd()
  }

  /** Reads with what is shown now, and brings a row of it into sight. */
  function readAndReveal(read: (own: LogReader) => Promise<number | undefined>): void {
    const own = reader
    if (own === undefined) return
    inspection.attempt(async () => {
      const index = await read(own)
      if (own === reader && index !== undefined) grid.reveal(index)
    })
  }
  return {
    element: h('div', { class: 'view' }, bar, h('div', { class: 'split' }, grid.element, detail.element)),
    ...whileInSight(inspection, begin, burst),
  }
}

interface LogBar {
  readonly bar: HTMLElement
  /** Which line is shown. */
  readonly name: HTMLElement
  /** How much of it is here. */
  readonly extent: HTMLElement
  /** How it is read. */
  readonly view: HTMLSelectElement
  /** What is searched for. */
  readonly id: HTMLInputElement
}

interface LogActions {
  begin(): void
  toStart(): void
  toEnd(): void
  search(event: SubmitEvent): void
}

function createLogBar({ begin, toStart, toEnd, search }: LogActions): LogBar {
  const name = h('strong', { class: 'name' })
  const extent = h('output', { class: 'hint' })
  const view = h(
    'select',
    { 'aria-label': 'Entries', onchange: begin },
    h('option', { value: 'transcript' }, 'Transcript'),
    h('option', { value: 'raw' }, 'All entries'),
    h('option', { value: 'context' }, 'Context'),
  )
  const id = h('input', { type: 'search', 'aria-label': 'Message id', placeholder: 'Message id' })
  const find = h('form', { class: 'bar', onsubmit: search }, id, h('button', { type: 'submit' }, 'Find'))
  const bar = h('div', { class: 'bar' }, name, view, button('Start', toStart), button('End', toEnd), find, extent)
  return { bar, name, extent, view, id }
}

const noWindow: LogWindow = { entries: [], hasEarlier: false, hasLater: false, hasUnreadable: false }

const nameOf = (selection: Selection | undefined): readonly (Node | string)[] =>
  selection === undefined
    ? ['Choose a session first.']
    : [userText(selection.key), selection.branch === undefined ? '' : ` · ${selection.branch || 'main'}`]

const extentOf = ({ entries, hasEarlier, hasLater, hasUnreadable }: LogWindow): string =>
  [
    `${counted(entries.length, 'entry', 'entries')} here`,
    hasEarlier && 'earlier ones above',
    hasLater && 'later ones below',
    hasUnreadable && 'some records can’t be read',
  ]
    .filter((part) => part !== false)
    .join(', ')

/** Reads on where the rows in sight are near an edge of what is here. */
async function readNear(reader: LogReader, first: number, last: number): Promise<void> {
  const { entries, hasEarlier, hasLater } = reader.window()
  if (hasEarlier && first < nearEdge) await reader.earlier()
  else if (hasLater && last >= entries.length - nearEdge) await reader.later()
}

type SessionChange = Parameters<LogReader['follow']>[0]

/** Shows what is selected, and what changes in it, while somebody looks. */
function whileInSight(
  inspection: Inspection,
  begin: () => void,
  burst: ReturnType<typeof createBurst>,
): Pick<InspectorView, 'show' | 'hide'> {
  let isShown = false
  /** What is shown is not what was selected, or not as it is now. */
  let isOutdated = true
  function show(): void {
    isShown = true
    if (!isOutdated) return
    isOutdated = false
    begin()
  }
  inspection.onSelect(() => {
    isOutdated = true
    if (isShown) show()
  })
  inspection.follow((change) => {
    if (!inspection.isOfSelection(change)) return
    if (isShown) burst.take(change)
    else isOutdated = true
  })
  return {
    show,
    hide() {
      isShown = false
      if (burst.clear()) isOutdated = true
    },
  }
}

/** Joins the changes of a burst, so that the log is read once for all. */
function createBurst(signal: AbortSignal, onEnd: (change: SessionChange) => void) {
  let changes: SessionChange[] = []
  const settle = createDelay(100, signal, () => {
    const last = changes.at(-1)
    if (last === undefined) return
    const rows = changes.flatMap((change) => change.rows)
    const reload = changes.some((change) => change.reload)
    changes = []
    onEnd({ ...last, rows, reload })
  })
  return {
    take(change: SessionChange): void {
      changes.push(change)
      settle.start()
    },
    /** Forgets them. @returns whether there were any */
    clear(): boolean {
      const hadAny = changes.length > 0
      changes = []
      settle.stop()
      return hadAny
    },
  }
}
