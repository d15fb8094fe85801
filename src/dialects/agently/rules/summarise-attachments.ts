import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'

/** The description of a part that is not text, for a memo update. */
export interface AttachmentSummary {
  readonly type: string
  /**
   * The reference to its content: the first of `file`, `url`, `path`, `id` and `name` that is not empty; `null` when
   * all are.
   */
  readonly ref: JsonValue
  readonly meta: JsonObject
}

const refNames = ['file', 'url', 'path', 'id', 'name']
const metaNames = ['name', 'mime_type', 'size', 'width', 'height', 'duration']

/**
 * Summarises the parts of a message that are not text, without their bytes. Reads only a part's own members. Source:
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

/** As in Python, where empty values are false. */
function isTruthy(value: JsonValue | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}
