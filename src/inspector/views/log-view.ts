import type { EntryView } from '../../contract/entry.ts'
import type { View } from '../../contract/store/session-log.ts'
import { createDelay } from '../create-delay.ts'
import { counted, lineOf, timeOf } from '../describe-values.ts'
import { kindOfEntry, marksOfEntry, textOfEntry } from '../entry-text.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { createLogReader, type LogReader } from '../log-window.ts'
import { button, h, userText } from '../make-element.ts'
import { createVirtualGrid } from '../virtual-grid.ts'
import { createEntryDetail } from './entry-detail.ts'

/** How near the edge of what is here more is read. */
const nearEdge = 20

/** The log of one line of a session, as a table that is read from its end. */
export function createLogView(inspection: Inspection): InspectorView {
  const { client, signal } = inspection
  let reader: LogReader | undefined
  let isShown = false
  /** What is shown is not what was selected. */
  let isOutdated = true
  let changes: Parameters<LogReader['follow']>[0][] = []

  const detail = createEntryDetail(inspection, () => (grid.mark(undefined), grid.focus()))
  const grid = createVirtualGrid<EntryView>({
    label: 'Log',
    signal,
    empty: 'There are no entries here.',
    columns: [
      { name: 'Kind', width: '6.5rem', cell: kindOfEntry },
      { name: 'Content', width: 'minmax(8rem, 1fr)', isText: true, cell: (entry) => lineOf(textOfEntry(entry)) },
      { name: 'Marks', width: '7rem', isWide: true, cell: marksOfEntry },
      { name: 'Branch', width: '8rem', isWide: true, cell: ({ branch }) => branch || 'main' },
      { name: 'Time', width: '11rem', isWide: true, cell: ({ at }) => timeOf(at) },
    ],
    onOpen: (entry, index) => {
      grid.mark(index)
      const key = inspection.selection()?.key
      if (key !== undefined) detail.show(key, entry)
    },
    onRange: (first, last) => {
      if (reader === undefined) return
      const { entries, hasEarlier, hasLater } = reader.window()
      const { earlier, later } = reader
      if (hasEarlier && first < nearEdge) inspection.attempt(earlier)
      else if (hasLater && last >= entries.length - nearEdge) inspection.attempt(later)
    },
  })

  const name = h('strong', { class: 'name' })
  const extent = h('output', { class: 'hint' })
  const view = h(
    'select',
    { 'aria-label': 'Entries', onchange: () => begin() },
    h('option', { value: 'transcript' }, 'Transcript'),
    h('option', { value: 'raw' }, 'All entries'),
    h('option', { value: 'context' }, 'Context'),
  )
  const id = h('input', { type: 'search', 'aria-label': 'Message id', placeholder: 'Message id' })
  const find = h('form', { class: 'bar', onsubmit: search }, id, h('button', { type: 'submit' }, 'Find'))
  const settle = createDelay(100, signal, takeChanges)

  function search(event: SubmitEvent): void {
    event.preventDefault()
    const asked = reader
    inspection.attempt(async () => {
      const index = await asked?.find(id.value.trim())
      inspection.say(index === undefined ? `No entry has the message id "${id.value}".` : '')
      const entry = index === undefined ? undefined : asked?.window().entries[index]
      if (index === undefined || entry === undefined || asked !== reader) return
      grid.reveal(index)
      grid.mark(index)
      detail.show(inspection.selection()!.key, entry)
    })
  }

  function display(shift: number): void {
    if (reader === undefined) return
    const { entries, hasEarlier, hasLater, skipped } = reader.window()
    grid.show({ count: entries.length, at: (index) => entries[index] }, shift)
    extent.textContent = [
      `${counted(entries.length, 'entry', 'entries')} here`,
      hasEarlier && 'earlier ones above',
      hasLater && 'later ones below',
      skipped > 0 && `${counted(skipped, 'record')} can’t be read`,
    ]
      .filter((part) => part !== false)
      .join(', ')
  }

  function begin(): void {
    isOutdated = false
    changes = []
    detail.close()
    const selection = inspection.selection()
    if (selection === undefined) {
      reader = undefined
      name.replaceChildren('Choose a session first.')
      grid.show({ count: 0, at: () => undefined })
      return
    }
    const { key, branch } = selection
    name.replaceChildren(userText(key), branch === undefined ? '' : ` · ${branch || 'main'}`)
    const own = createLogReader(client.store, { key, branch, view: view.value as View }, (shift) => {
      if (own === reader) display(shift)
    })
    reader = own
    toEnd()
  }

  function toEnd(): void {
    const own = reader
    inspection.attempt(async () => {
      await own?.toEnd()
      if (own === reader && own !== undefined) grid.reveal(own.window().entries.length - 1)
    })
  }

  function toStart(): void {
    const own = reader
    inspection.attempt(async () => {
      await own?.toStart()
      if (own === reader) grid.reveal(0)
    })
  }

  /** Changes of a burst are read at once: the newest rows, or everything that is here if one changed more than that. */
  function takeChanges(): void {
    const own = reader
    const [last] = changes.slice(-1)
    if (own === undefined || last === undefined) return
    const all = { ...last, rows: changes.flatMap(({ rows }) => rows), reload: changes.some(({ reload }) => reload) }
    changes = []
    const isAtEnd = grid.isAtEnd()
    inspection.attempt(async () => {
      await own.follow(all)
      if (own === reader && isAtEnd) grid.reveal(own.window().entries.length - 1)
    })
  }

  inspection.onSelect(() => {
    isOutdated = true
    if (isShown) begin()
  })
  inspection.follow((change) => {
    if (change.type !== 'session' || change.key !== inspection.selection()?.key) return
    if (!isShown) isOutdated = true
    else {
      changes.push(change)
      settle.start()
    }
  })

  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'bar' }, name, view, button('Start', toStart), button('End', toEnd), find, extent),
      h('div', { class: 'split' }, grid.element, detail.element),
    ),
    show() {
      isShown = true
      if (isOutdated) begin()
    },
    hide() {
      isShown = false
      if (changes.length > 0) isOutdated = true
      settle.stop()
    },
  }
}
