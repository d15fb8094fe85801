import { useChat } from '@tanstack/ai-react'
import { openSessionStore } from 'keepsession'
import { createPersistence } from 'keepsession/tanstack-ai'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import type { ThreadPage } from '../../../e2e/support/framework-pages.ts'
import { createScriptedConnection, pause } from '../support/scripted-connection.ts'

// A chat app, as its user would write it: what the tests press are the functions of `useChat`.

const client = await openSessionStore({ name: 'tanstack-ai' })
const errors: string[] = []
const persistence = createPersistence(client, { onError: (error) => void errors.push(String(error)) })
const { connect, release } = createScriptedConnection((question, run) =>
  question.includes('slowly') ? [`${run}: you `, pause, 'said it'] : [`${run}: you `, 'said it'],
)
// Each page makes ids of its own for its replies.
const connection = connect(`${Math.random()}`)

function App(): null {
  const chat = useChat({ threadId: 'chat', persistence, connection })
  useEffect(() => {
    const page: ThreadPage = {
      client,
      errors,
      release,
      messages: JSON.parse(JSON.stringify(chat.messages)),
      status: chat.status,
      send: async (text) => void (await chat.sendMessage(text)),
      reload: async () => void (await chat.reload()),
      clear: () => chat.clear(),
      flush: () => persistence.flush(),
    }
    Object.assign(window, { chat: page })
  })
  return null
}

createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(App))
