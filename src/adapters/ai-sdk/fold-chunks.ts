import type { Fields, GrowingMessage, GrowingPart } from './ui-message.ts'

export interface ChunkFold {
  /** What the chunks so far have made. The same object grows. */
  readonly message: GrowingMessage
  add(chunk: Fields): void
  /** The id under which chunks add to a text or reasoning part; `undefined` when it is complete. */
  openId(part: unknown): string | undefined
  /** Whether a text, a reasoning or the input of a tool has begun and not ended. */
  isOpen(): boolean
}

/**
 * Makes a message of the chunks of a UI message stream, as the AI SDK does for the chat that shows it. The one
 * difference: the input of a tool call that is still being written is kept as text only (`rawInput`).
 *
 * @param message - begins the message; it is changed
 */
export function foldChunks(message: GrowingMessage): ChunkFold {
  const { parts } = message
  const open = new Map<string, GrowingPart>()
  const stepStart = (): number => parts.findLastIndex(({ type }) => type === 'step-start') + 1
  const callOf = (id: unknown, from = 0): GrowingPart | undefined =>
    parts.findLast((part, index) => index >= from && part['toolCallId'] === id)

  function addText(type: 'text' | 'reasoning', step: string, chunk: Fields): void {
    const key = `${type} ${chunk['id']}`
    let part = step === 'start' ? undefined : open.get(key)
    if (part === undefined) {
      part = { type, ...(type === 'reasoning' ? { id: chunk['id'] } : {}), text: '', state: 'streaming' }
      parts.push(part)
      open.set(key, part)
    }
    if (step === 'delta') part['text'] += chunk['delta'] as string
    if (step === 'end') {
      part['state'] = 'done'
      open.delete(key)
    }
    assignKnown(part, { providerMetadata: chunk['providerMetadata'], citations: chunk['citations'] })
  }

  /** Begins a tool call, or goes on with it: what is given replaces what it had. */
  function setCall(chunk: Fields, known: GrowingPart | undefined, fields: Readonly<Record<string, unknown>>): void {
    const part = known ?? { type: chunk['dynamic'] ? 'dynamic-tool' : `tool-${chunk['toolName']}` }
    if (known === undefined) {
      if (chunk['dynamic']) part['toolName'] = chunk['toolName']
      part['toolCallId'] = chunk['toolCallId']
      parts.push(part)
    }
    for (const field of resultFields) delete part[field]
    const metadataField = String(fields['state']).startsWith('output')
      ? 'resultProviderMetadata'
      : 'callProviderMetadata'
    const { title, toolMetadata, providerExecuted, providerMetadata } = chunk
    assignKnown(part, { ...fields, title, toolMetadata, providerExecuted, [metadataField]: providerMetadata })
  }

  function addToolChunk(step: string, chunk: Fields): void {
    const { input, output, errorText, preliminary, inputEncoding } = chunk
    const here = callOf(chunk['toolCallId'], stepStart())
    const call = callOf(chunk['toolCallId'])
    if (step === 'input-start') setCall(chunk, here, { state: 'input-streaming', inputEncoding })
    else if (step === 'input-available') setCall(chunk, here, { state: 'input-available', input })
    else if (step === 'input-error')
      setCall({ ...chunk, title: undefined }, here, { state: 'output-error', input, errorText })
    else if (step === 'approval-response') {
      const asked = parts.findLast((part) => approvalOf(part)?.['id'] === chunk['approvalId'])
      if (asked !== undefined) answerApproval(asked, chunk)
    } else if (call === undefined) return
    else if (step === 'input-delta') call['rawInput'] = `${call['rawInput'] ?? ''}${chunk['inputTextDelta']}`
    else if (step === 'output-available')
      setCall(chunk, call, { state: step, input: call['input'], output, preliminary })
    else if (step === 'output-error')
      setCall(chunk, call, { state: step, input: call['input'], rawInput: call['rawInput'], errorText })
    else if (step === 'output-denied') call['state'] = step
    else if (step === 'approval-request') askApproval(call, chunk)
  }

  function add(chunk: Fields): void {
    const { type } = chunk
    const [kind, step = ''] = splitType(type)
    if (kind === 'text' || kind === 'reasoning') addText(kind, step, chunk)
    else if (kind === 'tool') addToolChunk(step, chunk)
    else if (kind === 'data') setData(parts, chunk)
    else if (type === 'start-step') parts.push({ type: 'step-start' })
    else if (type === 'reset-step') {
      parts.splice(stepStart())
      open.clear()
    } else if (wholeParts.has(type)) parts.push(assignKnown({ type }, chunk))
    else if (chunk['messageMetadata'] != null) message.metadata = merge(message.metadata, chunk['messageMetadata'])
  }

  return {
    message,
    add,
    openId: (part) => [...open].find(([, one]) => one === part)?.[0].replace(/^\w+ /, ''),
    isOpen: () => open.size > 0 || parts.some(({ state }) => state === 'input-streaming'),
  }
}

/** Chunks that are a part as they come. */
const wholeParts: ReadonlySet<string> = new Set([
  'custom',
  'file',
  'reasoning-file',
  'source-url',
  'source-document',
  'steering-message',
])

/** Of a tool call, what its next state takes away unless it has it itself. */
const resultFields = ['input', 'output', 'errorText', 'rawInput', 'preliminary', 'inputEncoding']

/** `text-delta` is a step of a text; `reasoning-file` is no step of a reasoning. */
function splitType(type: string): readonly [kind: string, step?: string] {
  const [, kind, step] = /^(text|reasoning|tool|data)-(.*)$/.exec(type) ?? []
  return kind === undefined || type === 'reasoning-file' ? [type] : [kind, step ?? '']
}

function setData(parts: GrowingPart[], chunk: Fields): void {
  if (chunk['transient']) return
  const { type, id, data } = chunk
  const known = id === undefined ? undefined : parts.find((part) => part.type === type && part['id'] === id)
  if (known === undefined) parts.push({ ...chunk })
  else known['data'] = data
}

const approvalOf = (part: GrowingPart): Readonly<Record<string, unknown>> | undefined =>
  part['approval'] as Readonly<Record<string, unknown>> | undefined

function askApproval(call: GrowingPart, chunk: Fields): void {
  const { approvalId, approvalDescriptor, reason, isAutomatic, signature } = chunk
  call['state'] = 'approval-requested'
  call['approval'] = assignKnown(
    { id: approvalId },
    {
      descriptor: approvalDescriptor ?? undefined,
      inputSchemaInput: chunk['inputSchemaInput'],
      requestReason: reason ?? undefined,
      isAutomatic: isAutomatic === true || undefined,
      signature: signature ?? undefined,
    },
  )
}

function answerApproval(call: GrowingPart, { approvalId, approved, reason, ...chunk }: Fields): void {
  const { providerExecuted, providerMetadata } = chunk
  call['state'] = 'approval-responded'
  call['approval'] = assignKnown({ ...approvalOf(call), id: approvalId, approved }, { reason: reason ?? undefined })
  assignKnown(call, { providerExecuted, callProviderMetadata: providerMetadata })
}

/** Sets the fields that have a value. */
function assignKnown<Target extends Record<string, unknown>>(
  target: Target,
  fields: Readonly<Record<string, unknown>>,
) {
  for (const [field, value] of Object.entries(fields))
    if (value !== undefined) (target as Record<string, unknown>)[field] = value
  return target
}

/** Adds to metadata: objects are joined field by field, everything else is replaced. */
function merge(base: unknown, added: unknown): unknown {
  if (!isRecord(base) || !isRecord(added)) return added
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(added))
    if (value !== undefined && !unsafeKeys.has(key)) merged[key] = merge(merged[key], value)
  return merged
}

const unsafeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
