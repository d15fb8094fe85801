import { isSessionError } from '../../../contract/errors.ts'
import type { JsonlLine } from '../../../formats/jsonl-lines.ts'
import type { LineMessage } from '../../../formats/line-nodes.ts'
import { readMessage } from './read-picoclaw-message.ts'

/**
 * The maximum number of places that are tried to find a message after an incomplete one, so that no line takes long.
 */
const triedPlaces = 8

export interface LogReader {
  readonly messages: readonly LineMessage[]
  /** The number of lines so far that are not empty, which PicoClaw's `count` should equal. */
  readonly lines: number
  take(line: JsonlLine): void
}

/**
 * Reads a session's `.jsonl` line by line. A line that can't be imported is reported and still counts as a line,
 * because `skip` counts lines.
 *
 * After a crash PicoClaw appends the next message to an incomplete line and can't read it any more. Here it is found.
 */
export function createLogReader(skip: (line: number, reason: string) => void): LogReader {
  const messages: LineMessage[] = []
  let lines = 0

  function take({ text, bytes, number, isTooLong, isTerminated }: JsonlLine): void {
    if (text === '' && !isTooLong) return
    lines += 1
    if (isTooLong) return skip(number, `it has ${bytes} bytes; the limit is 16 MiB`)
    let found: unknown
    try {
      found = JSON.parse(text)
    } catch {
      found = messageBehindTear(text)
      skip(
        number,
        found !== undefined
          ? 'it begins with an incomplete message; the one after it was imported'
          : isTerminated
            ? 'it is not JSON'
            : 'it is incomplete: the file ends in the middle of it',
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

/** Within a message's texts the quotes would be escaped, so that a text that begins like a message is one. */
function messageBehindTear(text: string): unknown {
  let at = text.length
  for (let tried = 0; tried < triedPlaces && at > 0; tried++) {
    at = text.lastIndexOf('{"role":', at - 1)
    if (at <= 0) return undefined
    try {
      return JSON.parse(text.slice(at))
    } catch {
      // It may be further left.
    }
  }
  return undefined
}
