import { type ImportReport, isSessionError, type Job, type SessionClient, type SourceFile } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
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

/** Brings conversations in, of any app that is known: chosen, dropped, or handed over by the app. */
export function createImporter(store: SessionClient, onImported: (key: string) => void): Importer {
  const cards = h('div', { class: 'import-cards' })
  const input = h('input', { type: 'file', multiple: true, hidden: true, 'data-testid': 'import-input', 'aria-label': 'Session files to import', onchange: () => takeChosen() })

  function takeChosen(): void {
    const files = [...(input.files ?? [])]
    // Otherwise choosing the same file again would be no change.
    input.value = ''
    void runAll(files.map((file) => ({ path: file.name, blob: file })))
  }

  /** What the files are is told by what they hold. */
  function runAll(files: readonly SourceFile[]): Promise<void> {
    return show(files.length === 1 ? files[0]!.path : counted(files.length, 'file'), (signal) => store.importFiles(files, { signal }))
  }

  const run = (source: Blob, name: string): Promise<void> => runAll([{ path: name, blob: source }])

  async function show(name: string, start: (signal: AbortSignal) => Job<ImportReport>): Promise<void> {
    const ending = new AbortController()
    const card = createImportCard(name, () => ending.abort())
    cards.append(card.element)
    try {
      const job = start(ending.signal)
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
