import type { CommitRecord, RecordedCommit } from '../commit-record.ts'
import { createDelay } from '../create-delay.ts'
import { counted, countOf, durationOf, timeOf } from '../describe-values.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { button, figures, fill, h } from '../make-element.ts'
import { createVirtualGrid } from '../virtual-grid.ts'

/** Commits that are drawn as bars. */
const bars = 60
const askAgainMs = 2_000

/** The changes of the store since the inspector was opened, with how long they took to get here. */
export function createCommitsView(inspection: Inspection): InspectorView {
  const { client, commits, signal } = inspection
  let isShown = false
  let isHeld = false
  let answeredMs: number | undefined
  const about = h('div')
  const chart = h('div', { class: 'chart', role: 'img' })
  const hold = button(
    'Hold',
    () => {
      isHeld = !isHeld
      hold.setAttribute('aria-pressed', String(isHeld))
      display()
    },
    { 'aria-pressed': 'false' },
  )
  const grid = createVirtualGrid<RecordedCommit>({
    label: 'Commits, the newest first',
    signal,
    empty: 'Nothing has changed since the inspector was opened.',
    columns: [
      { name: 'Time', width: '6rem', cell: ({ at }) => timeOf(at) },
      {
        name: 'Took',
        width: '5rem',
        isNumber: true,
        cell: ({ tookMs }) => (tookMs === undefined ? '' : durationOf(tookMs)),
      },
      { name: 'What', width: '6rem', isWide: true, cell: ({ kind }) => kind },
      { name: 'Key', width: 'minmax(6rem, 1fr)', isText: true, cell: ({ key }) => key },
      { name: 'Change', width: 'minmax(6rem, 2fr)', isText: true, cell: textOf },
      { name: 'Version', width: '5rem', isWide: true, isNumber: true, cell: ({ version }) => String(version ?? '') },
    ],
    onOpen: ({ kind, key }) => {
      if (kind === 'session' || kind === 'draft') inspection.select({ key }, 'Log')
    },
  })
  const settle = createDelay(100, signal, display)
  const again = createDelay(askAgainMs, signal, ask)
  inspection.follow(() => {
    if (isShown && !isHeld) settle.start()
  })

  /** How long the store takes to answer what costs it nothing. */
  function ask(): void {
    const from = performance.now()
    inspection.attempt(async () => {
      try {
        await client.store.unflushed()
        answeredMs = performance.now() - from
        if (isShown) displayFigures()
      } finally {
        if (isShown) again.start()
      }
    })
  }

  function displayFigures(): void {
    about.replaceChildren(
      figures([
        ['Changes', countOf(commits.taken())],
        ['Kept here', countOf(commits.count())],
        ['The store answers in', answeredMs === undefined ? '…' : durationOf(answeredMs)],
      ]),
    )
  }

  function display(): void {
    if (isHeld) return
    displayFigures()
    drawBars(chart, commits)
    // What is kept moves while it is shown: the list of this moment is looked at.
    const shown = Array.from({ length: commits.count() }, (_, index) => commits.at(index))
    grid.show({ count: shown.length, at: (index) => shown[index] })
  }

  return {
    element: h('div', { class: 'view' }, h('div', { class: 'bar' }, hold, about), chart, grid.element),
    show() {
      isShown = true
      display()
      ask()
    },
    hide() {
      isShown = false
      settle.stop()
      again.stop()
    },
  }
}

const textOf = ({ text, missed, isStrict }: RecordedCommit): string =>
  [text, isStrict && 'survives power loss', missed > 0 && `${counted(missed, 'commit')} before it not seen here`]
    .filter((part) => part !== false)
    .join(', ')

/** Draws how long the newest commits took. */
function drawBars(chart: HTMLElement, commits: CommitRecord): void {
  const took: number[] = []
  for (let index = 0; index < commits.count() && took.length < bars; index++) {
    const { tookMs } = commits.at(index) ?? {}
    if (tookMs !== undefined) took.unshift(tookMs)
  }
  const longest = took.reduce((most, ms) => Math.max(most, ms), 1)
  chart.hidden = took.length === 0
  const middle = took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0
  chart.setAttribute(
    'aria-label',
    `${counted(took.length, 'commit')}: ${durationOf(middle)} in the middle, ${durationOf(longest)} at most`,
  )
  fill(
    chart,
    took.map((ms) => {
      const bar = h('span', { class: 'chart-bar' })
      bar.style.setProperty('--height', `${Math.max(4, (ms / longest) * 100)}%`)
      return bar
    }),
  )
}
