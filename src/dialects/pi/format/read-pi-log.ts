import { isSessionError } from '../../../contract/errors.ts'
import type { Gap } from '../../../formats/gaps.ts'
import { createBridge, readGap } from '../../../formats/gaps.ts'
import type { JsonlLine } from '../../../formats/jsonl-lines.ts'
import { lineLimit } from '../../../formats/jsonl-lines.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import { timeOf } from '../../../formats/time.ts'
import { withoutSecrets } from '../../../formats/without-secrets.ts'
import type { PiNode } from './pi-entry.ts'
import { parseEntry } from './pi-entry.ts'
import type { PiHeader } from './pi-header.ts'
import { parseHeader, refusal } from './pi-header.ts'

/** Lines without JSON after which a file without header is given up: it is something else. */
const searchedLines = 100

/** A session log, read. */
export interface PiLog {
  readonly header: PiHeader
  /** In file order. Of several with one id the last counts. */
  readonly nodes: readonly PiNode[]
  /** Different ids among the nodes. */
  readonly entries: number
  /** The latest time in it, in milliseconds since 1970; 0 when it has none. */
  readonly lastAt: number
}

export interface PiLogReader {
  /** Entries read so far. */
  readonly entries: number
  /** @throws InvalidInput, VersionConflict when the file is no session log */
  take(line: JsonlLine): void
  /** Takes notice of how long the next line is already. @throws InvalidInput when that can't be a header */
  expect(pendingBytes: number): void
  /** @throws InvalidInput when there was no header */
  end(): PiLog
}

/** Reads a session log line by line. What can't be read is skipped and reported, and its place in the tree bridged. */
export function createPiLogReader(skipped: SkippedLines): PiLogReader {
  const nodes: PiNode[] = []
  const lines = new Map<string, number>()
  const gaps: Gap[] = []
  /** Gaps right before an entry, by its place in `nodes`. */
  const gapsBefore = new Map<number, Gap>()
  let header: PiHeader | undefined
  let index = 0

  const before = (): string | null => nodes.at(-1)?.id ?? null

  function skip({ number, text }: JsonlLine, reason: string): void {
    skipped.add(number, reason)
    if (header === undefined && skipped.count >= searchedLines)
      throw refusal(`its first ${searchedLines} lines hold no JSON`)
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
      return skip(line, `it has ${line.bytes} bytes, and a line may have 16 MiB`)
    }
    if (line.text.trim() === '') return
    let found: unknown
    try {
      found = JSON.parse(line.text)
    } catch {
      return skip(line, line.isTerminated ? 'it is not JSON' : 'it is torn: the file ends in the middle of it')
    }
    if (header === undefined) {
      const { id, fields } = parseHeader(found)
      header = {
        id,
        fields: withoutSecrets(fields, (path) =>
          skipped.add(line.number, `${path} of the header may be a secret, and was left out`),
        ),
      }
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
      if (header === undefined) throw refusal('it holds no JSON')
      const lastAt = nodes.reduce((last, { at }) => Math.max(last, at), timeOf(header.fields['timestamp']) ?? 0)
      return { header, entries: lines.size, lastAt, nodes: linked(nodes, gaps, gapsBefore, (id) => lines.has(id)) }
    },
  }
}

/** Ties up what only the whole file tells: parents across gaps, and the first entry a compaction keeps. */
function linked(
  nodes: readonly PiNode[],
  gaps: readonly Gap[],
  gapsBefore: ReadonlyMap<number, Gap>,
  isEntry: (id: string) => boolean,
): readonly PiNode[] {
  const bridge = createBridge(gaps, isEntry)
  /** The first entry after each gap that has one. */
  const after = new Map<string, string>()
  return nodes.map((node, i) => {
    let next = node
    if (node.parentId !== null && !isEntry(node.parentId)) {
      const parentId = bridge(node.parentId, gapsBefore.get(i))
      if (parentId !== undefined) {
        if (!after.has(node.parentId)) after.set(node.parentId, node.id)
        next = { ...next, parentId }
      }
    }
    if (node.type !== 'compaction') return next
    const { firstKeptEntryIndex, ...data } = node.data
    if (typeof firstKeptEntryIndex === 'number' && node.firstKept === undefined) {
      // Version 1. Index 0 is the header, which nothing can begin with.
      const kept = firstKeptEntryIndex > 0 ? nodes.find(({ index }) => index >= firstKeptEntryIndex)?.id : undefined
      return kept === undefined
        ? { ...next, data }
        : { ...next, data: { ...data, firstKeptEntryId: kept }, firstKept: kept }
    }
    const kept = after.get(node.firstKept ?? '')
    return kept === undefined ? next : { ...next, firstKept: kept }
  })
}
