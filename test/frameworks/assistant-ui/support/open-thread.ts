import type { ChatModelAdapter, ThreadMessage } from '@assistant-ui/core'
import { LocalRuntimeCore } from '@assistant-ui/core/internal'
import type { SessionHistory } from '../../../../src/adapters/assistant-ui/assistant-types.ts'

export const textOf = ({ content }: Pick<ThreadMessage, 'content'>): string =>
  content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('')

/** A model that says which run it is, and what it was asked. */
function createEchoModel(): ChatModelAdapter {
  let runs = 0
  return {
    run: async ({ messages }) => ({ content: [{ type: 'text', text: `${++runs}: ${textOf(messages.at(-1)!)}` }] }),
  }
}

/** A page with a thread of the local runtime, after its history was loaded. */
export async function openThread(history: SessionHistory<ThreadMessage>, chatModel = createEchoModel()) {
  const core = new LocalRuntimeCore({ adapters: { chatModel, history } }, undefined)
  const thread = core.threads.getMainThreadRuntimeCore()
  await thread.__internal_load()
  const say = (text: string, parentId: string | null, sourceId: string | null = null) =>
    thread.append({
      role: 'user',
      content: [{ type: 'text', text }],
      attachments: [],
      metadata: { custom: {} },
      createdAt: new Date(),
      parentId,
      sourceId,
      runConfig: undefined,
    } as Parameters<typeof thread.append>[0])
  return {
    thread,
    /** Shows what another history has, as a page does that is rendered with it. */
    exchange: async (next: SessionHistory<ThreadMessage>) => {
      thread.__internal_setOptions({ adapters: { chatModel, history: next } })
      await thread.__internal_load()
    },
    /** Says something behind the last message. */
    send: (text: string) => say(text, thread.messages.at(-1)?.id ?? null),
    /** Says something in the place of a message. */
    edit: (message: ThreadMessage, text: string) => {
      const at = thread.messages.findIndex(({ id }) => id === message.id)
      return say(text, thread.messages[at - 1]?.id ?? null, message.id)
    },
    regenerate: () => {
      const [question, reply] = thread.messages.slice(-2)
      return thread.startRun({ parentId: question!.id, sourceId: reply!.id, runConfig: {} })
    },
    shown: () => thread.messages.map(textOf),
  }
}
