import { afterAll } from 'vitest'
import { type ChatHandler, createChatHandler } from '../../../src/chat.ts'
import { createMemoryBackend, createSessionStore } from '../../../src/direct.ts'
import type { Served } from '../../support/serve.ts'
import { chatSuite } from './support/chat-suite.ts'
import { scriptedOptions } from './support/scripted-chat.ts'
import { serveChat } from './support/serve-chat.ts'

const createHandler = (): ChatHandler => createChatHandler(createSessionStore(createMemoryBackend()), scriptedOptions())

chatSuite('in this realm', async () => {
  let handle: ChatHandler
  return {
    fetch: (path, init) => handle(new Request(`http://localhost${path}`, init)),
    reset: async () => void (handle = createHandler()),
  }
})

let served: Served | undefined
afterAll(() => served?.close())

chatSuite('by Node’s http server', async () => {
  let handle: ChatHandler
  served = await serveChat((request) => handle(request))
  const { url } = served
  return { fetch: (path, init) => fetch(url + path, init), reset: async () => void (handle = createHandler()) }
})
