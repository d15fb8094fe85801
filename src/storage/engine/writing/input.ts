import type { Check } from '../../../contract/check.ts'
import { checkMessage as messageProblem } from '../../../contract/check-message.ts'
import type { EntryInput } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { Durability, WriteOptions } from '../../../contract/store/write-options.ts'
import type { NumberedCall } from '../../../contract/worker-protocol.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { isControl } from '../../../domain/control.ts'
import { copyPlainJson } from '../../../domain/copy-plain.ts'
import { printOfText } from '../../../domain/crc32.ts'
import { goTrim } from '../../../domain/identity/go-text.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { measureData } from '../../../domain/seal.ts'
import type { PlannedEntry } from '../../../domain/writer.ts'
import { describeValue } from '../describe-value.ts'
import { durabilities, isDurability } from './strictest.ts'

/** A checked line entry. It contains nothing of the caller's objects. */
export interface CheckedLine {
  readonly plannedEntry: PlannedEntry & { readonly crc: number }
  /** UTF-8 bytes of its data as JSON. */
  readonly bytes: number
}

/** @throws InvalidInput */
export function checkKey(key: unknown): string {
  if (typeof key === 'string' && goTrim(key) !== '') return key
  throw new SessionError(
    'InvalidInput',
    `A session key must be a non-blank string, got ${typeof key === 'string' ? 'a blank one' : typeof key}. Any characters and any length are allowed.`,
  )
}

/** @throws InvalidInput with the place of the first problem */
export function checkShape(check: Check, value: JsonValue | undefined, name: string): void {
  const problem = check(value)
  if (problem !== undefined)
    throw new SessionError(
      'InvalidInput',
      `${[name, ...problem.path].join('.')} ${problem.reason}. Nothing was written.`,
    )
}

/** @throws InvalidInput, TooLarge */
export function checkObject(value: unknown, name: string): JsonObject {
  return asObject(copyPlainJson(value) ?? normaliseJson(value, { path: name }).value, name)
}

/** @throws InvalidInput unless it is an object */
export function asObject(copy: unknown, name: string): JsonObject {
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) return copy as JsonObject
  throw new SessionError(
    'InvalidInput',
    `${name} must be an object, got ${Array.isArray(copy) ? 'a list' : typeof copy}. Nothing was written.`,
  )
}

/** @throws InvalidInput, TooLarge */
export function checkMessage(message: unknown, name = 'message'): Message {
  return asMessage(checkObject(message, name), name)
}

/** @throws InvalidInput unless it has the shape of a message */
export function asMessage(copy: JsonObject, name: string): Message {
  checkShape(messageProblem, copy, name)
  return copy as unknown as Message
}

/** @throws InvalidInput, TooLarge */
export function checkLines(entries: readonly EntryInput[], now: number): readonly CheckedLine[] {
  if (!Array.isArray(entries) || entries.length === 0)
    throw new SessionError('InvalidInput', 'append needs a list of at least one entry. Nothing was written.')
  return entries.map((entry, i) => checkLine(entry as EntryInput, now, `entries[${i}]`))
}

function checkLine(entry: EntryInput, now: number, name: string): CheckedLine {
  const type: unknown = (entry as EntryInput | undefined)?.type
  if (typeof type !== 'string' || type === '')
    throw new SessionError(
      'InvalidInput',
      `${name}.type must be a non-empty string, got ${typeof type}. Use "message" for messages.`,
    )
  if (isControl(type))
    throw new SessionError(
      'InvalidInput',
      `${name}.type is "${type}", which has its own method (openBranch, setCompaction, checkpoint, …). Use that method.`,
    )
  const at = checkTime(entry.at, now, `${name}.at`)
  const mid = checkMid(entry, name)
  if (type !== 'message') {
    const data = checkObject((entry as { data?: unknown }).data ?? {}, `${name}.data`)
    return measured(type, mid === undefined ? data : { ...data, mid }, at)
  }
  return messageLine(checkMessage((entry as { message?: unknown }).message, `${name}.message`), at, mid)
}

/** The line entry of a checked message. @param mid - the host's id of it; default: its `id` */
export function messageLine(message: Message, at: number, mid?: string): CheckedLine {
  const id: unknown = mid ?? message['id']
  const data = { message: message as unknown as JsonObject }
  return measured('message', typeof id === 'string' && id !== '' ? { ...data, mid: id } : data, at)
}

/** The entry's checksum and the operation's fingerprint are both made from the data's checksum. */
function measured(type: string, data: JsonObject, at: number): CheckedLine {
  const { crc, bytes } = measureData(data)
  return { plannedEntry: { type, data, at, crc }, bytes }
}

function checkTime(at: unknown, now: number, name: string): number {
  if (at === undefined) return now
  if (typeof at === 'number' && Number.isFinite(at) && at >= 0) return at
  throw new SessionError('InvalidInput', `${name} must be milliseconds since 1970, got ${describeValue(at)}.`)
}

function checkMid(entry: EntryInput, name: string): string | undefined {
  const mid: unknown = entry.mid
  if (mid === undefined) return undefined
  if (typeof mid === 'string' && mid !== '') return mid
  throw new SessionError('InvalidInput', `${name}.mid must be a non-empty string, got ${typeof mid}.`)
}

/** The identity of a call, by which a repetition is recognised. */
export interface CalledOperation extends NumberedCall {
  readonly id: string
  readonly fingerprint: string
}

/** The facts that make two calls the same: their arguments as canonical JSON, and what else they carry, in short. */
export function operationOf(
  options: WriteOptions | undefined,
  method: string,
  args: JsonValue,
  content = '',
): CalledOperation | undefined {
  const id: unknown = options?.operationId
  if (id === undefined) return undefined
  if (typeof id !== 'string' || id === '' || id.length > 256)
    throw new SessionError('InvalidInput', 'operationId must be a string of 1 to 256 characters.')
  const text = `${method} ${canonicalJson(args)} ${content}`
  const call: unknown = (options as NumberedCall).call
  return { id, fingerprint: printOfText(text), ...(typeof call === 'string' ? { call } : {}) }
}

/** @throws InvalidInput */
export function checkDurability(options: WriteOptions | undefined): Durability | undefined {
  const durability: unknown = options?.durability
  if (durability === undefined || isDurability(durability)) return durability
  throw new SessionError(
    'InvalidInput',
    `durability must be one of ${durabilities.map((one) => `"${one}"`).join(', ')}, got ${describeValue(durability)}.`,
  )
}
