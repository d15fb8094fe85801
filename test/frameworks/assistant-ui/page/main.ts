import {
  AssistantRuntimeProvider,
  type ChatModelAdapter,
  type ThreadMessage,
  useAuiState,
  useLocalRuntime,
  useRemoteThreadListRuntime,
} from '@assistant-ui/react'
import { openSessionStore } from 'keepsession'
import { createAttachmentAdapter, createHistoryAdapter, createThreadListAdapter } from 'keepsession/assistant-ui'
import { createElement, useEffect, useMemo } from 'react'
import { createRoot } from 'react-dom/client'
import type { AssistantPage } from '../../../e2e/support/framework-pages.ts'

// An app with many threads, as its user would write it.

const client = await openSessionStore({ name: 'assistant-ui' })
const adapter = createThreadListAdapter(client)
const attachments = createAttachmentAdapter(client)
const textOf = ({ content }: ThreadMessage) => content.map((part) => (part.type === 'text' ? part.text : '')).join('')
let runs = 0
const model: ChatModelAdapter = {
  run: async ({ messages }) => ({ content: [{ type: 'text', text: `${++runs}: ${textOf(messages.at(-1)!)}` }] }),
}

function useThreadRuntime() {
  const key = useAuiState(({ threadListItem }) => threadListItem.remoteId ?? threadListItem.id)
  const history = useMemo(() => createHistoryAdapter(client.session(key)), [key])
  useEffect(() => () => void history.close(), [history])
  return useLocalRuntime(model, { adapters: { history, attachments } })
}

function App() {
  const runtime = useRemoteThreadListRuntime({ runtimeHook: useThreadRuntime, adapter })
  useEffect(() => {
    const { thread, threads } = runtime
    const itemAt = (index: number) => threads.getItemByIndex(index)
    const shown = () => thread.getState().messages
    const page: AssistantPage = {
      client,
      messages: () =>
        shown().map((message, index) => {
          const { branchNumber, branchCount } = thread.getMessageByIndex(index).getState()
          const parts = (message.attachments ?? []).flatMap(({ content = [] }) => content)
          const images = parts.flatMap((part) => (part.type === 'image' ? [part.image] : []))
          return { id: message.id, text: textOf(message), version: `${branchNumber}/${branchCount}`, images }
        }),
      isRunning: () => thread.getState().isRunning,
      send: async (text, file) => {
        if (file !== undefined) await thread.composer.addAttachment(file)
        thread.composer.setText(text)
        thread.composer.send()
      },
      edit: (index, text) => {
        const message = shown()[index]!
        thread.append({
          role: 'user',
          content: [{ type: 'text', text }],
          parentId: shown()[index - 1]?.id ?? null,
          sourceId: message.id,
        })
      },
      regenerate: (index) => thread.getMessageByIndex(index).reload(),
      showPrevious: (index) => thread.getMessageByIndex(index).switchToBranch({ position: 'previous' }),
      threads: () => {
        const { threadIds, archivedThreadIds, threadItems } = threads.getState()
        const titleOf = (id: string) => String(threadItems[id]?.title)
        return [...threadIds.map(titleOf), ...archivedThreadIds.map((id) => `(${titleOf(id)})`)]
      },
      newThread: () => threads.switchToNewThread(),
      openThread: (index) => itemAt(index).switchTo(),
      rename: (index, title) => itemAt(index).rename(title),
      archive: (index) => itemAt(index).archive(),
      remove: (index) => itemAt(index).delete(),
    }
    Object.assign(window, { assistant: page })
  }, [runtime])
  return createElement(AssistantRuntimeProvider, { runtime, children: null })
}

createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(App))
