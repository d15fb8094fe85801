import { SessionError } from '../contract/errors.ts'
import type { JsonPrimitive, JsonValue } from '../contract/json.ts'
import { kindLost } from './kind-lost.ts'
import { toWellFormed } from './to-well-formed.ts'
import { jsonStringBytes } from './utf8.ts'

/**
 * The limits of a value that is stored, such as a message: structured clone fails from about 1,000 levels, and engines
 * hang or fail from about 200 MB.
 */
export const valueLimits = { maxDepth: 256, maxBytes: 16 * 1024 * 1024 }

export interface NormaliseOptions {
  /**
   * The maximum number of levels of nested arrays and objects, the outermost included. Default: {@link valueLimits}.
   */
  readonly maxDepth?: number
  /** The maximum size of the JSON text in UTF-8 bytes. Default: {@link valueLimits}. */
  readonly maxBytes?: number
  /** The name of the value in errors. Default `value`. */
  readonly path?: string
}

/** An array or object that is being copied. */
interface Frame {
  readonly source: object
  readonly target: JsonValue[] | Record<string, JsonValue>
  /** Absent: an array. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
  empty: boolean
  /** Whether a key had to be made well-formed, so that it may now equal another. */
  repaired: boolean
}

interface Walk extends Required<NormaliseOptions> {
  readonly frames: Frame[]
  /** Each element counts the comma or bracket after it. The outermost value has neither, so that this starts at -1. */
  bytes: number
  /** The error that this walk threw itself, as opposed to one that a getter threw. */
  refusal: SessionError | undefined
}

/**
 * Copies a value as `JSON.parse(JSON.stringify(value))` would, but loses nothing silently and limits the size.
 * `undefined` members are dropped, and -0 becomes 0; strings and keys are made well-formed; Proxies of plain data are
 * copied by their members. No `toJSON` is called. It is iterative, so that too many levels end in a clear error and not
 * in a stack overflow.
 *
 * @returns the copy, sharing nothing with the input, and the length of its JSON text in UTF-8 bytes
 * @throws InvalidInput for cycles, functions, symbols, BigInt, NaN, infinities, `undefined` and holes in arrays,
 * `__proto__` as an own key, Dates, Maps, buffers, instances of classes and other objects that JSON would lose, getters
 * and Proxies that throw (as `cause`), and more than `maxDepth` levels
 * @throws TooLarge as soon as the copy is over `maxBytes`
 */
export function normaliseJson(value: unknown, options: NormaliseOptions = {}): { value: JsonValue; bytes: number } {
  const { maxDepth = valueLimits.maxDepth, maxBytes = valueLimits.maxBytes, path = 'value' } = options
  const copied: JsonValue[] = []
  const walk: Walk = {
    maxDepth,
    maxBytes,
    path,
    frames: [frameOf([value], copied, undefined)],
    bytes: -1,
    refusal: undefined,
  }
  try {
    if (value === undefined) throw refuse(walk, 'is undefined, which JSON does not have. Pass a value.')
    let frame = walk.frames[0]
    while (frame !== undefined) {
      if (frame.next < frame.length) copyNext(walk, frame)
      else {
        walk.frames.pop()
        if (frame.empty) spend(walk, 1)
      }
      frame = walk.frames[walk.frames.length - 1]
    }
  } catch (error) {
    if (error === walk.refusal) throw error
    throw new SessionError(
      'InvalidInput',
      `${pathOf(walk)} could not be read: its getter or Proxy threw (see cause). Pass plain data.`,
      { cause: error },
    )
  }
  return { value: copied[0] as JsonValue, bytes: walk.bytes }
}

function frameOf(source: object, target: Frame['target'], keys: Frame['keys']): Frame {
  return {
    source,
    target,
    keys,
    length: keys?.length ?? (source as readonly unknown[]).length,
    next: 0,
    empty: true,
    repaired: false,
  }
}

/** Copies the next element or member of a frame. An array or object becomes the next frame. */
function copyNext(walk: Walk, frame: Frame): void {
  const index = frame.next++
  const { keys, source, target } = frame
  if (keys === undefined) {
    const element = (source as readonly unknown[])[index]
    if (element === undefined)
      throw refuse(
        walk,
        `is ${index in source ? 'undefined' : 'a hole'}, which a list in JSON can't have. Pass null, or leave it out.`,
      )
    const copy = copyValue(walk, element)
    ;(target as JsonValue[]).push(copy)
  } else {
    const key = keys[index] as string
    if (key === '__proto__') throw refuse(walk, 'would become the prototype of whatever receives it. Rename the key.')
    const found = (source as Record<string, unknown>)[key]
    if (found === undefined) return
    const name = toWellFormed(key)
    if (name !== key) frame.repaired = true
    if (frame.repaired && Object.hasOwn(target, name))
      throw refuse(walk, 'equals another key once lone surrogates are replaced. Rename one.')
    spend(walk, jsonStringBytes(name) + 1)
    ;(target as Record<string, JsonValue>)[name] = copyValue(walk, found)
  }
  frame.empty = false
}

function copyValue(walk: Walk, found: unknown): JsonValue {
  if (typeof found === 'object' && found !== null) return openFrame(walk, found)
  const copy = copyLeaf(walk, found)
  spend(walk, 1)
  return copy
}

function copyLeaf(walk: Walk, found: unknown): JsonPrimitive {
  switch (typeof found) {
    case 'string': {
      // A character takes at least a byte, so that a text far over the limit is refused unread.
      if (found.length > walk.maxBytes) spend(walk, found.length)
      const text = toWellFormed(found)
      spend(walk, jsonStringBytes(text))
      return text
    }
    case 'number':
      if (!Number.isFinite(found))
        throw refuse(walk, `is ${found}, which JSON does not have. Pass null or a finite number.`)
      spend(walk, String(found).length)
      return found === 0 ? 0 : found
    case 'boolean':
      spend(walk, found ? 4 : 5)
      return found
    case 'object':
      spend(walk, 4)
      return null
    default:
      throw refuse(walk, `is a ${typeof found}, which JSON does not have. ${adviceFor(typeof found)}`)
  }
}

/** Starts to copy an array or object. Its elements are next. */
function openFrame(walk: Walk, source: object): JsonValue {
  const isArray = Array.isArray(source)
  const kind = isArray ? undefined : kindLost(source)
  if (kind !== undefined) throw refuse(walk, `is of type ${kind}, which JSON would lose. ${adviceFor(kind)}`)
  if (walk.frames.length > walk.maxDepth)
    throw (
      refuseCycle(walk) ??
      refuse(walk, `is more than ${walk.maxDepth} levels deep. Flatten it, or store it as JSON text.`)
    )
  const frame = frameOf(source, isArray ? [] : {}, isArray ? undefined : Object.keys(source))
  // An element takes at least two bytes, so that four billion holes are refused unvisited.
  if (isArray && 2 * frame.length > walk.maxBytes) spend(walk, 2 * frame.length)
  spend(walk, 2)
  walk.frames.push(frame)
  return frame.target
}

function adviceFor(kind: string): string {
  if (kind === 'function' || kind === 'symbol') return 'Leave it out.'
  if (kind === 'bigint') return 'Pass it as text.'
  if (kind === 'Promise') return 'Await it first.'
  if (kind === 'Date') return 'Pass it as text (toISOString) or as milliseconds.'
  if (/^(Map|Set|.*Iterator)$/.test(kind)) return 'Pass an object or array of its entries.'
  if (/^(Blob|File|DataView|.+Array|.*ArrayBuffer)$/.test(kind)) return 'Store it as a blob, or pass it as base64 text.'
  return 'Pass plain data.'
}

function spend(walk: Walk, bytes: number): void {
  walk.bytes += bytes
  if (walk.bytes <= walk.maxBytes) return
  const refusal = refuseCycle(walk)
  if (refusal !== undefined) throw refusal
  const message = `${walk.path} is over the limit of ${walk.maxBytes} bytes of JSON: it has at least ${walk.bytes} up to ${pathOf(walk)}. Split it, or store its large parts as blobs.`
  throw (walk.refusal = new SessionError('TooLarge', message))
}

function refuse(walk: Walk, message: string, frames?: readonly Frame[]): SessionError {
  return (walk.refusal = new SessionError('InvalidInput', `${pathOf(walk, frames)} ${message}`))
}

/**
 * Comparing each value with its ancestors would slow down every message. A cycle always exceeds one of the limits, and
 * only then the ancestors are compared.
 */
function refuseCycle(walk: Walk): SessionError | undefined {
  const outer = new Set<object>()
  for (const [depth, { source }] of walk.frames.entries()) {
    if (outer.has(source))
      return refuse(walk, 'contains itself. Pass data without cycles.', walk.frames.slice(0, depth))
    outer.add(source)
  }
  return undefined
}

/** The place of the walk in JavaScript notation: `message.content[2].input`. */
function pathOf({ frames, path }: Walk, within: readonly Frame[] = frames): string {
  let text = path
  for (const { keys, next } of within.slice(1)) {
    const key = keys?.[next - 1]
    if (key === undefined) text += `[${next - 1}]`
    else text += /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
    if (text.length > 300) return toWellFormed(`${text.slice(0, 300)}…`)
  }
  return text
}
