import { type ImportReport, isSessionError, type Job, type SessionClient, type SourceFile } from '../../src/index.ts'
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
  const input = h('input', { type: 'file', accept: '.jsonl,.json,.zip,application/jsonl,application/x-ndjson', multiple: true, hidden: true, 'data-testid': 'import-input', 'aria-label': 'Session files to import', onchange: () => takeChosen() })

  function takeChosen(): void {
    const files = [...(input.files ?? [])]
    // Otherwise choosing the same file again would be no change.
    input.value = ''
    void runAll(files.map((file) => ({ path: file.name, blob: file })))
  }

  /** PicoClaw's sessions come as a folder, a zip, or files of which some are not JSONL; everything else is a log for itself. */
  async function runAll(files: readonly SourceFile[]): Promise<void> {
    if (files.some(({ path }) => path.includes('/') || /\.(json|zip)$/i.test(path))) {
      return show(files.length === 1 ? files[0]!.path : 'PicoClaw’s sessions', (signal) => store.importPicoClaw(files, { signal }))
    }
    for (const { path, blob } of files) await run(blob, path)
  }

  const run = (source: Blob, name: string): Promise<void> => show(name, (signal) => store.importJsonl(source, { signal }))

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
