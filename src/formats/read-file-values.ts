import { describeJson } from './describe-json.ts'
import type { ForeignFile } from './foreign-files.ts'
import { isObject } from './is-plain-object.ts'
import { createItemSplitter, itemLimit } from './json-items.ts'
import { readLines } from './jsonl-lines.ts'

type Fields = Readonly<Record<string, unknown>>

/** An object of a file with its place. */
export interface FileValue {
  readonly value: Fields
  /** 0: the file has no lines. */
  readonly line: number
  /** The size of its text. */
  readonly bytes: number
  /** A prefix for reports, such as `item 3 (byte 1024): `; empty if there is a line number. */
  readonly place: string
}

export interface ReadValuesOptions {
  /** Whether each line is a value; otherwise each element of a list is one. */
  readonly hasLines: boolean
  /** Whether a value is to be returned. */
  readonly isWanted: (value: Fields) => boolean
  readonly signal: AbortSignal | undefined
  readonly onRead: (bytes: number) => void
  readonly skip: (line: number, reason: string) => void
}

/**
 * Reads the objects of a file one after the other, each only when it is requested. Values that are not JSON, too large
 * or not wanted are skipped and reported.
 *
 * @throws InvalidInput when the file is damaged as a whole; Aborted
 */
export async function* readValues(
  file: ForeignFile,
  { hasLines, isWanted, signal, onRead, skip }: ReadValuesOptions,
): AsyncGenerator<FileValue, void, undefined> {
  function* take(text: string, bytes: number, line: number, place: string): Generator<FileValue, void, undefined> {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      return skip(line, `${place}it is not JSON: ${(error as Error).message.slice(0, 200)}`)
    }
    if (isObject(value) && isWanted(value)) yield { value, bytes, line, place }
    else skip(line, `${place}it is not a conversation: ${describeJson(value)}`)
  }

  if (hasLines) {
    for await (const { lines } of readLines(file.read(signal, onRead), signal)) {
      for (const { number, text, bytes, isTooLong, isTerminated } of lines) {
        if (isTooLong) skip(number, `it has ${bytes} bytes; the limit is 16 MiB`)
        else if (text.trim() !== '' && !isTerminated && !isJson(text))
          skip(number, 'it is incomplete: the file ends in the middle of it')
        else if (text.trim() !== '') yield* take(text, bytes, number, '')
      }
    }
    return
  }
  const splitter = createItemSplitter()
  for await (const piece of file.read(signal, onRead)) {
    for (const { number, offset, bytes, text } of splitter.push(piece)) {
      const place = splitter.isList ? `item ${number} (byte ${offset}): ` : ''
      if (text === undefined)
        skip(
          0,
          `${place}it has ${bytes} bytes, more than the limit of ${itemLimit / 1024 / 1024} MiB, or too many levels`,
        )
      else yield* take(text, bytes, 0, place)
    }
  }
  splitter.end()
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
