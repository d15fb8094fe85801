import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Consumer, createConsumer } from './consumer.ts'

/** Entries that a server may import, although it uses none of their browser parts. */
const SILENT = [
  '',
  '/types',
  '/store',
  '/context',
  '/identity',
  '/pi',
  '/picoclaw',
  '/agently',
  '/aixgo',
  '/chat',
  '/direct',
].map((subpath) => `keepsession${subpath}`)

let app: Consumer
beforeAll(async () => void (app = await createConsumer()))
afterAll(() => app?.remove())

/** Runs a module in a Node process of its own, which has to end by itself; gives what it printed last, as JSON. */
function run(script: string): unknown {
  app.write('script.mjs', script)
  const output = execFileSync(process.execPath, ['script.mjs'], {
    cwd: app.root,
    encoding: 'utf8',
    timeout: 60_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return JSON.parse(output.trim().split('\n').at(-1) ?? 'null')
}

it.each(SILENT)('can import %s on a server, which does nothing there', (entry) => {
  const globals = 'Object.getOwnPropertyNames(globalThis).length'
  expect(run(`const before = ${globals}; await import('${entry}'); console.log(${globals} - before)`)).toBe(0)
})

it('keeps sessions in memory on a server, says so and why, and lets the process end', () => {
  const script = `
    import { openSessionStore } from 'keepsession'
    const notices = []
    const client = await openSessionStore({ name: 'server', onChange: (change) => change.type === 'notice' && notices.push(change.name) })
    const session = await client.session()
    await session.append({ role: 'user', content: 'hi' })
    const { mode, durable, skipped } = await client.upkeep.health()
    await new Promise((resolve) => setTimeout(resolve, 10))
    console.log(JSON.stringify({ mode, durable, skipped: skipped.map(({ mode, reason }) => [mode, reason.length > 10]), notices, messages: await session.messages() }))
  `
  expect(run(script)).toEqual({
    mode: 'memory',
    durable: false,
    skipped: [
      ['worker', true],
      ['inline-worker', true],
      ['in-page', true],
      ['web-storage', true],
    ],
    notices: ['degraded'],
    messages: [{ role: 'user', content: 'hi' }],
  })
})

it('offers the engine itself on a server', () => {
  const script = `
    import { createMemoryBackend, createSessionStore, openDirectStore } from 'keepsession/direct'
    const store = createSessionStore(createMemoryBackend())
    await store.addMessage('k', 'user', 'hi')
    const client = await openDirectStore({ modes: ['memory'] })
    await client.store.addMessage('k', 'user', 'hi')
    const refusal = await openDirectStore({ modes: ['in-page'] }).catch(({ name }) => name)
    console.log(JSON.stringify([await store.getHistory('k'), await client.store.getHistory('k'), refusal]))
  `
  const history = [{ role: 'user', content: 'hi' }]
  expect(run(script)).toEqual([history, history, 'StorageUnavailable'])
})

it('finds the session of a message on a server', () => {
  const script = `
    import { allocateSession, createRouter } from 'keepsession/identity'
    const context = { channel: 'telegram', chat_id: '-1001234567890', chat_type: 'group', topic_id: '99', sender_id: '7' }
    const route = createRouter()(context)
    const { sessionKey } = allocateSession({ agentId: route.agentId, context, policy: route.sessionPolicy })
    console.log(JSON.stringify([route.matchedBy, sessionKey]))
  `
  expect(run(script)).toEqual(['default', 'sk_v1_5452a9991e9a564b5c4c51cf6fbcfbc757980aba90673a2404d2b2f456a43467'])
})
