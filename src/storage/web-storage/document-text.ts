import type { DraftChunk } from '../../contract/change.ts'
import type { DraftRow } from '../../contract/draft-row.ts'
import { SessionError } from '../../contract/errors.ts'
import type { OperationRow } from '../../contract/operation-row.ts'
import type { ColdRow } from '../../contract/rows.ts'
import { isHotRow, readRecord } from '../readable.ts'
import { createDocument, type DocumentRecord, type SessionDocument } from '../session-document.ts'

/**
 * A session as one text of lines: a head `keepsession 1 <session number>`, then `<tag>` tab `<JSON>`. It has lines
 * because a damaged one must not affect the others, and because unchanged records need not be converted to JSON again.
 *
 * | tag | JSON |
 * | --- | --- |
 * | `hot`, `cold` | the rows |
 * | `e <lane> <first order>` | record: list of packed entries |
 * | `o` | operation row |
 * | `d` | `[draft row, [[n, chunk], …]]` |
 * | `x` | a line that was set aside, as it was found |
 */
export interface DocumentText {
  /**
   * `undefined` when the text has another form, or its hot row can't be read. @throws VersionConflict when newer code
   * wrote it
   */
  parse(text: string): SessionDocument | undefined
  format(document: SessionDocument): string
}

const formatVersion = 1

/** The session number of a text, without reading the rest. */
export function sessionNumberIn(text: string): number | undefined {
  const [, version, session] = /^keepsession (\d+) (\d+)\n/.exec(text) ?? []
  return version === undefined ? undefined : Number(session)
}

/** Reads and writes documents; remembers the JSON of records it has seen. */
export function createDocumentText(): DocumentText {
  // Records never change, so that each is converted to JSON once.
  const texts = new WeakMap<DocumentRecord, string>()

  function textOf(record: DocumentRecord): string {
    const known = texts.get(record)
    if (known !== undefined) return known
    const text = 'damaged' in record ? String(record.damaged) : JSON.stringify(record.entries)
    texts.set(record, text)
    return text
  }

  function parseRecord(key: string, text: string): DocumentRecord {
    const { entries, isDamaged } = readRecord(key, parseJson(text))
    const record = isDamaged ? { key, entries, damaged: text } : { key, entries }
    texts.set(record, text)
    return record
  }

  function parseLine(document: SessionDocument, line: string): void {
    const [tag = '', text = ''] = split(line, '\t')
    const [kind, place] = split(tag, ' ')
    if (kind === 'e' && place !== undefined) {
      const [lane, key = ''] = split(place, ' ')
      const records = document.lanes.get(Number(lane)) ?? []
      document.lanes.set(Number(lane), records)
      records.push(parseRecord(key, text))
      return
    }
    const value: unknown = JSON.parse(text)
    if (kind === 'cold') document.cold = value as ColdRow
    else if (kind === 'o') document.operations.set((value as OperationRow).id, value as OperationRow)
    else if (kind === 'd') {
      const [row, chunks] = value as [DraftRow, [number, DraftChunk][]]
      document.drafts.set(row.id, { row, chunks: new Map(chunks) })
    } else document.aside.push(kind === 'x' ? value : line)
  }

  return {
    parse: (text) => {
      const [head, hot, ...lines] = text.split('\n')
      const [, version = ''] = /^keepsession (\d+) \d+$/.exec(head ?? '') ?? []
      if (Number(version) > formatVersion) {
        const found = `Newer code wrote this session (format ${version}, this code knows ${formatVersion}).`
        throw new SessionError('VersionConflict', `${found} Update the app (reload the page); nothing was touched.`)
      }
      const row = hot?.startsWith('hot\t') ? parseJson(hot.slice(4)) : undefined
      if (version === '' || !isHotRow(row)) return undefined
      const document = createDocument(row)
      for (const line of lines) {
        try {
          parseLine(document, line)
        } catch {
          document.aside.push(line)
        }
      }
      return document
    },
    format: ({ hot, cold, lanes, operations, drafts, aside }) => {
      const lines = [`keepsession ${formatVersion} ${hot.session}`, `hot\t${JSON.stringify(hot)}`]
      if (cold !== undefined) lines.push(`cold\t${JSON.stringify(cold)}`)
      for (const operation of operations.values()) lines.push(`o\t${JSON.stringify(operation)}`)
      for (const { row, chunks } of drafts.values()) lines.push(`d\t${JSON.stringify([row, [...chunks]])}`)
      for (const found of aside) lines.push(`x\t${JSON.stringify(found)}`)
      for (const [lane, records] of lanes)
        for (const record of records) lines.push(`e ${lane} ${record.key}\t${textOf(record)}`)
      return lines.join('\n')
    },
  }
}

function split(text: string, by: string): [string, string?] {
  const at = text.indexOf(by)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
