import { useChat } from '@ai-sdk/react'
import { openSessionStore } from 'keepsession'
import { loadChat, persistTransport } from 'keepsession/ai-sdk'
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { modelTransport } from './model-transport.js'

const client = await openSessionStore({ name: 'react-ai-sdk' })
const session = await client.session('chat')
const stored = await loadChat(session)
const transport = persistTransport(modelTransport, session, { onError: console.error })

async function remove() {
  await session.delete()
  location.reload()
}

function Chat() {
  const { messages, status, sendMessage, regenerate } = useChat({ messages: stored, transport, resume: true })
  const [text, setText] = useState('')

  function send(event) {
    event.preventDefault()
    setText('')
    sendMessage({ text })
  }

  return (
    <>
      <h1>A chat with the AI SDK</h1>
      <ol aria-label="Messages" aria-live="polite" aria-busy={status === 'submitted' || status === 'streaming'}>
        {messages.map(({ id, parts, interrupted }) => (
          <li key={id} data-id={id}>
            {parts.map(({ text }) => text)}
            {interrupted && '(cut off)'}
          </li>
        ))}
      </ol>
      <form onSubmit={send}>
        <input
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-label="Message"
          autoComplete="off"
          required
        />
        <button type="submit">Send</button>
      </form>
      <button type="button" onClick={() => regenerate()}>
        Regenerate
      </button>
      <button type="button" onClick={remove}>
        Delete chat
      </button>
    </>
  )
}

createRoot(document.querySelector('#app')).render(<Chat />)
