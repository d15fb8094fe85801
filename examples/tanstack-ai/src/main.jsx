import { useChat } from '@tanstack/ai-react'
import { openSessionStore } from 'keepsession'
import { createPersistence } from 'keepsession/tanstack-ai'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { modelConnection } from './model-connection.js'

const client = await openSessionStore({ name: 'tanstack-ai' })
const persistence = createPersistence(client, { onError: (error) => console.error('Not stored:', error) })

/** The ids of replies that a crash, or the end of the page, cut off. */
const { entries } = await (await client.session('chat')).page({ last: 100 })
const cutOff = new Set(entries.flatMap(({ message, mid, id }) => (message?.interrupted ? [mid ?? id] : [])))

function Chat() {
  const { messages, isLoading, sendMessage, reload, clear } = useChat({
    threadId: 'chat',
    persistence,
    connection: modelConnection,
  })
  const [text, setText] = useState('')
  const [isStored, setStored] = useState(true)

  // A run that has ended is stored in the background. Until that is done, the page says that it is busy.
  useEffect(() => {
    if (isLoading) setStored(false)
    else
      persistence.flush('chat').then(
        () => setStored(true),
        () => undefined,
      )
  }, [isLoading])

  function send(event) {
    event.preventDefault()
    setText('')
    sendMessage(text)
  }

  return (
    <>
      <h1>A chat with TanStack AI</h1>
      <ol aria-label="Messages" aria-live="polite" aria-busy={isLoading || !isStored}>
        {messages.map(({ id, parts }) => (
          <li key={id} data-id={id}>
            {parts.map(({ content }) => content)}
            {cutOff.has(id) && '(cut off)'}
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
      <button type="button" onClick={() => reload()}>
        Regenerate
      </button>
      <button type="button" onClick={() => clear()}>
        Delete chat
      </button>
    </>
  )
}

createRoot(document.querySelector('#app')).render(<Chat />)
