import type { ImportReport, JobProgress } from '../../src/index.ts'
import { type Child, h } from '../ui/dom.ts'
import { bytes, counted, shortened } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import { iconButton } from '../ui/icon-button.ts'

const listedReasons = 50

export interface ImportCard {
  readonly element: HTMLElement
  progress(progress: JobProgress): void
  done(report: ImportReport): void
  failed(message: string): void
}

/** Shows one import from its start to its report. */
export function createImportCard(fileName: string, onCancel: () => void): ImportCard {
  const bar = h('progress', { class: 'import-bar', max: 1, 'aria-label': `Importing ${fileName}` })
  const state = h('p', { class: 'import-state' }, 'Starting…')
  const cancel = h('button', { type: 'button', class: 'text-button', 'data-testid': 'import-cancel', onclick: () => onCancel() }, 'Cancel')
  const body = h('div', { class: 'import-body', 'data-testid': 'import-progress' }, bar, state, cancel)
  const element = h('section', { class: 'import-card', 'aria-label': `Import of ${fileName}` }, h('h2', {}, icon('import'), h('span', {}, fileName)), body)

  function end(...content: readonly Child[]): void {
    body.replaceWith(h('div', { class: 'import-body', 'data-testid': 'import-report', role: 'status' }, ...content))
    element.append(iconButton('close', 'Dismiss', { class: 'icon-button import-close', onclick: () => element.remove() }))
  }

  return {
    element,
    progress({ readBytes, totalBytes, entries, skipped }) {
      if (totalBytes > 0) bar.value = readBytes / totalBytes
      const isRead = totalBytes > 0 && readBytes >= totalBytes
      const size = totalBytes > 0 ? `${bytes(readBytes)} of ${bytes(totalBytes)}` : bytes(readBytes)
      state.textContent = [isRead ? 'Storing' : size, counted(entries, 'entry', 'entries'), skipped > 0 ? `${skipped} skipped` : ''].filter(Boolean).join(' · ')
    },
    done(report) {
      end(
        h('dl', { class: 'import-figures' }, figure('added', report.added), figure('known already', report.known), figure('skipped', report.skippedCount)),
        report.skippedCount > 0 && skippedLines(report),
      )
    },
    failed(message) {
      end(h('p', { class: 'import-state' }, message))
    },
  }
}

const figure = (name: string, count: number): HTMLElement => h('div', { 'data-figure': name }, h('dt', {}, name), h('dd', {}, count.toLocaleString()))

function skippedLines({ skipped, skippedCount }: ImportReport): HTMLElement {
  const rest = skippedCount - Math.min(skipped.length, listedReasons)
  return h(
    'details',
    { class: 'import-reasons' },
    h('summary', {}, 'What was skipped, and why'),
    h('ul', { class: 'import-skipped' }, ...skipped.slice(0, listedReasons).map(({ file, line, reason }) => h('li', {}, [file, line > 0 && `Line ${line}`, shortened(reason, 200)].filter(Boolean).join(': '))), rest > 0 && h('li', {}, `and ${rest.toLocaleString()} more`)),
  )
}
