import { isSessionError } from '../contract/errors.ts'
import { describeJson } from './describe-json.ts'
import { type Dialect, recognise } from './dialect.ts'
import type { ForeignFile } from './foreign-files.ts'
import { createItemSplitter } from './json-items.ts'
import { readLines } from './jsonl-lines.ts'

/**
 * How a file holds what it holds: as elements of a list (or one object), as lines, and whether each is a conversation
 * or only a message.
 */
export type FileForm = 'items' | 'messages' | 'lines' | 'lines of messages'

/** What a file holds. */
export type Survey =
  | { readonly dialect: Dialect; readonly form: FileForm }
  /** Nothing that is known here. */
  | { readonly dialect?: undefined; readonly found: string; readonly isJson: boolean }

/** Values without a conversation among them after which a file is given up: it is something else. */
const searchedValues = 100

/** Bytes that are looked through for a file that is no text. */
const searchedBytes = 1024

/**
 * Reads a file once to the end, so that a damaged one is known before anything of it is stored, and tells what it is by
 * its content.
 *
 * @throws InvalidInput, TooLarge when it is damaged, with the place; Aborted
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
    // A line that is torn would do that, and costs only itself.
    const survey = await surveyLines(file, signal, () => {})
    if (survey.dialect === undefined) throw error
    return survey
  }
}

async function firstBytes(file: ForeignFile, signal: AbortSignal | undefined): Promise<Uint8Array> {
  for await (const piece of file.read(signal, () => {})) if (piece.length > 0) return piece.slice(0, searchedBytes)
  return new Uint8Array()
}

/** `mayBeLines`: objects one after the other, or one of a format that has lines only. */
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
      first ??= value === undefined ? 'a value that is no JSON, or too large' : describeJson(value)
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
    // What is in an archive is checked to its end; a log goes on being written, so it may have any.
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
