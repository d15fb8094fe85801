import { isSessionError } from '../../../contract/errors.ts'
import type { JsonlLine } from '../../../formats/jsonl-lines.ts'
import type { LineMessage } from '../../../formats/line-nodes.ts'
import { readMessage } from './read-picoclaw-message.ts'

/**
 * Where a message that was written behind a torn line may begin. Only a few places are tried, so that no line takes
 * long.
 */
const triedPlaces = 8

export interface LogReader {
  readonly messages: readonly LineMessage[]
  /** Lines so far that are not empty: what PicoClaw's `count` should say. */
  readonly lines: number
  take(line: JsonlLine): void
}

/**
 * Reads a session's `.jsonl` line by line. What can't be taken is reported and still counts as a line, because `skip`
 * counts lines.
 *
 * PicoClaw loses the message that it appends behind a line torn by a crash; here it is found.
 */
export function createLogReader(skip: (line: number, reason: string) => void): LogReader {
  const messages: LineMessage[] = []
  let lines = 0

  function take({ text, bytes, number, isTooLong, isTerminated }: JsonlLine): void {
    if (text === '' && !isTooLong) return
    lines += 1
    if (isTooLong) return skip(number, `it has ${bytes} bytes, and a line may have 16 MiB`)
    let found: unknown
    try {
      found = JSON.parse(text)
    } catch {
      found = messageBehindTear(text)
      skip(
        number,
        found !== undefined
          ? 'it begins with a torn message; the one behind it was taken'
          : isTerminated
            ? 'it is not JSON'
            : 'it is torn: the file ends in the middle of it',
      )
      if (found === undefined) return
    }
    try {
      messages.push(readMessage(found, lines))
    } catch (error) {
      if (!isSessionError(error)) throw error
      skip(number, error.message)
    }
  }

  return {
    messages,
    get lines() {
      return lines
    },
    take,
  }
}

/** Inside of a message's texts the quotes would be escaped, so what begins like a message there is one. */
function messageBehindTear(text: string): unknown {
  let at = text.length
  for (let tried = 0; tried < triedPlaces && at > 0; tried++) {
    at = text.lastIndexOf('{"role":', at - 1)
    if (at <= 0) return undefined
    try {
      return JSON.parse(text.slice(at))
    } catch {
      // It may lie further left.
    }
  }
  return undefined
}
