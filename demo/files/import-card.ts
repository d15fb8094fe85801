import type { FilesReport, JobProgress } from '../../src/index.ts'
import { type Child, h } from '../ui/dom.ts'
import { bytes, counted } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { icon } from '../ui/icons.ts'
import { createImportChoices } from './import-choices.ts'
import { importedSessions, skippedLines } from './import-lists.ts'

export interface ImportCard {
  readonly element: HTMLElement
  progress(doing: string, progress: JobProgress): void
  /** Shows what would be imported. @returns the keys of what the user wants of it; none if the import is cancelled */
  ask(preview: FilesReport): Promise<readonly string[]>
  done(report: FilesReport): void
  failed(message: string): void
}

/** Shows one import: how far it is, what is in the files, and at the end what became of them. */
export function createImportCard(fileName: string, onCancel: () => void): ImportCard {
  const bar = h('progress', { class: 'import-bar', max: 1, 'aria-label': `Importing ${fileName}` })
  const state = h('p', { class: 'import-state' }, 'Starting…')
  const cancel = h(
    'button',
    { type: 'button', class: 'text-button', 'data-testid': 'import-cancel', onclick: () => onCancel() },
    'Cancel',
  )
  const working = h('div', { class: 'import-body', 'data-testid': 'import-progress' }, bar, state, cancel)
  const element = h(
    'section',
    { class: 'import-card', 'aria-label': `Import of ${fileName}` },
    h('h2', {}, icon('import'), h('span', {}, fileName)),
    working,
  )
  let body: HTMLElement = working

  function put(next: HTMLElement): void {
    if (next === body) return
    body.replaceWith(next)
    body = next
  }

  function end(...content: readonly Child[]): void {
    put(h('div', { class: 'import-body', 'data-testid': 'import-report', role: 'status' }, ...content))
    element.append(
      iconButton('close', 'Dismiss', { class: 'icon-button import-close', onclick: () => element.remove() }),
    )
  }

  return {
    element,
    progress(doing, { readBytes, totalBytes, entries, skipped }) {
      put(working)
      if (totalBytes > 0) bar.value = readBytes / totalBytes
      const size = totalBytes > 0 ? `${bytes(readBytes)} of ${bytes(totalBytes)}` : bytes(readBytes)
      state.textContent = [doing, size, counted(entries, 'entry', 'entries'), skipped > 0 ? `${skipped} skipped` : '']
        .filter(Boolean)
        .join(' · ')
    },
    ask(preview) {
      return new Promise((resolve) => {
        const yes = h('button', {
          type: 'button',
          class: 'button primary',
          'data-testid': 'import-yes',
          onclick: () => resolve(choices.chosen()),
        })
        const choices = createImportChoices(preview.sessions, (keys) => {
          yes.textContent = `Import ${counted(keys.length, 'conversation')}`
          yes.disabled = keys.length === 0
        })
        put(
          h(
            'div',
            { class: 'import-body', 'data-testid': 'import-preview' },
            figures(preview, 'new'),
            choices.element,
            skippedLines(preview, 'Skipped lines'),
            h(
              'div',
              { class: 'import-choice' },
              yes,
              h(
                'button',
                { type: 'button', class: 'button', 'data-testid': 'import-no', onclick: () => resolve([]) },
                'Cancel',
              ),
            ),
          ),
        )
        yes.focus()
      })
    },
    done(report) {
      end(
        figures(report, 'added'),
        report.sessions.length > 1 && importedSessions(report.sessions),
        skippedLines(report, 'Skipped lines'),
      )
    },
    failed(message) {
      end(h('p', { class: 'import-state' }, message))
    },
  }
}

const figures = ({ added, known, skippedCount, leftDeleted }: FilesReport, newName: string): HTMLElement =>
  h(
    'dl',
    { class: 'import-figures' },
    figure(newName, added),
    figure('already stored', known),
    figure('skipped', skippedCount),
    ...(leftDeleted.length > 0 ? [figure('left deleted', leftDeleted.length)] : []),
  )

const figure = (name: string, count: number): HTMLElement =>
  h('div', { 'data-figure': name }, h('dt', {}, name), h('dd', {}, count.toLocaleString()))
