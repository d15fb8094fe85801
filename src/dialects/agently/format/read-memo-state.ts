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

/** The state of an AgentlyMemoSession as a file has it. A field that is not there changes nothing. */
export interface AgentlyState {
  readonly id?: string
  readonly memo?: JsonObject
  readonly full?: readonly LineMessage[]
  readonly current?: readonly JsonObject[]
  /** Those below `session`. */
  readonly settings?: JsonObject
  readonly turns?: number
  readonly lastResizeTurn?: number
  /** In messages of `full`. */
  readonly memoCursor?: number
}

/** An entry of ours goes a few levels deeper than what it was made of, and says more than that. */
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
 * Takes what can be taken of a file, field by field. A field or message of the wrong kind is left out and reported, as
 * are settings outside `session`: an agent's, which may hold its API keys, and what may be one inside of it.
 *
 * @param skip - told what was left out and why
 * @throws InvalidInput, TooLarge for what no entry can hold (levels, bytes, `__proto__`): half a state is none
 */
export async function readState(
  found: Readonly<Record<string, unknown>>,
  skip: (reason: string) => void,
  breathe: Breather,
): Promise<AgentlyState> {
  let bytes = 0
  const copy = (value: unknown, path: string): { value: JsonValue; bytes: number } => {
    const copied = normaliseJson(value, { ...limits, path })
    bytes += copied.bytes
    // JSON can't have more than its text, YAML can by its aliases.
    if (bytes > textLimit)
      throw new SessionError(
        'TooLarge',
        `Written out, the file has more than ${textLimit / 1024 / 1024} MiB up to ${path}. Nothing was imported.`,
      )
    return copied
  }

  function objectOf(value: unknown, path: string): JsonObject | undefined {
    if (isObject(value)) return copy(value, path).value as JsonObject
    if (value !== undefined) skip(`${path} is no object`)
    return undefined
  }

  async function messagesOf(field: string): Promise<LineMessage[] | undefined> {
    const list = found[field]
    if (list === undefined) return undefined
    if (!Array.isArray(list)) {
      skip(`${field} is no list`)
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

  function countOf(field: string): number | undefined {
    const value = found[field]
    const count = pythonInt(value)
    if (Number.isSafeInteger(count) && count! >= 0) return count
    if (value !== undefined) skip(`${field} is no count`)
    return undefined
  }

  function settingsOf(): JsonObject | undefined {
    const { settings } = found
    if (!isObject(settings)) {
      if (settings !== undefined) skip('settings is no object')
      return undefined
    }
    for (const name of Object.keys(settings))
      if (name !== 'session') skip(`settings.${shown(name)} is none of the session's settings`)
    const own = objectOf(settings['session'] ?? {}, 'settings.session')
    return own && withoutSecrets(own, (path) => skip(`settings.session.${path} may be a secret`))
  }

  function idOf(): string | undefined {
    const { id } = found
    if (typeof id === 'string' && id.trim() !== '' && id.length <= 1000) return copy(id.trim(), 'id').value as string
    if (id !== undefined) skip('id is no text of 1 to 1,000 characters')
    return undefined
  }

  for (const name of Object.keys(found)) if (!known.has(name)) skip(`${shown(name)} is no field of a session`)
  const full = await messagesOf('full_chat_history')
  const current = await messagesOf('current_chat_history')
  return defined({
    id: idOf(),
    memo: objectOf(found['memo'], 'memo'),
    full,
    current: current?.map(({ message }) => message),
    settings: settingsOf(),
    turns: countOf('turns'),
    lastResizeTurn: countOf('last_resize_turn'),
    memoCursor: cursorIn(full, countOf('memo_cursor')),
  })
}

/** A cursor counts the messages of the file; those that were left out don't count here. */
function cursorIn(full: readonly LineMessage[] | undefined, cursor: number | undefined): number | undefined {
  return full === undefined || cursor === undefined ? cursor : full.filter(({ line }) => line <= cursor).length
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100))

type Given<T> = { readonly [Field in keyof T]: T[Field] | undefined }

function defined(state: Given<Required<AgentlyState>>): AgentlyState {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as AgentlyState
}
