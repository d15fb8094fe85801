import type { Segment } from './segment.ts'

const kinds = { Float64Array, Uint32Array, Uint8Array } as const

type Flat = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>

/** Replaces a flat array in the JSON: its kind, and how many bytes of the tail it has. */
interface Mark {
  readonly flat: keyof typeof kinds
  readonly bytes: number
}

const isFlat = (value: unknown): value is Flat => ArrayBuffer.isView(value)

/** A segment as one piece: the length of a text, that text as JSON, and then the flat arrays one after the other. */
export function segmentBytes(segment: Segment): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  const text = JSON.stringify(segment, (_, value: unknown) => {
    if (!isFlat(value)) return value
    parts.push(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    return { flat: value.constructor.name as Mark['flat'], bytes: value.byteLength } satisfies Mark
  })
  const head = new TextEncoder().encode(text)
  const whole = new Uint8Array(4 + head.length + parts.reduce((sum, { length }) => sum + length, 0))
  new DataView(whole.buffer).setUint32(0, head.length)
  whole.set(head, 4)
  let at = 4 + head.length
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** @throws when the bytes are no segment */
export function segmentOfBytes(bytes: Uint8Array<ArrayBuffer>): Segment {
  const headLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const found: { readonly mark: Mark; put(flat: Flat): void }[] = []
  const segment = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headLength))) as Segment
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [name, member] of Object.entries(value as Record<string, unknown>)) {
      const mark = member as Partial<Mark> | null
      // Lists have a method with the name `flat`.
      if (typeof mark?.flat === 'string')
        found.push({ mark: mark as Mark, put: (flat) => void ((value as Record<string, unknown>)[name] = flat) })
      else visit(member)
    }
  }
  visit(segment)
  let at = 4 + headLength
  for (const { mark, put } of found) {
    // The bytes are copied, because an array of larger numbers must start at a multiple of their size.
    put(new kinds[mark.flat](bytes.slice(at, at + mark.bytes).buffer))
    at += mark.bytes
  }
  return segment
}
