import { SessionError } from '../contract/errors.ts'

/** Says that a value is more than plain data, or unusually deep or large. */
const notPlain = Symbol('not plain')
const plainDepth = 32
const plainSize = 20_000

/** More levels than a message may have, so that a cycle ends in an error that says where. */
const maxDepth = 300

/**
 * Copies an argument of a call at the moment of the call: the caller may change it before the message goes out.
 *
 * @throws InvalidInput for functions, symbols and what else can't be sent
 */
export function copyArgument<T>(argument: T): T {
  if (typeof argument !== 'object' || argument === null) return isSendable(argument) ? argument : refuse('argument', argument)
  try {
    const copy = copyPlain(argument)
    return copy === notPlain ? structuredClone(argument) : (copy as T)
  } catch {
    // Proxies (state of Vue, MobX, Svelte) can't be cloned, what they stand for can.
  }
  try {
    return structuredClone(plain(argument, 'argument', 0)) as T
  } catch (error) {
    if (error instanceof SessionError) throw error
    throw new SessionError('InvalidInput', `The argument could not be copied: ${String(error)}. Pass plain JSON data.`, { cause: error })
  }
}

/** Copies plain data in a fraction of the time that `structuredClone` takes: a burst of calls would otherwise hold up the page. */
function copyPlain(argument: unknown): unknown {
  // What is shared, or a hole, counts each time it is met.
  let room = plainSize

  function copyOf(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return isSendable(value) ? value : notPlain
    if (depth > plainDepth || --room < 0) return notPlain
    if (Array.isArray(value)) {
      room -= value.length
      if (room < 0) return notPlain
      const copy: unknown[] = []
      for (const element of value) {
        const copied = copyOf(element, depth + 1)
        if (copied === notPlain) return notPlain
        copy.push(copied)
      }
      return copy
    }
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) return notPlain
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const copied = key === '__proto__' ? notPlain : copyOf((value as Record<string, unknown>)[key], depth + 1)
      if (copied === notPlain) return notPlain
      copy[key] = copied
    }
    return copy
  }

  return copyOf(argument, 0)
}

function plain(value: unknown, path: string, depth: number): unknown {
  if (!isSendable(value)) return refuse(path, value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) throw new SessionError('InvalidInput', `${path} is more than ${maxDepth} levels deep, or holds itself. Pass plain JSON data.`)
  if (Array.isArray(value)) return value.map((element, i) => plain(element, `${path}[${i}]`, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (value instanceof Blob || value instanceof Date) return value
  if (prototype !== null && prototype !== Object.prototype && Object.keys(value).length === 0) return refuse(path, value)
  const copy: Record<string, unknown> = Object.create(null)
  for (const [key, member] of Object.entries(value)) copy[key] = plain(member, `${path}.${key}`, depth + 1)
  return copy
}

function isSendable(value: unknown): boolean {
  return typeof value !== 'function' && typeof value !== 'symbol'
}

function refuse(path: string, value: unknown): never {
  throw new SessionError('InvalidInput', `${path} is a ${typeof value}, which can't be stored. Pass plain JSON data.`)
}
