import { SessionError } from '../../contract/errors.ts'
import { kindLost } from '../../domain/kind-lost.ts'

/** More levels than a message may have, so that a cycle ends in an error that says where. */
const maxDepth = 300

/**
 * Members after which what is met again is not copied again, so that what is shared a billion times doesn't take
 * forever.
 */
const handSize = 20_000

/** What was copied in one call. */
interface Room {
  left: number
  readonly copies: Map<unknown, unknown>
}

/**
 * Copies an argument of a call at the moment of the call: the caller may change it before the message goes out. Plain
 * data takes a fraction of the time that `structuredClone` needs, so that a burst of calls doesn't hold up the page;
 * and Proxies (state of Vue, MobX, Svelte), which can't be cloned, are copied by their members.
 *
 * @throws InvalidInput for functions, symbols and what else can't be sent, or would be something else on the other
 *   side: instances of classes
 */
export function copyArgument<T>(argument: T): T {
  const path: (string | number)[] = []
  try {
    return copyOf(argument, path, { left: handSize, copies: new Map() }) as T
  } catch (error) {
    throw error instanceof SessionError ? error : refusal(path, `can't be read (${String(error)})`, error)
  }
}

function copyOf(value: unknown, path: (string | number)[], room: Room): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw refusal(path, `is a ${typeof value}`)
  if (typeof value !== 'object' || value === null) return value
  const known = room.copies.get(value)
  if (known !== undefined) return known
  if (path.length > maxDepth) throw refusal(path.slice(0, 8), 'is too deep, or holds itself')
  const isList = Array.isArray(value)
  const kind = isList ? undefined : kindLost(value)
  if (kind !== undefined) {
    // What messages carry as what it is (a Blob, a Date), is for the store to judge; what arrives as a plain object, it
    // could not tell from one.
    try {
      const same: object = structuredClone(value)
      if (kindLost(same) !== undefined) return same
    } catch {
      // Nor can it be sent.
    }
    throw refusal(path, `is of type ${kind}`)
  }
  const keys = isList ? value.keys() : Object.keys(value)
  const copy: Record<string | number, unknown> = isList ? ([] as never) : {}
  for (const key of keys) {
    path.push(key)
    // Of billions none is to be visited.
    if (isList && !(key in value)) throw refusal(path, 'is a hole')
    const member = copyOf((value as typeof copy)[key], path, room)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true })
    else copy[key] = member
    path.pop()
    room.left--
  }
  if (room.left < 0) room.copies.set(value, copy)
  return copy
}

const refusal = (path: readonly (string | number)[], reason: string, cause?: unknown): SessionError =>
  new SessionError(
    'InvalidInput',
    `${['argument', ...path].join('.')} ${reason}, which can't be stored. Pass plain JSON data.`,
    { cause },
  )
