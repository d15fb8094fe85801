import { checkMessage } from '../../../contract/check-message.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { LineMessage } from '../../../formats/line-nodes.ts'
import { textLimit } from '../../../formats/read-text.ts'
import { withoutSecrets } from '../../../formats/without-secrets.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { pythonInt } from '../rules/python-int.ts'

type Fields = Readonly<Record<string, unknown>>

/** The state of an AgentlyMemoSession as a file has it. An absent field changes nothing. */
export interface AgentlyState {
  readonly id?: string
  readonly memo?: JsonObject
  readonly full?: readonly LineMessage[]
  readonly current?: readonly JsonObject[]
  /** Only the settings below `session`. */
  readonly settings?: JsonObject
  readonly turns?: number
  readonly lastResizeTurn?: number
  /** Counted in messages of `full`. */
  readonly memoCursor?: number
}

/** Lower than the limits of stored entries: an entry is a few levels deeper than its source, and has more fields. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024 }

const known = new Set([
  'id',
  'memo',
  'full_chat_history',
  'current_chat_history',
  'settings',
  'turns',
  'last_resize_turn',
  'memo_cursor',
])

/**
 * Reads a file field by field. Fields and messages of the wrong type are left out and reported. So are settings outside
 * `session`, which are an agent's and may contain its API keys, and everything in `session` that may be a secret.
 *
 * @param skip - gets the reason for each part that was left out
 * @throws InvalidInput, TooLarge for what no entry can hold (too deep, too large, `__proto__`), because a part of a
 *   state would be wrong
 */
export async function readState(
  found: Fields,
  skip: (reason: string) => void,
  breathe: Breather,
): Promise<AgentlyState> {
  let bytes = 0
  const copy = (value: unknown, path: string): { value: JsonValue; bytes: number } => {
    const copied = normaliseJson(value, { ...limits, path })
    bytes += copied.bytes
    // YAML can expand to more than its text, with aliases.
    if (bytes > textLimit)
      throw new SessionError(
        'TooLarge',
        `Written out, the file has more than ${textLimit / 1024 / 1024} MiB up to ${path}. Nothing was imported.`,
      )
    return copied
  }

  function objectOf(value: unknown, path: string): JsonObject | undefined {
    if (isObject(value)) return copy(value, path).value as JsonObject
    if (value !== undefined) skip(`${path} is not an object`)
    return undefined
  }

  async function messagesOf(field: string): Promise<LineMessage[] | undefined> {
    const list = found[field]
    if (list === undefined) return undefined
    if (!Array.isArray(list)) {
      skip(`${field} is not a list`)
      return undefined
    }
    const messages: LineMessage[] = []
    for (const [i, one] of (list as readonly unknown[]).entries()) {
      const path = `${field}[${i}]`
      const { value, bytes } = copy(one ?? null, path)
      const problem = checkMessage(value)
      if (problem === undefined) messages.push({ message: value as JsonObject, line: i + 1, at: 0, bytes })
      else skip(`${[path, ...problem.path].join('.')} ${problem.reason}`)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    return messages
  }

  for (const name of Object.keys(found)) if (!known.has(name)) skip(`${shown(name)} is not a field of a session`)
  const full = await messagesOf('full_chat_history')
  const current = await messagesOf('current_chat_history')
  return defined({
    id: idOf(found['id'], copy, skip),
    memo: objectOf(found['memo'], 'memo'),
    full,
    current: current?.map(({ message }) => message),
    settings: settingsOf(found['settings'], objectOf, skip),
    turns: countOf(found, 'turns', skip),
    lastResizeTurn: countOf(found, 'last_resize_turn', skip),
    memoCursor: cursorIn(full, countOf(found, 'memo_cursor', skip)),
  })
}

function idOf(
  id: unknown,
  copy: (value: unknown, path: string) => { readonly value: JsonValue },
  skip: (reason: string) => void,
): string | undefined {
  if (typeof id === 'string' && id.trim() !== '' && id.length <= 1000) return copy(id.trim(), 'id').value as string
  if (id !== undefined) skip('id is not a string of 1 to 1,000 characters')
  return undefined
}

function countOf(found: Fields, field: string, skip: (reason: string) => void): number | undefined {
  const value = found[field]
  const count = pythonInt(value)
  if (Number.isSafeInteger(count) && count! >= 0) return count
  if (value !== undefined) skip(`${field} is not a whole number from 0 up`)
  return undefined
}

function settingsOf(
  settings: unknown,
  objectOf: (value: unknown, path: string) => JsonObject | undefined,
  skip: (reason: string) => void,
): JsonObject | undefined {
  if (!isObject(settings)) {
    if (settings !== undefined) skip('settings is not an object')
    return undefined
  }
  for (const name of Object.keys(settings))
    if (name !== 'session') skip(`settings.${shown(name)} does not belong to the session`)
  const own = objectOf(settings['session'] ?? {}, 'settings.session')
  return own && withoutSecrets(own, (path) => skip(`settings.session.${path} may be a secret`))
}

/** The file's cursor counts all messages of the file. Messages that were left out don't count here. */
function cursorIn(full: readonly LineMessage[] | undefined, cursor: number | undefined): number | undefined {
  return full === undefined || cursor === undefined ? cursor : full.filter(({ line }) => line <= cursor).length
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100))

type Given<T> = { readonly [Field in keyof T]: T[Field] | undefined }

function defined(state: Given<Required<AgentlyState>>): AgentlyState {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as AgentlyState
}
