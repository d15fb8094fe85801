import type { DeviceSyncSnapshot, SyncReport } from '../../src/sync.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import { figureRows } from '../ui/panel.ts'
import { syncWords } from './sync-words.ts'

export interface SyncStateView {
  readonly element: HTMLElement
  show(snapshot: DeviceSyncSnapshot | undefined): void
}

/** How sync stands, how far it is, and what it did. */
export function createSyncStateView(): SyncStateView {
  const sign = h('span', { class: 'sync-sign' })
  const word = h('strong')
  const text = h('p', { class: 'sync-text' })
  const line = h(
    'div',
    { class: 'sync-line', 'data-testid': 'sync-state', role: 'status' },
    sign,
    h('div', {}, word, text),
  )
  const bar = h('progress', { class: 'import-bar', max: 1, 'aria-label': 'Conversations synced', hidden: true })
  const figures = h('dl', { class: 'panel-figures', 'data-testid': 'sync-report' })
  const notices = h('ul', { class: 'panel-list sync-notices' })
  const findings = h('ul', { class: 'panel-list' })
  const aside = h('details', { class: 'sync-aside', hidden: true }, h('summary', {}), findings)

  return {
    element: h('section', { class: 'panel-section', 'aria-label': 'Sync status' }, line, bar, notices, figures, aside),
    show(snapshot) {
      const words = syncWords(snapshot)
      line.dataset['state'] = words.state
      sign.replaceChildren(icon(words.icon))
      // A status that is written anew is read out anew.
      if (word.textContent !== words.word) word.textContent = words.word
      if (text.textContent !== words.text) text.textContent = words.text
      const { progress, report } = snapshot?.status ?? {}
      bar.hidden = words.state !== 'syncing' || progress === undefined || progress.total === 0
      if (progress !== undefined && progress.total > 0) bar.value = progress.done / progress.total
      figures.hidden = report === undefined
      notices.hidden = report === undefined
      if (report === undefined) return
      notices.replaceChildren(...report.notices.map((notice) => h('li', {}, notice)))
      figures.replaceChildren(...figureRows(reportRows(report)))
      aside.hidden = report.quarantinedCount === 0
      aside.firstElementChild!.textContent = `${counted(report.quarantinedCount, 'entry', 'entries')} set aside`
      findings.replaceChildren(...report.quarantined.map(({ key, reason }) => h('li', {}, `${key}: ${reason}`)))
    },
  }
}

const reportRows = ({
  sent,
  received,
  merged,
  purged,
  quarantinedCount,
}: SyncReport): readonly (readonly [string, string])[] => [
  ['Sent', counted(sent, 'entry', 'entries')],
  ['Received', counted(received, 'entry', 'entries')],
  ['Merged', counted(merged, 'conversation')],
  ['Erased here', counted(purged, 'conversation')],
  ['Set aside', counted(quarantinedCount, 'entry', 'entries')],
]
