import type { Message } from '../../contract/message.ts'
import { toolPart } from '../tool-part.ts'
import { isToolResult } from './is-tool-result.ts'

/** The calls of a message that have their result, and its results that have their call. */
export interface Matches {
  readonly calls: ReadonlySet<string>
  readonly results: ReadonlySet<string>
}

interface Found {
  readonly calls: Set<string>
  readonly results: Set<string>
}

/** A call or a result in a message, in reading order. */
interface Piece {
  readonly isCall: boolean
  readonly id: unknown
}

/**
 * Matches calls and results by blocks: the results of a message's calls come after them in the same message (tools that
 * the provider runs), or in the messages right after it, as long as these are results. So ids may be used again in
 * later turns. Each call has one result, the first.
 *
 * @returns one for each message
 */
export function matchResults(messages: readonly Message[]): readonly Matches[] {
  /** Calls without a result yet, with the place to note it. */
  let open = new Map<string, Found>()
  return messages.map((message) => {
    if (isPlain(message)) {
      if (open.size > 0) open = new Map()
      return noMatches
    }
    const found: Found = { calls: new Set(), results: new Set() }
    const pieces = piecesOf(message)
    if (!isToolResult(message)) open = new Map()
    const own = new Map<string, Found>()
    const isForeign = resultField(message) !== undefined && !open.has(resultField(message) as string)
    for (const { isCall, id } of pieces) {
      if (typeof id !== 'string' || id === '') continue
      if (isCall) {
        own.set(id, found)
        continue
      }
      const calling = own.has(id) ? own : open
      const caller = calling.get(id)
      // A message that answers a call of another block is left out as a whole, whatever else it has.
      if (caller === undefined || isForeign) continue
      caller.calls.add(id)
      found.results.add(id)
      calling.delete(id)
    }
    // New calls end the block before.
    if (pieces.some(({ isCall }) => isCall)) open = own
    return found
  })
}

const noMatches: Matches = { calls: new Set(), results: new Set() }

/** Whether a message has neither calls nor results, as most messages. */
export function isPlain({ role, content, parts, tool_calls: calls }: Message): boolean {
  return (
    role !== 'tool' &&
    role !== 'toolResult' &&
    !Array.isArray(content) &&
    !Array.isArray(parts) &&
    !Array.isArray(calls)
  )
}

/**
 * The call that a message as a whole answers: `tool_call_id` of role `tool`, `toolCallId` of role `toolResult`; absent
 * when its parts name the calls.
 */
export function resultField({ role, tool_call_id: openAiId, toolCallId: piId }: Message): unknown {
  if (role === 'toolResult') return piId ?? ''
  return role === 'tool' ? (openAiId ?? undefined) : undefined
}

function piecesOf(message: Message): readonly Piece[] {
  const { content, parts, tool_calls: calls } = message
  const pieces: Piece[] = []
  const answered = resultField(message)
  if (answered !== undefined) pieces.push({ isCall: false, id: answered })
  if (Array.isArray(calls))
    for (const call of calls) pieces.push({ isCall: true, id: (call as { readonly id?: unknown } | null)?.id })
  for (const list of [content, parts]) {
    if (!Array.isArray(list)) continue
    for (const part of list) {
      const tool = toolPart(part)
      // A part that will contain both call and result is answered by no other part.
      if (tool?.kind === 'call' || tool?.kind === 'result') pieces.push({ isCall: tool.kind === 'call', id: tool.id })
    }
  }
  return pieces
}
