import { SessionError } from '../contract/errors.ts'
import type { SourceFile } from '../contract/job.ts'
import { abortError } from '../formats/byte-source.ts'
import { isConversationDialect } from '../formats/conversation/conversation.ts'
import type { Dialect } from '../formats/dialect.ts'
import { parseSessionFile } from '../formats/file-names.ts'
import { type ForeignFile, listForeignFiles } from '../formats/foreign-files.ts'
import { isFileError } from '../formats/is-file-error.ts'
import { type Survey, surveyFile } from '../formats/survey-file.ts'
import type { WantedFile } from '../formats/wanted-file.ts'
import type { Breather } from '../pacing/breather.ts'
import { directoryImporters } from './import-directory.ts'

export interface SurveyOptions {
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
  /** Called when the files are known, with the bytes of one reading of all of them. */
  readonly onListed: (bytes: number) => void
  readonly onRead: (bytes: number) => void
  readonly skip: (path: string, reason: string) => void
  /** Takes notice of a file that is damaged. */
  readonly leaveOut: (path: string, error: SessionError) => void
}

/**
 * Looks at every file of a source and tells which are to be imported and how. The others are reported, but for pictures
 * and pages in archives.
 *
 * @throws InvalidInput, TooLarge, VersionConflict when there is none, saying what was found; Aborted
 */
export async function surveySource(
  sources: readonly SourceFile[],
  { breathe, signal, onListed, onRead, skip, leaveOut }: SurveyOptions,
): Promise<readonly WantedFile[]> {
  const damages: SessionError[] = []
  const onDamage = (path: string, error: unknown): void => {
    if (!isFileError(error)) throw error
    damages.push(error)
    leaveOut(path, error)
  }
  const files = await listForeignFiles(sources, signal, onDamage)
  onListed(files.reduce((sum, { bytes }) => sum + bytes, 0))
  const surveys: { readonly file: ForeignFile; readonly survey: Survey }[] = []
  for (const file of files) {
    try {
      surveys.push({ file, survey: await surveyFile(file, signal, onRead) })
    } catch (error) {
      onDamage(file.path, error)
    }
    await breathe()
    if (signal?.aborted) throw abortError()
  }
  const hasPicoClaw = surveys.some(
    ({ file, survey }) => survey.dialect === 'picoclaw' && parseSessionFile(file.path) !== undefined,
  )
  // What lies in one of our archives beside the logs is its own, whatever it looks like.
  const archives = new Set(
    surveys.flatMap(({ file, survey }) =>
      file.kind === 'zip' && survey.dialect === 'keepsession' ? [file.source] : [],
    ),
  )
  const wanted: WantedFile[] = []
  const others: string[] = []
  for (const { file, survey } of surveys) {
    if (archives.has(file.source) && survey.dialect !== 'keepsession') continue
    const dialect = survey.dialect === undefined ? undefined : dialectOf(file, survey, hasPicoClaw)
    if (dialect !== undefined && isRead(dialect) && survey.dialect !== undefined) {
      wanted.push({ file, dialect, form: survey.form })
      continue
    }
    const found = survey.dialect === undefined ? survey.found : `a file of ${survey.dialect}, which is not read here`
    others.push(file.path === '' ? found : `${file.path}: ${found}`)
    if (survey.dialect !== undefined || survey.isJson || file.kind !== 'zip')
      skip(file.path, `it holds no conversation that is known here: ${found}`)
  }
  if (wanted.length > 0) return wanted
  if (damages[0] !== undefined) throw damages[0]
  const found =
    others.length === 0
      ? 'no file'
      : `${others.slice(0, 5).join('; ')}${others.length > 5 ? `, and ${others.length - 5} more` : ''}`
  throw new SessionError(
    'InvalidInput',
    `There is no conversation here that can be imported. Found: ${found}. Choose the export of a chat app (JSON, JSONL or zip). Nothing was imported.`,
  )
}

function isRead(dialect: Dialect): boolean {
  return dialect === 'pi' || isConversationDialect(dialect) || directoryImporters.has(dialect)
}

/**
 * PicoClaw's logs are messages without anything around them, as a list of OpenAI's is; only what lies beside them
 * tells, or their times. Its importer goes by names (they tie logs to metadata), so a file without one is read as
 * messages.
 */
function dialectOf(
  file: ForeignFile,
  { dialect, form }: Extract<Survey, { readonly dialect: Dialect }>,
  hasPicoClaw: boolean,
): Dialect | undefined {
  const name = parseSessionFile(file.path)
  if (dialect === 'picoclaw')
    return name !== undefined && file.kind !== 'gzip' ? 'picoclaw' : form === 'lines of messages' ? 'openai' : undefined
  return hasPicoClaw && form === 'lines of messages' && name?.kind === 'log' && file.kind !== 'gzip'
    ? 'picoclaw'
    : dialect
}
