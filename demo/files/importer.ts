import { type FilesReport, isSessionError, type SessionClient } from '../../src/index.ts'
import type { SourceFile } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { messageOf } from '../ui/toasts.ts'
import { archiveOfChosen } from './archive-of-chosen.ts'
import { dropZone } from './drop-zone.ts'
import { createImportCard, type ImportCard } from './import-card.ts'

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
export function createImporter(client: SessionClient, onImported: (key: string) => void): Importer {
  const cards = h('div', { class: 'import-cards' })
  const input = h('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    'data-testid': 'import-input',
    'aria-label': 'Files to import',
    onchange: () => takeChosen(),
  })

  function takeChosen(): void {
    const files = [...(input.files ?? [])]
    // Otherwise choosing the same file again would be no change.
    input.value = ''
    void runAll(files.map((file) => ({ path: file.name, blob: file })))
  }

  /** What the files are is told by what they hold. */
  async function runAll(files: readonly SourceFile[]): Promise<void> {
    const ending = new AbortController()
    const card = createImportCard(files.length === 1 ? files[0]!.path : counted(files.length, 'file'), () =>
      ending.abort(),
    )
    cards.append(card.element)
    let isWriting = false
    try {
      const preview = await follow(card, files, ending.signal, true)
      // One conversation is what was asked for, and easily deleted. Of many, the user chooses first.
      const mustAsk = preview.sessions.length > 1 && preview.added > 0
      const chosen = mustAsk ? await card.ask(preview) : preview.keys
      if (mustAsk && chosen.length === 0) return card.element.remove()
      const isPart = mustAsk && chosen.length < preview.sessions.length
      const wanted = isPart ? await archiveOfChosen(files, chosen, ending.signal) : files
      isWriting = true
      const report = await follow(card, wanted, ending.signal, false)
      card.done(isPart ? reportOf(preview, chosen) : report)
      if (report.keys[0] !== undefined) onImported(report.keys[0])
    } catch (error) {
      const isCancelled = isSessionError(error, 'Aborted') || ending.signal.aborted
      card.failed(
        !isCancelled
          ? `The files could not be imported: ${messageOf(error)}`
          : isWriting
            ? 'Cancelled. Import the same files again to add the rest.'
            : 'Cancelled. Nothing was imported.',
      )
    }
  }

  async function follow(
    card: ImportCard,
    files: readonly SourceFile[],
    signal: AbortSignal,
    dryRun: boolean,
  ): Promise<FilesReport> {
    const job = client.files.import(files, { signal, dryRun })
    for await (const progress of job) card.progress(dryRun ? 'Reading' : 'Importing', progress)
    return job.result
  }

  return {
    element: cards,
    helpers: [input, dropZone((files) => void runAll(files))],
    choose: () => input.click(),
    run: (source, name) => runAll([{ path: name, blob: source }]),
  }
}

/** What a preview says of the conversations that were chosen. */
function reportOf(preview: FilesReport, chosen: readonly string[]): FilesReport {
  const keys = new Set(chosen)
  const sessions = preview.sessions.filter(({ key }) => keys.has(key))
  const sum = (figure: 'added' | 'known'): number => sessions.reduce((all, session) => all + (session[figure] ?? 0), 0)
  return { ...preview, keys: chosen, sessions, added: sum('added'), known: sum('known') }
}
