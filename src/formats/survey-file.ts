import { isSessionError } from '../contract/errors.ts'
import { describeJson } from './describe-json.ts'
import { type Dialect, recognise } from './dialect.ts'
import type { ForeignFile } from './foreign-files.ts'
import { createItemSplitter } from './json-items.ts'
import { readLines } from './jsonl-lines.ts'

/**
 * The structure of a file: elements of a list (or one object) or lines, each of which is a conversation or only a
 * message.
 */
export type FileForm = 'items' | 'messages' | 'lines' | 'lines of messages'

/** The kind of a file's content. */
export type Survey =
  | { readonly dialect: Dialect; readonly form: FileForm }
  /** No content that is recognised. */
  | { readonly dialect?: undefined; readonly found: string; readonly isJson: boolean }

/** After this many values without a conversation, a file is not searched any further. */
const searchedValues = 100

/** The number of bytes that are searched to recognise a binary file. */
const searchedBytes = 1024

/**
 * Reads a file once to its end, so that damage is found before anything of it is stored, and recognises it by its
 * content.
 *
 * @throws InvalidInput, TooLarge with the place when it is damaged; Aborted
 */
export async function surveyFile(
  file: ForeignFile,
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void,
): Promise<Survey> {
  const start = await firstBytes(file, signal)
  if (start.includes(0)) return { found: 'no text', isJson: false }
  const text = new TextDecoder().decode(start).trimStart()
  if (!/^[[{]/.test(text)) return surveyLines(file, signal, onRead)
  try {
    const survey = await surveyItems(file, signal, onRead)
    if (survey.dialect !== undefined || !survey.mayBeLines) return survey
    const lines = await surveyLines(file, signal, () => {})
    return lines.dialect === undefined ? survey : lines
  } catch (error) {
    if (!isSessionError(error, 'InvalidInput') || text.startsWith('[')) throw error
    // The file may be a log with an incomplete line, of which only that line is lost.
    const survey = await surveyLines(file, signal, () => {})
    if (survey.dialect === undefined) throw error
    return survey
  }
}

async function firstBytes(file: ForeignFile, signal: AbortSignal | undefined): Promise<Uint8Array> {
  for await (const piece of file.read(signal, () => {})) if (piece.length > 0) return piece.slice(0, searchedBytes)
  return new Uint8Array()
}

/** `mayBeLines`: the file has one or several objects that are not in a list, and may be a format of lines. */
async function surveyItems(
  file: ForeignFile,
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void,
): Promise<Survey & { readonly mayBeLines?: boolean }> {
  const splitter = createItemSplitter()
  let survey: Survey | undefined
  let first: string | undefined
  let searched = 0
  let objects = 0
  for await (const piece of file.read(signal, onRead)) {
    for (const { text } of splitter.push(piece)) {
      objects += 1
      if (survey !== undefined || searched >= searchedValues) continue
      searched += 1
      const value = text === undefined ? undefined : parsed(text)
      first ??= value === undefined ? 'a value that is not JSON, or too large' : describeJson(value)
      const found = recognise(value, false)
      if (found !== undefined)
        survey = { dialect: found.dialect, form: found.part === 'message' ? 'messages' : 'items' }
    }
  }
  splitter.end()
  if (survey?.dialect !== undefined && (splitter.isList || (survey.form === 'items' && objects === 1))) return survey
  const found = first ?? 'nothing'
  return {
    found: splitter.isList ? `a list that begins with ${found}` : found,
    isJson: true,
    mayBeLines: !splitter.isList,
  }
}

async function surveyLines(
  file: ForeignFile,
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void,
): Promise<Survey> {
  let survey: Survey | undefined
  let first: string | undefined
  let searched = 0
  for await (const { lines } of readLines(file.read(signal, onRead))) {
    for (const { text, isTooLong } of lines) {
      if (survey !== undefined || searched >= searchedValues || (text.trim() === '' && !isTooLong)) continue
      searched += 1
      const value = isTooLong ? undefined : parsed(text)
      if (value !== undefined) first ??= describeJson(value)
      const found = recognise(value, true)
      if (found !== undefined)
        survey = { dialect: found.dialect, form: found.part === 'message' ? 'lines of messages' : 'lines' }
    }
    // Files in an archive are checked to their ends. A plain log may still be written to, so that its end does not
    // matter.
    if (file.kind === 'plain' && (survey !== undefined || searched >= searchedValues)) break
  }
  return survey ?? { found: first ?? 'no JSON', isJson: first !== undefined }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
