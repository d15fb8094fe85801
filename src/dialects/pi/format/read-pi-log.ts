import { isSessionError } from '../../../contract/errors.ts'
import { type Gap, readGap } from '../../../formats/gaps.ts'
import type { JsonlLine } from '../../../formats/jsonl-lines.ts'
import { lineLimit } from '../../../formats/jsonl-lines.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import { timeOf } from '../../../formats/time.ts'
import { withoutSecrets } from '../../../formats/without-secrets.ts'
import { linkPiNodes } from './link-pi-nodes.ts'
import type { PiNode } from './pi-entry.ts'
import { parseEntry } from './pi-entry.ts'
import type { PiHeader } from './pi-header.ts'
import { parseHeader, refusal } from './pi-header.ts'

/** After this many lines without JSON, a file without a header is not read any further. */
const searchedLines = 100

/** The content of a session log. */
export interface PiLog {
  readonly header: PiHeader
  /** In file order. Of several with the same id, the last one counts. */
  readonly nodes: readonly PiNode[]
  /** Different ids among the nodes. */
  readonly entries: number
  /** The latest time in the log, in milliseconds since 1970; 0 without any. */
  readonly lastAt: number
}

export interface PiLogReader {
  /** Entries read so far. */
  readonly entries: number
  /** @throws InvalidInput, VersionConflict when the file is no session log */
  take(line: JsonlLine): void
  /** Checks the length of a line that is still being read. @throws InvalidInput when it can't be a header */
  expect(pendingBytes: number): void
  /** @throws InvalidInput when there was no header */
  end(): PiLog
}

/**
 * Reads a session log line by line. A line that can't be read is skipped and reported, and its children are attached to
 * its parent.
 */
export function createPiLogReader(skipped: SkippedLines): PiLogReader {
  const nodes: PiNode[] = []
  const lines = new Map<string, number>()
  const gaps: Gap[] = []
  /** Gaps right before an entry, by its index in `nodes`. */
  const gapsBefore = new Map<number, Gap>()
  let header: PiHeader | undefined
  let index = 0

  const before = (): string | null => nodes.at(-1)?.id ?? null

  function skip({ number, text }: JsonlLine, reason: string): void {
    skipped.add(number, reason)
    if (header === undefined && skipped.count >= searchedLines)
      throw refusal(`its first ${searchedLines} lines contain no JSON`)
    const gap = readGap(text, before())
    gaps.push(gap)
    gapsBefore.set(nodes.length, gap)
  }

  function takeEntry(line: JsonlLine, found: unknown): void {
    try {
      const { version } = header!.fields
      const node = parseEntry(found, {
        line: line.number,
        index,
        before: before(),
        isLinear: version === undefined || version === 1,
      })
      const double = lines.get(node.id)
      if (double !== undefined)
        skipped.add(double, `its id ${JSON.stringify(node.id)} is used again in line ${line.number}, which counts`)
      lines.set(node.id, line.number)
      nodes.push(node)
    } catch (error) {
      if (!isSessionError(error)) throw error
      skip(line, error.message)
    }
  }

  function expect(bytes: number): void {
    if (header === undefined && bytes > lineLimit) throw refusal(`its first line has ${bytes} bytes or more`)
  }

  function take(line: JsonlLine): void {
    if (line.isTooLong) {
      expect(line.bytes)
      index += 1
      return skip(line, `it has ${line.bytes} bytes; the limit is 16 MiB`)
    }
    if (line.text.trim() === '') return
    let found: unknown
    try {
      found = JSON.parse(line.text)
    } catch {
      return skip(line, line.isTerminated ? 'it is not JSON' : 'it is incomplete: the file ends in the middle of it')
    }
    if (header === undefined) {
      header = headerOf(found, (path) =>
        skipped.add(line.number, `${path} of the header may be a secret, and was left out`),
      )
      return
    }
    index += 1
    takeEntry(line, found)
  }

  return {
    get entries() {
      return lines.size
    },
    take,
    expect,
    end() {
      if (header === undefined) throw refusal('it contains no JSON')
      const lastAt = nodes.reduce((last, { at }) => Math.max(last, at), timeOf(header.fields['timestamp']) ?? 0)
      return { header, entries: lines.size, lastAt, nodes: linkPiNodes(nodes, gaps, gapsBefore, (id) => lines.has(id)) }
    },
  }
}

function headerOf(found: unknown, onSecret: (path: string) => void): PiHeader {
  const { id, fields } = parseHeader(found)
  return { id, fields: withoutSecrets(fields, onSecret) }
}
