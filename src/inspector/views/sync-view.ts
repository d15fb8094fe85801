import { createDelay } from '../create-delay.ts'
import { bytesOf, counted, countOf } from '../describe-values.ts'
import type { InspectedSyncSnapshot } from '../inspected-sync.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { figures, fill, h, section } from '../make-element.ts'
import { createVirtualGrid } from '../virtual-grid.ts'

/** Quarantined entries and notices that are listed. */
const mostLines = 100
/** Sessions whose size is known. */
const sized = 1_000

interface SyncedSession {
  readonly key: string
  readonly state: string
  readonly title: string
  readonly size: string
  readonly peers: number
}

/** How sync stands, as a whole and of each session. */
export function createSyncView(inspection: Inspection): InspectorView {
  const { client, sync, signal } = inspection
  const about = h('div')
  const aside = h('div')
  let isShown = false
  let sizes: ReadonlyMap<string, number> = new Map()
  let stop: (() => void) | undefined
  const grid = createVirtualGrid<SyncedSession>({
    label: 'Sessions by their sync state',
    signal,
    empty: sync === undefined ? 'This inspector was opened without `sync`.' : 'No session is known to sync yet.',
    columns: [
      { name: 'Session', width: 'minmax(8rem, 3fr)', isText: true, cell: ({ title, key }) => title || key },
      { name: 'State', width: '7rem', cell: ({ state }) => state },
      { name: 'Size', width: '6rem', isNumber: true, cell: ({ size }) => size },
      { name: 'Others', width: '5rem', isWide: true, isNumber: true, cell: ({ peers }) => countOf(peers) },
    ],
    onOpen: ({ key }) => inspection.select({ key }, 'Log'),
  })
  const settle = createDelay(200, signal, display)
  signal.addEventListener('abort', () => stop?.())

  function display(): void {
    if (sync === undefined || !isShown) return
    const snapshot = sync.getSnapshot()
    about.replaceChildren(statusOf(snapshot))
    fill(aside, asideOf(snapshot))
    const rows = rowsOf(snapshot, sizes)
    grid.show({ count: rows.length, at: (index) => rows[index] })
  }

  async function readSizes(): Promise<void> {
    const { largest } = await client.upkeep.usage({ largest: sized })
    sizes = new Map(largest.map(({ key, bytes }) => [key, bytes]))
    display()
  }

  return {
    element: h(
      'div',
      { class: 'view' },
      about,
      grid.element,
      h('div', { class: 'aside', tabindex: 0, role: 'group', 'aria-label': 'Quarantined and notices' }, aside),
    ),
    show() {
      isShown = true
      if (sync === undefined) return grid.show({ count: 0, at: () => undefined })
      stop ??= sync.subscribe(settle.start)
      display()
      inspection.attempt(readSizes)
    },
    hide() {
      isShown = false
      stop?.()
      stop = undefined
      settle.stop()
    },
  }
}

function statusOf({ status, isLeader }: InspectedSyncSnapshot): HTMLElement {
  const { state, message, pending, progress, report } = status
  const { sent, received, merged, purged, quarantinedCount, blobs } = report
  return figures([
    ['State', message === undefined ? state : `${state}: ${message}`],
    ['Synced by', isLeader ? 'this tab' : 'another tab'],
    ['Pending', counted(pending, 'session')],
    ['Progress', `${countOf(progress.done)} of ${countOf(progress.total)}`],
    ['Entries', `${countOf(sent)} sent, ${countOf(received)} received`],
    [
      'Attachments',
      `${countOf(blobs.sent)} sent, ${countOf(blobs.received)} received, ${countOf(blobs.missing)} missing`,
    ],
    ['Sessions', `${countOf(merged)} merged, ${countOf(purged)} erased`],
    ['Quarantined', counted(quarantinedCount, 'entry', 'entries')],
  ])
}

function asideOf({ status: { report } }: InspectedSyncSnapshot): readonly HTMLElement[] {
  const list = (texts: readonly string[]) =>
    h(
      'ul',
      {},
      texts.map((text) => h('li', { dir: 'auto' }, text)),
    )
  const quarantined = report.quarantined
    .slice(-mostLines)
    .map(({ key, id, reason }) => `${key}${id === undefined ? '' : ` ${id}`}: ${reason}`)
  return [
    ...(quarantined.length === 0 ? [] : [section('Quarantined', list(quarantined))]),
    ...(report.notices.length === 0 ? [] : [section('Notices', list(report.notices.slice(-mostLines)))]),
  ]
}

function rowsOf(
  { states, sessions, presence }: InspectedSyncSnapshot,
  sizes: ReadonlyMap<string, number>,
): readonly SyncedSession[] {
  const titles = new Map(sessions.map(({ key, title }) => [key, title]))
  const keys = new Set([...titles.keys(), ...Object.keys(states)])
  return [...keys].map((key) => {
    const bytes = sizes.get(key)
    return {
      key,
      state: states[key] ?? 'unknown',
      title: titles.get(key) ?? '',
      size: bytes === undefined ? '' : bytesOf(bytes),
      peers: presence[key]?.length ?? 0,
    }
  })
}
