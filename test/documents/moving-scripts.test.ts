import ts from '@typescript/typescript6'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { Session } from '../../src/client/session-contract.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { blocksOf, readDocument } from '../support/documents.ts'
import { createLocks } from '../support/locks.ts'

// How the scripts read what others stored is in test/site/moving.test.ts, in a browser. This is what they have in common.

let client: SessionClient
beforeEach(async () => {
  client = await openDirectStore({ name: 'moving', modes: ['memory'] })
})
afterEach(() => client.close())

const locks = createLocks()
const messages = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ role: 'user', content: `Message ${i}` }))

/** A client that stores nothing more after so many messages, as if the page were closed then. */
function endingAfter(count: number): Pick<SessionClient, 'collection' | 'session'> {
  let stored = 0
  const check = (): void => {
    if (stored >= count) throw new Error('The page was closed.')
  }
  const session = async (...args: Parameters<SessionClient['session']>): Promise<Session> => {
    const opened = await client.session(...args)
    return {
      ...opened,
      appendAll: async (entries, options) => {
        check()
        stored += entries.length
        return opened.appendAll(entries, options)
      },
    }
  }
  const collection: SessionClient['collection'] = (name) => {
    const opened = client.collection(name)
    return {
      ...opened,
      write: async (...args) => {
        check()
        return opened.write(...args)
      },
    }
  }
  return { collection, session: session as SessionClient['session'] }
}

/** Runs the script of the guide for localStorage. @returns what it said */
async function move(stored: Readonly<Record<string, string>>, count = Number.POSITIVE_INFINITY): Promise<string[]> {
  const [block] = blocksOf(readDocument('site/moving/local-storage.md')).filter(({ language }) => language === 'ts')
  const code = block!.code.replace(/^import .+$/m, '')
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022 } })
  const said: string[] = []
  const say = (...words: unknown[]): unknown => said.push(words.map(String).join(' '))
  const storage = Object.defineProperty({ ...stored }, 'getItem', { value: (key: string) => stored[key] ?? null })
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const run = new AsyncFunction('openSessionStore', 'localStorage', 'navigator', 'console', outputText)
  await run(async () => endingAfter(count), storage, { locks }, { warn: say, error: say })
  return said
}

const contents = async (key: string): Promise<unknown[]> =>
  (await (await client.session(key)).messages()).map(({ content }) => content)

it('moves more messages than a session remembers operations, each once, when it is interrupted', async () => {
  const stored = { 'chat:long': JSON.stringify(messages(130_000)) }
  expect(await move(stored, 129_000)).toEqual(['long was not moved: Error: The page was closed.'])
  expect(await move(stored)).toEqual([])
  const found = await contents('long')
  expect(found).toHaveLength(130_000)
  expect(new Set(found).size).toBe(130_000)
}, 130_000)

it('goes on with a conversation that has grown since it was interrupted', async () => {
  await move({ 'chat:a': JSON.stringify(messages(250)) }, 250)
  await move({ 'chat:a': JSON.stringify(messages(430)) })
  expect(await contents('a')).toEqual(Array.from({ length: 430 }, (_, i) => `Message ${i}`))
})

it('moves the others when one conversation is odd, and does not take that for moved', async () => {
  const said = await move({
    'chat:no list': '{}',
    'chat:no json': 'text',
    'chat:odd': '[null]',
    'chat:quiet': '[{"role":"assistant","content":null}]',
    'chat:whole': JSON.stringify(messages(3)),
  })
  expect(said).toHaveLength(3)
  expect(await contents('quiet')).toEqual([null])
  expect(await contents('whole')).toHaveLength(3)
  const moved = client.collection('moved')
  expect(await moved.get('odd')).toBeUndefined()
  expect(await moved.get('whole')).toBe(true)
})
