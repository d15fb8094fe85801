import { useAuiState, useLocalRuntime } from '@assistant-ui/react'
import { openSessionStore } from 'keepsession'
import { createAttachmentAdapter, createHistoryAdapter, createThreadListAdapter } from 'keepsession/assistant-ui'
import { useEffect, useMemo } from 'react'
import { answer } from './model.js'

const client = await openSessionStore({ name: 'assistant-ui' })
const attachments = createAttachmentAdapter(client, { accept: 'image/*' })

export const threads = createThreadListAdapter(client)
/** The chat that was used last. */
export const openThread = (await client.listSessions({ limit: 1 })).sessions[0]?.key

/** Asks no server. A model that does gets `await attachments.forModel(messages)`, which has the pictures themselves. */
const model = {
  async *run({ messages, abortSignal }) {
    const told = messages
      .at(-1)
      .content.map(({ text = '' }) => text)
      .join('')
    let text = ''
    for await (const word of answer(told)) {
      if (abortSignal.aborted) return
      text += word
      yield { content: [{ type: 'text', text }] }
    }
  },
}

export function useThreadRuntime() {
  const key = useAuiState(({ threadListItem }) => threadListItem.remoteId ?? threadListItem.id)
  const history = useMemo(() => createHistoryAdapter(client.session(key), { scopeId: key }), [key])
  useEffect(() => () => void history.close(), [history])
  return useLocalRuntime(model, { adapters: { history, attachments } })
}
