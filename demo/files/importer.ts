import { isSessionError, type SessionClient } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { messageOf } from '../ui/toasts.ts'
import { dropZone } from './drop-zone.ts'
import { createImportCard } from './import-card.ts'

export interface Importer {
  /** Where imports show how far they are. */
  readonly element: HTMLElement
  /** The file input and the drop zone. */
  readonly helpers: readonly HTMLElement[]
  /** Asks for files. */
  choose(): void
  /** Imports one file, and opens what was in it. */
  run(source: Blob, name: string): Promise<void>
}

/** Brings session logs in: chosen, dropped, or handed over by the app. */
export function createImporter(store: SessionClient, onImported: (key: string) => void): Importer {
  const cards = h('div', { class: 'import-cards' })
  const input = h('input', { type: 'file', accept: '.jsonl,application/jsonl,application/x-ndjson', multiple: true, hidden: true, 'data-testid': 'import-input', 'aria-label': 'Session files to import', onchange: () => takeChosen() })

  function takeChosen(): void {
    const files = [...(input.files ?? [])]
    // Otherwise choosing the same file again would be no change.
    input.value = ''
    void runAll(files)
  }

  async function runAll(files: readonly File[]): Promise<void> {
    for (const file of files) await run(file, file.name)
  }

  async function run(source: Blob, name: string): Promise<void> {
    const ending = new AbortController()
    const card = createImportCard(name, () => ending.abort())
    cards.append(card.element)
    try {
      const job = store.importJsonl(source, { signal: ending.signal })
      for await (const progress of job) card.progress(progress)
      const report = await job.result
      card.done(report)
      if (report.keys[0] !== undefined) onImported(report.keys[0])
    } catch (error) {
      card.failed(isSessionError(error, 'Aborted') || ending.signal.aborted ? 'Cancelled. Importing it again adds what is missing.' : `It could not be imported: ${messageOf(error)}`)
    }
  }

  return { element: cards, helpers: [input, dropZone((files) => void runAll(files))], choose: () => input.click(), run }
}
