import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, createConsumer, link } from '../packaging/consumer.ts'
import { blocksOf, readDocument } from '../support/documents.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Served, serve } from '../support/serve.ts'

const count = 10_000

/** Where conversations come from: how they were stored there, and what of a message has to arrive. */
interface Source {
  readonly page: string
  /** Stores two conversations, `long` with all messages and `short` with one, as the app before did. */
  readonly seed: string
  /** How the app reads a conversation now, and what of a message is compared. Default: the session's messages. */
  readonly read?: string
  readonly content?: string
}

const messages = `Array.from({ length: ${count} }, (_, i) => ({
  role: i % 2 === 0 ? 'user' : 'assistant', content: 'Message ' + i + ' ✓' }))`
const short = `[{ role: 'user', content: 'Only one' }]`

const sources: readonly Source[] = [
  {
    page: 'local-storage',
    seed: `localStorage.setItem('chat:long', JSON.stringify(${messages}.map((message, createdAt) => ({ ...message, createdAt }))))
      localStorage.setItem('chat:short', JSON.stringify(${short}))
      localStorage.setItem('chat:draft', 'no JSON')
      localStorage.setItem('theme', 'dark')`,
  },
  {
    page: 'idb-keyval',
    seed: `import { set } from 'idb-keyval'
      await set('long', { title: 'Long', messages: ${messages}, updatedAt: 2 })
      await set('short', { messages: ${short}, updatedAt: 1 })
      await set('settings', { theme: 'dark' })`,
  },
  {
    page: 'dexie',
    seed: `import Dexie from 'dexie'
      const old = new Dexie('my-old-app')
      old.version(1).stores({ chats: 'id', messages: '++id, chat' })
      await old.chats.bulkAdd([{ id: 'long', title: 'Long' }, { id: 'short', title: 'Short' }])
      const row = (chat) => (message, i) => ({ chat, ...message, createdAt: 1_700_000_000_000 + i })
      await old.messages.bulkAdd(${messages}.map(row('long')))
      await old.messages.bulkAdd(${short}.map(row('short')))
      old.close()`,
  },
  {
    page: 'tanstack-ai',
    seed: `import { indexedDBPersistence } from '@tanstack/ai-client'
      const old = indexedDBPersistence()
      const message = ({ role, content }, i) => ({
        id: 'm' + i, role, parts: [{ type: 'text', content }], createdAt: new Date(1_700_000_000_000 + i) })
      await old.setItem('long', { messages: ${messages}.map(message) })
      await old.setItem('short', { messages: ${short}.map(message) })`,
    read: `(await persistence.getItem(key)).messages`,
    content: 'createdAt instanceof Date && message.parts[0].content',
  },
  {
    page: 'nextchat',
    seed: `const message = (one, i) => ({ id: 'm' + i, date: new Date(1_700_000_000_000 + i).toLocaleString(), ...one })
      const session = (id, topic, messages) => ({
        id, topic, memoryPrompt: '', messages: messages.map(message), lastUpdate: messages.length,
        lastSummarizeIndex: 0, stat: { tokenCount: 0, wordCount: 0, charCount: 0 }, mask: { name: topic, context: [] } })
      const state = { sessions: [session('long', 'Long', ${messages}), session('short', 'Short', ${short})],
        currentSessionIndex: 0, lastInput: '' }
      localStorage.setItem('chat-next-web-store', JSON.stringify({ state, version: 3.3 }))`,
  },
]

const scriptOf = (page: string): string => {
  const document = readDocument(`site/moving/${page}.md`)
  const [block, ...others] = blocksOf(document).filter(({ language }) => language === 'ts')
  expect(others).toEqual([])
  return block!.code
}

let app: Consumer
let served: Served
let browser: Browser
beforeAll(async () => {
  app = await createConsumer()
  link('idb-keyval', app.root, 'site')
  link('@tanstack/ai-client', app.root, 'test/frameworks')
  const pages: Record<string, string> = {}
  const write = async (name: string, code: string): Promise<void> => {
    const script = name.replaceAll('/', '-')
    app.write(`${script}.ts`, `${code}\nglobalThis.done = true\nexport {}`)
    app.write(`${script}.html`, `<!doctype html><script type="module" src="./${script}.ts"></script>`)
    pages[script] = join(app.root, `${script}.html`)
  }
  for (const { page, seed, read = '(await client.session(key)).messages()' } of sources) {
    await write(`seed/${page}`, seed)
    await write(`move/${page}`, scriptOf(page))
    await write(
      `look/${page}`,
      `import { openSessionStore } from 'keepsession'
      import { createPersistence } from 'keepsession/tanstack-ai'
      const client = await openSessionStore({ name: 'my-app' })
      const persistence = createPersistence(client)
      globalThis.look = async (key) => ${read}
      globalThis.list = async () => (await client.listSessions()).sessions.map(({ key }) => key)`,
    )
  }
  const built = join(app.root, 'built')
  await build({
    root: app.root,
    configFile: false,
    logLevel: 'error',
    build: { outDir: built, target: 'es2022', rolldownOptions: { input: pages } },
  })
  served = await serve(built)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.close()
  app?.remove()
})

/** Opens a page and waits until its script has ended. */
async function ran(page: Page, name: string): Promise<void> {
  const broken = new Promise<never>((_, reject) => page.once('pageerror', reject))
  const ended = page
    .goto(`${served.url}/${name}.html`)
    .then(() => page.waitForFunction(() => 'done' in globalThis, undefined, { timeout: 500_000 }))
  await Promise.race([broken, ended])
}

describe('moving', () => {
  it.each(sources)(
    `${count} messages from $page: whole, once and in order`,
    async ({ page: name, content }) => {
      const context = await browser.newContext()
      try {
        const page = await context.newPage()
        await ran(page, `seed-${name}`)
        // It is interrupted in the middle, goes on in two tabs at once, and is run once more when all is done.
        const interrupted = await context.newPage()
        await interrupted.goto(`${served.url}/move-${name}.html`)
        await interrupted.waitForFunction(async () =>
          (await indexedDB.databases()).some((one) => one.name?.includes('my-app')),
        )
        await interrupted.close()
        const other = await context.newPage()
        await Promise.all([ran(page, `move-${name}`), ran(other, `move-${name}`)])
        await ran(page, `move-${name}`)

        await ran(page, `look-${name}`)
        const look = (key: string): Promise<string[]> =>
          page.evaluate(
            async ([key, path]) => {
              const { look } = globalThis as unknown as { look(key: string): Promise<object[]> }
              const read = new Function('message', `return message.${path}`) as (message: object) => string
              return (await look(key!)).map(read)
            },
            [key, content ?? 'content'],
          )
        expect(await look('long')).toEqual(Array.from({ length: count }, (_, i) => `Message ${i} ✓`))
        expect(await look('short')).toEqual(['Only one'])
        const list = await page.evaluate(() => (globalThis as unknown as { list(): Promise<string[]> }).list())
        // What was not moved is not there, and the conversation that changed last is the first one.
        expect(list).toEqual(['long', 'short'])
      } finally {
        await context.close()
      }
    },
    900_000,
  )
})
