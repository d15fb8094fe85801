import { SessionError } from '../../../contract/errors.ts'
import { toWellFormed } from '../../../domain/to-well-formed.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import { timeOf } from '../../../formats/time.ts'

/** The fields of a session in an index. Counts and estimates are not read, because they follow from the log. */
export interface AiPanelRow {
  readonly id: string
  readonly agentId?: string
  readonly title?: string
  /** Milliseconds since 1970. */
  readonly createdAt?: number
  readonly lastAt?: number
}

/** The maximum number of characters of a title, as in `MetaPatch`. */
const titleChars = 1024

/**
 * Reads `sessions.json`: `{"sessions": {<id>: {…}}}`.
 *
 * @returns rows by the name of their log, without its ending
 * @throws InvalidInput when it is not such an index
 */
export function readIndex(text: string): ReadonlyMap<string, AiPanelRow> {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw new SessionError('InvalidInput', 'it is not JSON: its data was taken from the logs')
  }
  const sessions = isObject(found) ? found['sessions'] : undefined
  if (!isObject(sessions))
    throw new SessionError('InvalidInput', 'it has no "sessions": its data was taken from the logs')
  return new Map(
    Object.entries(sessions).flatMap(([id, row]) =>
      isObject(row) ? [[nameOf(id, row), rowOf(toWellFormed(id), row)] as const] : [],
    ),
  )
}

function nameOf(id: string, { filePath }: Readonly<Record<string, unknown>>): string {
  return typeof filePath === 'string' ? (/([^/\\]+)\.jsonl$/.exec(filePath)?.[1] ?? id) : id
}

function rowOf(id: string, row: Readonly<Record<string, unknown>>): AiPanelRow {
  const { agentId, title } = row
  const [createdAt, lastAt] = [timeOf(row['createdAt']), timeOf(row['lastAt'])]
  return {
    id,
    ...(typeof agentId === 'string' && agentId !== '' ? { agentId: toWellFormed(agentId) } : {}),
    ...(typeof title === 'string' && title.trim() !== ''
      ? { title: toWellFormed(title.trim().slice(0, titleChars)) }
      : {}),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(lastAt === undefined ? {} : { lastAt }),
  }
}
