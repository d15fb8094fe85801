'use client'

import { isSessionError } from 'keepsession'
import { useSessionStore, useTranscript } from 'keepsession/react'
import { useRef } from 'react'
import { answer } from './model.js'

/** Streams a reply. What has arrived stays if the page is closed or crashes meanwhile. */
async function reply(session, told) {
  // The reply has this id from its first word on.
  const stream = session.stream({ mid: crypto.randomUUID() })
  try {
    for await (const word of answer(told)) stream.write(word)
    await stream.end()
  } catch (error) {
    // What has arrived is kept, unless the chat was deleted meanwhile, for example in another tab.
    const isGone = isSessionError(error, 'SessionNotFound')
    await stream.abort({ keep: !isGone, stopped: false })
    if (!isGone) throw error
  }
}

export function Chat() {
  // Absent on the server, and until the store is open.
  const client = useSessionStore()
  const { entries, drafts } = useTranscript('chat')
  /** Opened for each use, so that a chat that was deleted in any tab begins anew. */
  const open = () => client.session('chat')

  const isStoring = useRef(false)
  async function send(event) {
    event.preventDefault()
    if (isStoring.current) return
    isStoring.current = true
    const input = event.target.elements.message
    const content = input.value
    let session
    try {
      session = await open()
      await session.append({ role: 'user', content })
      // Only now: what can't be stored is still there to be sent again.
      if (input.value === content) input.value = ''
    } finally {
      isStoring.current = false
    }
    await reply(session, content)
  }

  /** The reply stays on its own branch; the next one takes its place. */
  async function regenerate() {
    const session = await open()
    await session.regenerate()
    await reply(session, (await session.messages()).at(-1).content)
  }

  return (
    <>
      <ol aria-label="Messages" aria-live="polite">
        {entries
          .filter(({ message }) => message !== undefined)
          .map(({ id, mid = id, message }) => (
            <li key={mid} data-id={mid}>
              {message.content}
              {message.interrupted && '(cut off)'}
            </li>
          ))}
        {drafts.map(({ mid, text }) => (
          <li key={mid} data-id={mid}>
            {text}…
          </li>
        ))}
      </ol>
      <form onSubmit={send}>
        <fieldset disabled={client === undefined}>
          <input name="message" aria-label="Message" autoComplete="off" required />
          <button type="submit">Send</button>
          <button type="button" onClick={regenerate}>
            Regenerate
          </button>
          <button type="button" onClick={async () => (await open()).delete()}>
            Delete chat
          </button>
        </fieldset>
      </form>
    </>
  )
}
