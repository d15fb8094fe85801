import type { Message } from '../src/index.ts'
import type { BlobReader } from './attachments/attached-file.ts'
import { type EndpointPart, endpointPart } from './attachments/endpoint-parts.ts'
import { isToolResult, messageFiles, messageText } from './chat/message-parts.ts'
import type { Model } from './model.ts'
import { shortened } from './ui/format.ts'

export interface OpenaiOptions {
  /** Up to and with the version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string
  readonly model: string
  /** Empty for servers that ask for none. */
  readonly apiKey: string
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null; readonly reasoning_content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly error?: { readonly message?: string }
}

/**
 * A model behind an OpenAI-compatible endpoint. Throws errors that say what to do.
 *
 * @param blobs - where the files are that messages name
 */
export function openaiModel({ baseUrl, model, apiKey }: OpenaiOptions, blobs: BlobReader): Model {
  return {
    name: model,
    async *reply(history, signal) {
      const url = `${baseUrl.replace(/\/+$/, '')}/chat/completions`
      const response = await post(
        url,
        apiKey,
        {
          model,
          stream: true,
          messages: [
            ...(await endpointMessages(history, blobs)),
            ...(history.at(-1)?.role === 'assistant' ? [goOn] : []),
          ],
        },
        signal,
      )
      if (response.body === null) throw new Error(`${url} sent no reply.`)
      let isComplete = false
      for await (const data of serverSentData(response.body)) {
        if (data === '[DONE]') return
        const chunk = JSON.parse(data) as Chunk
        if (chunk.error !== undefined) throw new Error(chunk.error.message ?? 'The endpoint stopped with an error.')
        const choice = chunk.choices?.[0]
        const delta = choice?.delta
        if (choice?.finish_reason) isComplete = true
        if (delta?.reasoning_content) yield { reasoning: delta.reasoning_content }
        if (delta?.content) yield { text: delta.content }
      }
      // A connection that breaks may end like one that is closed.
      if (!isComplete) throw new Error(`${url} ended the reply before it was complete.`)
    },
  }
}

/** Few endpoints go on with a last message of their own by themselves. */
const goOn = {
  role: 'user',
  content: 'Your reply was cut off. Go on exactly where it ends, without repeating anything.',
}

interface EndpointMessage {
  readonly role: string
  readonly content: string | readonly EndpointPart[]
}

/** Tool traffic of other apps stays out: an endpoint refuses calls to tools it was not told of. */
async function endpointMessages(history: readonly Message[], blobs: BlobReader): Promise<readonly EndpointMessage[]> {
  const messages: EndpointMessage[] = []
  for (const message of history) {
    const text = isToolResult(message) ? '' : messageText(message)
    const role = message.role === 'assistant' || message.role === 'system' ? message.role : 'user'
    const files = role === 'user' ? messageFiles(message) : []
    const content =
      files.length === 0
        ? text
        : [
            ...(text === '' ? [] : [{ type: 'text' as const, text }]),
            ...(await Promise.all(files.map((file) => endpointPart(file, blobs)))),
          ]
    if (content !== '') messages.push({ role, content })
  }
  return messages
}

async function post(url: string, apiKey: string, body: object, signal: AbortSignal): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal }).catch(
    (error: unknown) => {
      signal.throwIfAborted()
      throw new Error(
        `${url} can't be reached. Is it running, is the address right, and does it allow requests from ${location.origin} (CORS)?`,
        { cause: error },
      )
    },
  )
  if (response.ok) return response
  const hint = hints[response.status] ?? 'The endpoint refused the request.'
  throw new Error(`${hint} (${response.status}) ${shortened(await errorText(response), 300)}`)
}

const hints: Readonly<Record<number, string>> = {
  401: 'The key is not accepted. Check it in the settings.',
  403: 'This key does not have permission.',
  404: 'There is no such endpoint or model. Check the address and the model in the settings.',
  413: 'The conversation is too long for this endpoint.',
  429: 'Too many requests, or no credit left. Wait, or check the account.',
}

async function errorText(response: Response): Promise<string> {
  const text = await response.text().catch(() => '')
  try {
    return (JSON.parse(text) as Chunk).error?.message ?? text
  } catch {
    return text
  }
}

/** The `data:` lines of a stream of server-sent events. */
async function* serverSentData(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      const lines = (rest + (value ?? '')).split(/\r?\n/)
      rest = done ? '' : (lines.pop() ?? '')
      for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim()
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
