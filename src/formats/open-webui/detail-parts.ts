import { pushAll } from '../../domain/push-all.ts'

type Part = { readonly type: string; readonly [field: string]: unknown }

/** The start of a block that Open WebUI writes for reasoning or a tool call. Blocks are not nested. */
const opening = /<details\s+type="(reasoning|tool_calls)"/g
const closing = '</details>'

/**
 * Splits the text of a message into parts: its `<details>` blocks become reasoning and tool calls, everything else
 * stays text.
 */
export function detailParts(content: string, id: string): readonly Part[] {
  const parts: Part[] = []
  let from = 0
  for (const { 0: tag, 1: kind, index } of content.matchAll(opening)) {
    if (index < from) continue
    const tagEnd = content.indexOf('>', index + tag.length)
    const end = tagEnd < 0 ? -1 : content.indexOf(closing, tagEnd)
    if (end < 0) break
    const attributes = content.slice(index + tag.length, tagEnd)
    const inner = content.slice(tagEnd + 1, end)
    pushAll(parts, [
      ...textPart(content.slice(from, index)),
      ...(kind === 'reasoning' ? reasoning(inner) : toolCall(attributes, inner, `${id}-${parts.length}`)),
    ])
    from = end + closing.length
  }
  return [...parts, ...textPart(content.slice(from).replace(/^\n/, ''))]
}

function textPart(text: string): readonly Part[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function reasoning(inner: string): readonly Part[] {
  const text = unescaped(inner.replace(/<summary>[^<]*<\/summary>/, '').replace(/^[ \t]*> ?/gm, '')).trim()
  return text === '' ? [] : [{ type: 'thinking', thinking: text }]
}

function toolCall(attributes: string, inner: string, fallback: string): readonly Part[] {
  const id = attribute(attributes, 'id') || fallback
  const result = attribute(attributes, 'result') ?? unescaped(inner.replace(/<summary>[^<]*<\/summary>/, '')).trim()
  return [
    {
      type: 'tool_use',
      id,
      name: attribute(attributes, 'name') ?? 'unknown',
      input: parsed(attribute(attributes, 'arguments')),
    },
    ...(attribute(attributes, 'done') === 'true' || result !== ''
      ? [{ type: 'tool_result', tool_use_id: id, content: parsedText(result) }]
      : []),
  ]
}

function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1]
  return found === undefined ? undefined : unescaped(found)
}

/** Arguments are JSON, sometimes JSON within a JSON string. */
function parsed(text: string | undefined): unknown {
  let value: unknown = text ?? {}
  for (let i = 0; i < 2 && typeof value === 'string'; i++) {
    try {
      value = JSON.parse(value)
    } catch {
      return { input: value }
    }
  }
  return value
}

function parsedText(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}

const characters: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  '#x27': "'",
  '#39': "'",
  lt: '<',
  gt: '>',
  amp: '&',
}

function unescaped(text: string): string {
  return text.replace(/&(quot|#34|#x27|#39|lt|gt|amp);/g, (_, name: string) => characters[name]!)
}
