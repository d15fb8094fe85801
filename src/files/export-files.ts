import { SessionError } from '../contract/errors.ts'
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
  /**
   * Keys or aliases. Default: every session that is not deleted. Only an archive takes a deleted session, where it is
   * named.
   */
  readonly keys?: readonly string[]
  /** `zip` gives one file, an archive of the others. Default `files`. */
  readonly as?: 'files' | 'zip'
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

/**
 * Writes sessions in a format that other programs read, or everything about them as an archive.
 *
 * @throws InvalidInput for an unknown format; SessionNotFound for a key of `keys`; InvalidPathComponent (Aixgo's
 *   directories); TooLarge (an archive of over 4 GiB); Aborted
 */
export async function exportFiles(
  store: SessionStore,
  format: ExportFormat,
  { onProgress, ...options }: ExportFilesOptions = {},
): Promise<readonly SourceFile[]> {
  const reporting =
    onProgress === undefined
      ? options
      : {
          ...options,
          onProgress: ({ bytes, sessions }: ExportProgress) =>
            onProgress({ readBytes: bytes, totalBytes: 0, entries: sessions, skipped: 0 }),
        }
  if (format === 'archive') return [await archiveOf(exportArchive(store, reporting))]
  const files: SourceFile[] = []
  for await (const file of writerOf(format)(store, reporting)) files.push(file)
  return files
}

type Reporting = Omit<ExportFilesOptions, 'onProgress'> & { readonly onProgress?: (progress: ExportProgress) => void }

type FileWriter = (store: SessionStore, options: Reporting) => AsyncGenerator<SourceFile, void, undefined>

/** What writes each format, but the archive, which is one file. */
const writers: Readonly<Record<Exclude<ExportFormat, 'archive'>, FileWriter>> = {
  pi: exportPi,
  picoclaw: exportPicoClaw,
  agently: (store, options) => exportAgentlyStates(store, { ...options, format: 'json' }),
  'agently-yaml': (store, options) => exportAgentlyStates(store, { ...options, format: 'yaml' }),
  'ai-panel': exportAiPanel,
  aixgo: exportAixgo,
  openai: exportOpenAi,
  'openai-lines': (store, options) => exportOpenAi(store, { ...options, format: 'jsonl' }),
  markdown: (store, options) => exportMarkdown(store, { ...options, branches: true }),
}

function writerOf(format: Exclude<ExportFormat, 'archive'>): FileWriter {
  if (Object.hasOwn(writers, format)) return writers[format]
  const known = ['archive', ...Object.keys(writers)].join(', ')
  throw new SessionError(
    'InvalidInput',
    `Sessions can't be exported as ${JSON.stringify(format)}. Pass one of ${known}.`,
  )
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
