import type { ChunkFold } from './fold-chunks.ts'
import type { ChatMessage, Fields } from './ui-message.ts'

/**
 * The chunks that make a message of what earlier chunks have made of it: all of it at first, and in the end what a draft
 * did not have yet.
 */
export function restOfMessage(message: ChatMessage, fold: ChunkFold): readonly Fields[] {
  const parts = message.parts as readonly Fields[]
  const { parts: made } = fold.message
  const isReset = made.some((before, index) => !goesOn(before, parts[index]))
  const known = isReset ? made.slice(0, made.findLastIndex(({ type }) => type === 'step-start') + 1) : made
  const chunks = parts.flatMap((part, index) => {
    const before = known[index]
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(part)) return []
    return chunksOf(part, before, String(part['id'] ?? fold.openId(before) ?? `replay-${index}`))
  })
  return isReset ? [{ type: 'reset-step' }, ...chunks] : chunks
}

/** Whether a part is the same one, later. It is not when the step was begun anew. */
function goesOn(before: Fields, part: Fields | undefined): boolean {
  if (part?.type !== before.type || part['toolCallId'] !== before['toolCallId']) return false
  if (typeof before['text'] !== 'string') return true
  if (part['id'] !== before['id']) return false
  // No chunk takes metadata back.
  const hasLost = (field: string): boolean => before[field] !== undefined && part[field] === undefined
  return String(part['text']).startsWith(before['text']) && !hasLost('providerMetadata') && !hasLost('citations')
}

function chunksOf(part: Fields, before: Fields | undefined, id: string): readonly Fields[] {
  const { type, state, providerMetadata, citations, toolCallId } = part
  if (type === 'text' || type === 'reasoning') {
    const delta = String(part['text']).slice(String(before?.['text'] ?? '').length)
    return [
      ...(before === undefined ? [{ type: `${type}-start`, id }] : []),
      { type: `${type}-delta`, id, delta, providerMetadata },
      ...(state === 'streaming' ? [] : [{ type: `${type}-end`, id, providerMetadata, citations }]),
    ]
  }
  if (toolCallId !== undefined) return callChunks(part, before)
  if (before !== undefined && !type.startsWith('data-')) return []
  return [type === 'step-start' ? { type: 'start-step' } : part]
}

/** What is known of a call already is not repeated: in a later step it would begin another one. */
function callChunks(part: Fields, before: Fields | undefined): readonly Fields[] {
  const { type, state, toolCallId, input, title, inputEncoding, providerExecuted, toolMetadata } = part
  const { callProviderMetadata: providerMetadata, rawInput = '', output, errorText, preliminary } = part
  const isDynamic = type === 'dynamic-tool'
  const toolName = isDynamic ? part['toolName'] : type.slice('tool-'.length)
  const known = { toolCallId, providerExecuted, toolMetadata }
  const call = { ...known, toolName, dynamic: isDynamic || undefined, title, providerMetadata }
  if (state === 'input-streaming') {
    const inputTextDelta = String(rawInput).slice(String(before?.['rawInput'] ?? '').length)
    const delta = { type: 'tool-input-delta', toolCallId, inputTextDelta }
    return before === undefined ? [{ ...call, type: 'tool-input-start', inputEncoding }, delta] : [delta]
  }
  const isBegun = before !== undefined && before['state'] !== 'input-streaming'
  const result = { ...known, providerMetadata: part['resultProviderMetadata'] }
  return [
    ...(isBegun ? [] : [{ ...call, type: 'tool-input-available', input }]),
    ...approvalChunks(
      toolCallId,
      part['approval'] as Approval | undefined,
      before?.['approval'] as Approval | undefined,
    ),
    ...(state === 'output-available' ? [{ ...result, type: 'tool-output-available', output, preliminary }] : []),
    ...(state === 'output-error' ? [{ ...result, type: 'tool-output-error', errorText }] : []),
    ...(state === 'output-denied' ? [{ type: 'tool-output-denied', toolCallId }] : []),
  ]
}

type Approval = Readonly<Record<string, unknown>>

function approvalChunks(
  toolCallId: unknown,
  approval: Approval | undefined,
  before: Approval | undefined,
): readonly Fields[] {
  if (approval === undefined) return []
  const { id: approvalId, approved, reason, descriptor, requestReason, ...asked } = approval
  const request = { type: 'tool-approval-request', toolCallId, approvalId, reason: requestReason }
  return [
    ...(before === undefined ? [{ ...asked, ...request, approvalDescriptor: descriptor }] : []),
    ...(approved === undefined ? [] : [{ type: 'tool-approval-response', approvalId, approved, reason }]),
  ]
}
