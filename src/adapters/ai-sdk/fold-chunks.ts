import type { Fields, GrowingMessage, GrowingPart } from './ui-message.ts'

export interface ChunkFold {
  /** What the chunks so far have made. The same object grows. */
  readonly message: GrowingMessage
  add(chunk: Fields): void
  /** The id under which chunks add to a text or reasoning part; `undefined` when it is complete. */
  openId(part: unknown): unknown
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
  /** Texts and reasonings that have not ended, and their ids. */
  const open = new Map<GrowingPart, unknown>()
  const stepStart = (): number => parts.findLastIndex(({ type }) => type === 'step-start') + 1

  function addText(type: string, step: string, { id, delta = '', providerMetadata, citations }: Fields): void {
    let part = [...open.keys()].findLast((one) => one.type === type && open.get(one) === id)
    if (part === undefined || step === 'start') {
      part = { type, text: '', state: 'streaming', ...(type === 'text' ? {} : { id }) }
      parts.push(part)
    }
    open.set(part, id)
    part['text'] += delta as string
    assign(part, { providerMetadata, citations })
    if (step !== 'end') return
    part['state'] = 'done'
    open.delete(part)
  }

  function addCall(step: string, { type: _, toolName, dynamic, providerMetadata, ...chunk }: Fields): void {
    const { toolCallId, approvalId, reason, approved, providerExecuted } = chunk
    const from = beginnings[step] === undefined ? 0 : stepStart()
    let call = parts.findLast((part, at) => at >= from && part['toolCallId'] === toolCallId)
    if (step === 'approval-response') call = parts.findLast((part) => approvalOf(part)['id'] === approvalId)
    if (call === undefined) {
      if (beginnings[step] === undefined) return
      call = { type: dynamic ? 'dynamic-tool' : `tool-${toolName}`, ...(dynamic ? { toolName } : {}) }
      parts.push(call)
    }
    const { input, rawInput } = call
    if (step === 'input-delta') call['rawInput'] = `${rawInput ?? ''}${chunk['inputTextDelta']}`
    else if (step === 'output-denied') call['state'] = step
    else if (step === 'approval-request') {
      const { approvalDescriptor: descriptor, inputSchemaInput, isAutomatic, signature } = chunk
      call['state'] = 'approval-requested'
      call['approval'] = { id: approvalId, descriptor, inputSchemaInput, requestReason: reason, isAutomatic, signature }
    } else if (step === 'approval-response') {
      const approval = assign({ ...approvalOf(call), approved }, { reason })
      assign(call, { state: 'approval-responded', approval, providerExecuted, callProviderMetadata: providerMetadata })
    } else {
      const isResult = step.startsWith('output-')
      const state = beginnings[step] ?? step
      const metadata = state.startsWith('output-') ? 'resultProviderMetadata' : 'callProviderMetadata'
      for (const field of ['input', 'output', 'errorText', 'rawInput', 'preliminary', 'inputEncoding'])
        delete call[field]
      if (isResult) assign(call, { input, rawInput: step === 'output-error' ? rawInput : undefined })
      assign(call, { ...chunk, state, [metadata]: providerMetadata })
    }
  }

  function add(chunk: Fields): void {
    const { type, id, messageMetadata } = chunk
    const [, kind, step = ''] = /^(text|reasoning|tool|data)-(?!file)(.*)$/.exec(type) ?? []
    if (kind === 'text' || kind === 'reasoning') addText(kind, step, chunk)
    else if (kind === 'tool') addCall(step, chunk)
    else if (kind === 'data') {
      const known = id === undefined ? undefined : parts.find((part) => part.type === type && part['id'] === id)
      if (known !== undefined) known['data'] = chunk['data']
      else if (!chunk['transient']) parts.push({ ...chunk })
    } else if (type === 'start-step') parts.push({ type: 'step-start' })
    else if (type === 'reset-step') {
      parts.splice(stepStart())
      open.clear()
    } else if (messageMetadata != null) message.metadata = merge(message.metadata, messageMetadata)
    else if (/^(custom|(reasoning-)?file|source-url|source-document|steering-message)$/.test(type))
      parts.push({ ...chunk })
  }

  return {
    message,
    add,
    openId: (part) => open.get(part as GrowingPart),
    isOpen: () => open.size > 0 || parts.some(({ state }) => state === 'input-streaming'),
  }
}

/** The state in which a step begins a call. */
const beginnings: Readonly<Record<string, string>> = {
  'input-start': 'input-streaming',
  'input-available': 'input-available',
  'input-error': 'output-error',
}

const approvalOf = (part: GrowingPart): Readonly<Record<string, unknown>> =>
  (part['approval'] as Readonly<Record<string, unknown>> | undefined) ?? {}

/** Sets the fields that have a value. */
function assign<Target extends object>(target: Target, fields: Readonly<Record<string, unknown>>): Target {
  return Object.assign(target, Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
}

/** Adds to metadata: objects are joined field by field, everything else is replaced. */
function merge(base: unknown, added: unknown): unknown {
  if (!isRecord(base) || !isRecord(added)) return added
  const merged = Object.entries(added).filter(([key]) => key !== '__proto__')
  return { ...base, ...Object.fromEntries(merged.map(([key, value]) => [key, merge(base[key], value)])) }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
