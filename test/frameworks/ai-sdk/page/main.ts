import { useChat } from '@ai-sdk/react'
import type { UIMessage } from 'ai'
import { openSessionStore } from 'keepsession'
import { chatBranches, loadChat, persistTransport } from 'keepsession/ai-sdk'
import { createElement, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import type { ChatPage } from '../../../e2e/support/chat-page.ts'
import { createScriptedAgent } from '../support/scripted-agent.ts'

// A chat app, as its user would write it: what the tests press are the functions of `useChat`.

const client = await openSessionStore({ name: 'ai-sdk' })
const session = await client.session('chat')
const { inner, release } = createScriptedAgent()
const errors: string[] = []
const transport = persistTransport(inner, session, { onError: (error) => void errors.push(String(error)) })
const messages = await loadChat<UIMessage>(session)
const branches = chatBranches<UIMessage>(session)

function App(): null {
  const chat = useChat({ messages, transport, resume: new URLSearchParams(location.search).has('resume') })
  useEffect(() => {
    const page: ChatPage = {
      client,
      release,
      errors,
      messages: JSON.parse(JSON.stringify(chat.messages)),
      status: chat.status,
      send: (text, options) => chat.sendMessage({ text, ...options }),
      sendFile: (file) => {
        const files = new DataTransfer()
        files.items.add(file)
        return chat.sendMessage({ text: 'look', files: files.files })
      },
      regenerate: () => chat.regenerate(),
      stop: () => chat.stop(),
      answerTool: (toolCallId, output) => {
        void chat.addToolOutput({ tool: 'weather', toolCallId, output })
        return chat.sendMessage()
      },
      approve: async (id, approved) => {
        await chat.addToolApprovalResponse({ id, approved })
        return chat.sendMessage()
      },
      load: async () => JSON.parse(JSON.stringify(await loadChat<UIMessage>(session))),
      versions: async () => [...(await branches.versions())],
      show: async (id, index) => chat.setMessages((await branches.show(id, index)) ?? []),
    }
    Object.assign(window, { chat: page })
  })
  return null
}

createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(App))
