import type { ChatEvent } from './chat-types.ts'

/**
 * Reads the events of a chat's response as they arrive. Works with any server of this API, however the bytes are split.
 *
 * @throws Error when the request failed; its `cause` is the response, and its message contains the server's text
 */
export async function* chatEvents(response: Response): AsyncGenerator<ChatEvent, void, undefined> {
  if (!response.ok || response.body === null)
    throw new Error(`The chat was answered with status ${response.status}: ${await response.text()}`, {
      cause: response,
    })
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  let rest = ''
  try {
    for (let isOver = false; !isOver; ) {
      const { done, value } = await reader.read()
      rest += decoder.decode(value, { stream: !done })
      // A carriage return at the end may be the first half of a line's end.
      const lines = rest.split(done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/)
      // An incomplete line is held back, and dropped if the server breaks off.
      rest = lines.pop() ?? ''
      isOver = done
      for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice(5)) as ChatEvent
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
