import type { ForeignFile } from '../../../formats/foreign-files.ts'
import { readSmallText } from '../../../formats/read-small-text.ts'
import { splitPath } from '../../../formats/split-path.ts'
import { type AiPanelRow, readIndex } from './read-ai-panel-index.ts'
import type { AiPanelLog } from './read-ai-panel-log.ts'

/** Maximum size of an index in bytes. */
const indexBytes = 32 * 1024 * 1024

/** A row of an index. */
export interface FoundRow {
  readonly row: AiPanelRow
  /** The path of its log in ai-panel's layout. */
  readonly logPath: string
}

/** Reads the rows of one index. @throws InvalidInput, TooLarge */
export async function readRows(
  file: ForeignFile,
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void,
): Promise<readonly FoundRow[]> {
  const { directory } = splitPath(file.path)
  return [...readIndex(await readSmallText(file.read(signal, onRead), indexBytes))].map(([stem, row]) => ({
    row,
    logPath: `${directory === '' ? '' : `${directory}/`}${stem}.jsonl`,
  }))
}

/** Finds the row of a log: by its path, or as the only row with the log's agent and creation time. */
export interface RowFinder {
  isListed(path: string): boolean
  rowOf(path: string, log: AiPanelLog): FoundRow | undefined
}

export function createRowFinder(rows: readonly FoundRow[]): RowFinder {
  const rowByPath = new Map(rows.map((found) => [found.logPath, found]))
  const rowsByHeader = new Map<string, FoundRow[]>()
  for (const found of rows) {
    const header = headerKey(found.row)
    const others = rowsByHeader.get(header)
    if (others === undefined) rowsByHeader.set(header, [found])
    else others.push(found)
  }
  return {
    isListed: (path) => rowByPath.has(path),
    rowOf: (path, log) => {
      const alike = rowsByHeader.get(headerKey(log)) ?? []
      return rowByPath.get(path) ?? (log.agentId !== undefined && alike.length === 1 ? alike[0] : undefined)
    },
  }
}

const headerKey = ({ createdAt, agentId }: Pick<AiPanelLog, 'createdAt' | 'agentId'>): string =>
  `${createdAt ?? ''} ${agentId ?? ''}`
