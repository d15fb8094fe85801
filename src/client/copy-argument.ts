import { SessionError } from '../contract/errors.ts'
import { kindLost } from '../domain/kind-lost.ts'

/** More levels than a message may have, so that a cycle ends in an error that says where. */
const maxDepth = 300

/** Values up to which copying by hand is worth it. What is shared counts each time it is met, so that none of it takes forever. */
const handSize = 20_000

const tooLarge = new Error()

/**
 * Copies an argument of a call at the moment of the call: the caller may change it before the message goes out. Plain data takes a
 * fraction of the time that `structuredClone` needs, so that a burst of calls doesn't hold up the page; and Proxies (state of Vue,
 * MobX, Svelte), which can't be cloned, are copied by their members.
 *
 * @throws InvalidInput for functions, symbols and what else can't be sent, or would be something else on the other side: instances of classes
 */
export function copyArgument<T>(argument: T): T {
  const path: (string | number)[] = []
  try {
    try {
      return copyOf(argument, path, { left: handSize }) as T
    } catch (error) {
      if (error !== tooLarge) throw error
      path.length = 0
    }
    const copy = clone(argument)
    if (copy === undefined) return copyOf(argument, path, { left: Infinity }) as T
    refuseLost(argument, path, new Set())
    return copy
  } catch (error) {
    throw error instanceof SessionError ? error : new SessionError('InvalidInput', `${nameOf(path)} can't be read: ${String(error)}. Pass plain JSON data.`, { cause: error })
  }
}

function copyOf(value: unknown, path: (string | number)[], room: { left: number }): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw refusal(path, `is a ${typeof value}`)
  if (typeof value !== 'object' || value === null) return value
  if (path.length > maxDepth) throw refusal(path.slice(0, 8), 'is too deep, or holds itself')
  const isList = Array.isArray(value)
  const kind = isList ? undefined : kindLost(value)
  if (kind !== undefined) return copyKind(value, kind, path)
  const keys = isList ? value.keys() : Object.keys(value)
  const copy: Record<string | number, unknown> = isList ? ([] as never) : {}
  for (const key of keys) {
    if (--room.left < 0) throw tooLarge
    path.push(key)
    const member = copyOf((value as typeof copy)[key], path, room)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true })
    else copy[key] = member
    path.pop()
  }
  return copy
}

/** What messages carry as what it is (a Blob, a Date), is for the store to judge; what arrives as a plain object, it could not tell from one. */
function copyKind(value: object, kind: string, path: readonly (string | number)[]): unknown {
  const copy = clone(value)
  if (copy === undefined || kindLost(copy) === undefined) throw refusal(path, `is of type ${kind}`)
  return copy
}

/** The same for what was cloned whole: each object once, however often it is shared. A list with holes is refused by the store, and ends the look at it. */
function refuseLost(value: unknown, path: (string | number)[], seen: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  if (path.length > maxDepth) throw refusal(path.slice(0, 8), 'is too deep, or holds itself')
  seen.add(value)
  const isList = Array.isArray(value)
  const kind = isList ? undefined : kindLost(value)
  if (kind !== undefined) return void copyKind(value, kind, path)
  for (const key of isList ? value.keys() : Object.keys(value)) {
    if (isList && !(key in value)) return
    path.push(key)
    refuseLost((value as Record<string | number, unknown>)[key], path, seen)
    path.pop()
  }
}

function clone<T>(value: T): T | undefined {
  try {
    return structuredClone(value)
  } catch {
    return undefined
  }
}

const nameOf = (path: readonly (string | number)[]): string => ['argument', ...path].join('.')

const refusal = (path: readonly (string | number)[], reason: string): SessionError =>
  new SessionError('InvalidInput', `${nameOf(path)} ${reason}, which can't be stored. Pass plain JSON data.`)
