import {
  anyObject,
  type Check,
  count,
  fields,
  filledText,
  flag,
  listOf,
  number,
  optional,
  orNull,
  pairOf,
  recordOf,
  text,
} from './check.ts'
import type { ControlType, Entry } from './entry.ts'
import type { JsonValue } from './json.ts'

const vector = recordOf(count)
const clock = { hp: count, hc: count }
const ranges = recordOf(listOf(pairOf(count)))
const message = fields({ role: text })

/** `dataSchemas` without zod. */
const data: Readonly<Record<ControlType | 'message', Check>> = {
  message: fields({ message, mid: optional(text) }),
  branch: fields({
    fork: fields({ branch: text, order: text, id: optional(text), vv: optional(vector), cuts: optional(text) }),
    head: flag,
    name: optional(text),
  }),
  head: fields({ branch: text }),
  cut: fields({ order: text, vv: vector, clears: optional(flag) }),
  compaction: fields({ order: text, vv: vector, summary: text }),
  edit: fields({ branch: text, order: text, value: orNull(fields({ message: optional(message) })) }),
  meta: fields({
    set: anyObject,
    target: optional(
      fields({
        branch: optional(text),
        checkpoint: optional(text),
        branches: optional(listOf(text)),
        checkpoints: optional(listOf(text)),
      }),
    ),
  }),
  checkpoint: fields({
    branch: text,
    order: text,
    vv: vector,
    seen: optional(fields({ checksum: text, messages: count, erased: count })),
  }),
  delete: fields({ vv: vector, life: optional(count), kept: optional(flag) }),
  undelete: fields({ life: optional(count) }),
  purge: fields({ ranges, controls: optional(ranges), summary: optional(text) }),
}

/** `entrySchema` without zod. */
const shape = fields({
  w: count,
  s: count,
  branch: text,
  type: filledText,
  data: anyObject,
  at: number,
  clock: fields(clock),
  turn: optional(fields({ ...clock, w: count, s: count })),
  run: optional(fields(clock)),
  order: text,
  crc: count,
} satisfies Record<keyof Entry, Check>)

/** The outer shape of an entry, and that of its data where its type is known. */
export const checkEntry: Check = (value) => {
  const found = shape(value)
  if (found !== undefined) return found
  const entry = value as unknown as Entry
  const wrong = Object.hasOwn(data, entry.type) ? data[entry.type as ControlType](entry.data as JsonValue) : undefined
  return wrong && { path: ['data', ...wrong.path], reason: wrong.reason }
}
