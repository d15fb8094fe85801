import { type Check, fields, filledText, text } from './check.ts'
import type { JsonValue } from './json.ts'

const part = fields({ type: text })

const isContent = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  typeof value === 'string' ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string' || part(one) === undefined))

/** `messageSchema` without zod. */
export const checkMessage: Check = fields({
  role: filledText,
  content: (value) =>
    isContent(value)
      ? undefined
      : { path: [], reason: 'must be a string, null, or a list of strings and of objects with a type' },
})
