import type { ExportFormat, JobProgress, SourceFile } from '../contract/job.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { exportAgentlyStates } from '../dialects/agently/format/export-agently.ts'
import { exportAixgo } from '../dialects/aixgo/format/export-aixgo.ts'
import { exportAiPanel } from '../dialects/chat/format/export-ai-panel.ts'
import { exportPi } from '../dialects/pi/format/export-pi.ts'
import { exportPicoClaw } from '../dialects/picoclaw/format/export-picoclaw.ts'
import { exportArchive } from '../formats/export-archive.ts'
import { exportMarkdown } from '../formats/export-markdown.ts'
import { exportOpenAi } from '../formats/export-openai.ts'
import type { ExportProgress } from '../formats/export-sessions.ts'

export interface ExportFilesOptions {
  /** Keys or aliases. Default: every session that is not deleted; an archive has those in the trash as well. */
  readonly keys?: readonly string[]
  /** `zip` gives one file, an archive of the others. Default `files`. */
  readonly as?: 'files' | 'zip'
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/**
 * Writes sessions in one of the forms that other programs read, or all there is of them as an archive.
 *
 * @throws SessionNotFound for a key of `keys`; InvalidPathComponent (Aixgo's directories); TooLarge (an archive of over
 *   4 GiB); Aborted
 */
export async function exportFiles(
  store: SessionStore,
  format: ExportFormat,
  { onProgress, ...options }: ExportFilesOptions = {},
): Promise<readonly SourceFile[]> {
  const telling =
    onProgress === undefined
      ? options
      : {
          ...options,
          onProgress: ({ bytes, sessions }: ExportProgress) =>
            onProgress({ readBytes: bytes, totalBytes: 0, entries: sessions, skipped: 0 }),
        }
  if (format === 'archive') return [await archiveOf(exportArchive(store, telling))]
  const files: SourceFile[] = []
  for await (const file of filesOf(store, format, telling)) files.push(file)
  return files
}

type Telling = Omit<ExportFilesOptions, 'onProgress'> & { readonly onProgress?: (progress: ExportProgress) => void }

function filesOf(
  store: SessionStore,
  format: Exclude<ExportFormat, 'archive'>,
  options: Telling,
): AsyncGenerator<SourceFile, void, undefined> {
  switch (format) {
    case 'pi':
      return exportPi(store, options)
    case 'picoclaw':
      return exportPicoClaw(store, options)
    case 'agently':
      return exportAgentlyStates(store, { ...options, format: 'json' })
    case 'agently-yaml':
      return exportAgentlyStates(store, { ...options, format: 'yaml' })
    case 'ai-panel':
      return exportAiPanel(store, options)
    case 'aixgo':
      return exportAixgo(store, options)
    case 'openai':
      return exportOpenAi(store, options)
    case 'openai-lines':
      return exportOpenAi(store, { ...options, format: 'jsonl' })
    case 'markdown':
      return exportMarkdown(store, { ...options, branches: true })
  }
}

/** Pieces of a blob that are joined, so that a browser can put them outside the heap. */
const joined = 256

async function archiveOf(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>): Promise<SourceFile> {
  let blob = new Blob()
  let parts: BlobPart[] = []
  for await (const piece of pieces) {
    parts.push(piece)
    if (parts.length < joined) continue
    blob = new Blob([blob, ...parts])
    parts = []
  }
  return { path: 'sessions.keepsession.zip', blob: new Blob([blob, ...parts], { type: 'application/zip' }) }
}
