import { isObject } from '../is-plain-object.ts'

type Fields = Readonly<Record<string, unknown>>

const roles: Readonly<Record<string, string>> = { human: 'user', assistant: 'assistant' }

/**
 * Reads a message of a Claude.ai export; `undefined` for one without content. It uses `content`, or `text`, which
 * repeats it, if that is empty. Parts keep Anthropic's form. Calls and results in exports without ids are paired in
 * their order.
 */
export function readMessage(message: Fields, id: string): Fields | undefined {
  const { sender, text, content } = message
  const parts = withIds(
    (Array.isArray(content) ? content : []).filter(
      (part): part is Fields => isObject(part) && typeof part['type'] === 'string' && !isBlank(part),
    ),
    id,
  )
  const attachments = attachmentsOf(message)
  const spoken = typeof text === 'string' ? text : ''
  if (parts.length === 0 && spoken.trim() === '' && attachments.length === 0) return undefined
  const [only] = parts
  const isText =
    parts.length === 1 &&
    only?.['type'] === 'text' &&
    !(Array.isArray(only['citations']) && only['citations'].length > 0)
  const role =
    typeof sender === 'string' && sender !== '' ? (Object.hasOwn(roles, sender) ? roles[sender] : sender) : 'user'
  return {
    role,
    content: parts.length === 0 ? spoken : isText ? only['text'] : parts,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(typeof message['model'] === 'string' ? { model: message['model'] } : {}),
  }
}

function isBlank({ type, text }: Fields): boolean {
  return type === 'text' && (typeof text !== 'string' || text.trim() === '')
}

function withIds(parts: readonly Fields[], message: string): readonly Fields[] {
  const open: string[] = []
  return parts.map((part, i) => {
    const { type } = part
    if (type === 'tool_use') {
      const id = isId(part['id']) ? part['id'] : `${message}-${i}`
      open.push(id)
      return { ...part, id }
    }
    if (type !== 'tool_result') return part
    const named = part['tool_use_id']
    const id = isId(named) ? named : open[0]
    if (id === undefined) return part
    if (open.includes(id)) open.splice(open.indexOf(id), 1)
    return { ...part, tool_use_id: id }
  })
}

function isId(found: unknown): found is string {
  return typeof found === 'string' && found !== ''
}

/** Attached texts, and the names of files: the files themselves are not in the export. */
function attachmentsOf({ attachments, files, files_v2: later }: Fields): readonly Fields[] {
  const texts = listOf(attachments).map(
    ({ file_name: name, file_type: mimeType, file_size: size, extracted_content: text }) => ({
      name,
      mimeType,
      size,
      text,
    }),
  )
  const named = new Map(
    [...listOf(files), ...listOf(later)].map(({ file_name: name, file_uuid: id, file_kind: kind }) => [
      id ?? name,
      { name, id, kind },
    ]),
  )
  return [...texts, ...named.values()]
}

function listOf(found: unknown): readonly Fields[] {
  return Array.isArray(found) ? found.filter(isObject) : []
}
