import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'

/** What a memo update is told of a part that is no text. */
export interface AttachmentSummary {
  readonly type: string
  /** Where it is: the first of `file`, `url`, `path`, `id` and `name` that says something; `null` when none does. */
  readonly ref: JsonValue
  readonly meta: JsonObject
}

const refNames = ['file', 'url', 'path', 'id', 'name']
const metaNames = ['name', 'mime_type', 'size', 'width', 'height', 'duration']

/**
 * Summarises the parts of a message that are no text, without their bytes. Looks at a part's own members only. Source:
 * AgentlyMemoSession
 */
export function summariseAttachments({ content }: Pick<Message, 'content'>): readonly AttachmentSummary[] {
  if (!Array.isArray(content)) return []
  return (content as readonly unknown[]).flatMap((part) => {
    if (typeof part !== 'object' || part === null) return []
    const { type } = part as { readonly type?: unknown }
    if (typeof type !== 'string' || type === '' || type === 'text') return []
    const fields = part as JsonObject
    const has = (name: string): boolean => Object.hasOwn(fields, name) && fields[name] !== undefined
    const ref = refNames.find((name) => has(name) && isTruthy(fields[name]))
    return [
      {
        type,
        ref: ref === undefined ? null : (fields[ref] as JsonValue),
        meta: Object.fromEntries(metaNames.filter(has).map((name) => [name, fields[name]])),
      },
    ]
  })
}

/** As Python sees it: what is empty says nothing. */
function isTruthy(value: JsonValue | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}
