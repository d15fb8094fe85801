import type { DraftPart } from './change.ts'
import { type Check, fields, filledText, listOf, optional, text } from './check.ts'

const partChecks: Readonly<Record<DraftPart['type'], Check>> = {
  text: fields({ text }),
  reasoning: fields({ text }),
  toolInput: fields({ id: filledText, name: optional(text), input: text }),
  part: fields({ part: fields({ type: text }) }),
}
const typed = fields({ type: text })

/** Checks a piece of a streamed reply. */
export const checkDraftChunk: Check = fields({
  text: optional(text),
  reasoning: optional(text),
  parts: optional(
    listOf((value) => {
      const problem = typed(value)
      if (problem !== undefined) return problem
      const check = partChecks[(value as DraftPart).type] as Check | undefined
      return check === undefined
        ? { path: ['type'], reason: `must be one of ${Object.keys(partChecks).join(', ')}` }
        : check(value)
    }),
  ),
})
