import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/contract/json.ts'
import type { Message, MessagePart } from '../../../src/contract/message.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import { readMemoState } from '../../../src/dialects/agently/rules/memo-state.ts'
import { messageSize } from '../../../src/dialects/agently/rules/message-size.ts'
import { summariseAttachments } from '../../../src/dialects/agently/rules/summarise-attachments.ts'
import { memoryStore } from '../support/memory-store.ts'
import vectors from './agently-vectors.json'

/**
 * What AgentlyMemoSession 4.0.7.4 did. None of the cases touches what the decisions C14 to C17 change:
 * `memo-session.test.ts` has those.
 */
interface ResizeVector {
  readonly name: string
  readonly messages: readonly (readonly [string, Text | readonly MessagePart[]])[]
  readonly limit?: { readonly chars?: number; readonly messages?: number }
  readonly every?: number
  readonly mode?: string
  readonly force?: string | boolean
  readonly resize?: boolean
  readonly chars: number
  readonly turns: number
  readonly decision: JsonObject | null
  readonly after?: {
    readonly currentLength: number
    readonly firstKept: Text | null
    readonly fullLength: number
    readonly memo: JsonObject
    readonly memoCursor: number
    readonly lastResizeTurn: number
    readonly memoUpdateCalls: readonly (readonly string[])[]
  }
}
/** A text, or a character and how often. */
type Text = string | { readonly repeat: readonly [string, number] }

const textOf = (text: Text): string => (typeof text === 'string' ? text : text.repeat[0].repeat(text.repeat[1]))
const messageOf = ([role, content]: ResizeVector['messages'][number]): Message => ({
  role,
  content: Array.isArray(content) ? (content as readonly MessagePart[]) : textOf(content as Text),
})

describe('AgentlyMemoSession’s vectors', () => {
  it.each(vectors.resizes as unknown as ResizeVector[])(
    '$name',
    async ({ messages, limit, every, mode, force, resize, chars, turns, decision, after }) => {
      const store = memoryStore()
      const calls: unknown[] = []
      const session = createMemoSession({
        store,
        key: 's',
        memoUpdateHandler: ({ memo, messages: told }) => {
          calls.push(told.map(({ content }) => content))
          return { ...memo, n: ((memo['n'] as number | undefined) ?? 0) + told.length }
        },
      })
      await session.configure({
        ...(mode === undefined ? {} : { mode }),
        ...(limit === undefined ? {} : { limit }),
        ...(every === undefined ? {} : { everyNTurns: every }),
      })
      for (const message of messages.map(messageOf)) await session.appendMessage(message)

      const current = await session.currentHistory()
      expect(current.reduce((size, message) => size + messageSize(message), 0)).toBe(chars)
      expect(messages.filter(([role]) => role === 'assistant')).toHaveLength(turns)
      expect(await session.judgeResize(force)).toEqual(decision)
      if (!resize || after === undefined) return

      const kept = await session.resize(force)
      const full = await session.fullHistory()
      const { contextState } = (await store.getMeta('s'))!
      const { memoCursor, lastResizeTurn, turns: counted } = readMemoState(contextState)
      const { entries } = await store.read('s')
      expect({
        currentLength: kept.length,
        firstKept: kept[0]?.content ?? null,
        fullLength: full.length,
        memo: await session.memo(),
        memoCursor: entries.filter(({ order }) => order <= memoCursor).length,
        lastResizeTurn,
        memoUpdateCalls: calls,
        turns: counted,
      }).toEqual({ ...after, firstKept: after.firstKept === null ? null : textOf(after.firstKept), turns })
    },
  )

  it.each(vectors.attachments as unknown as { content: string | MessagePart[]; summaries: unknown }[])(
    'summaries of $content',
    ({ content, summaries }) => {
      expect(summariseAttachments({ content })).toEqual(summaries)
    },
  )
})
