import { expect, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { useClients } from '../bindings/support/open-clients.ts'
import { countedStore } from './support/counted-store.ts'
import { usePanels } from './support/open-panel.ts'

const open = useClients()
const inspect = usePanels()

/** Elements of the shadow tree: a bound for what a browser lays out. */
const elements = (root: ShadowRoot): number => root.querySelectorAll('*').length

/** So long that few of them fit into a context. */
const words = ' and so on'.repeat(40)

async function fill(client: SessionClient, key: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 4_000)
    await client.store.append(
      key,
      Array.from({ length: Math.min(4_000, count - from) }, (_, i) => ({
        type: 'message',
        message: { role: 'user', content: `message ${from + i}${words}` },
        mid: `m${from + i}`,
      })),
    )
}

/** Opens a session of a length in the inspector. @returns what was read of it, and how much is on the page */
async function readOf(client: SessionClient, key: string, last: string) {
  const counted = countedStore(client)
  const panel = inspect(counted.client)
  await expect.poll(panel.rows).not.toEqual([])
  panel.row(key).click()
  await expect.poll(panel.text).toContain(last)
  const opening = counted.calls.filter(({ method }) => method === 'read').map(({ gave }) => gave)
  panel.press('Start')
  await expect.poll(panel.text).toContain('message 0')
  const atStart = elements(panel.root)
  panel.go('Context')
  await expect.poll(panel.text).toContain('of 32,000')
  panel.go('Branches')
  await expect.poll(panel.text).toContain('main')
  const gave = counted.calls.filter(({ method }) => method === 'read').reduce((sum, call) => sum + call.gave, 0)
  panel.opened.close()
  return { opening, atStart, gave }
}

it('reads as much of a session of 20,000 messages as of one of 2,000', async () => {
  const client = await open()
  await fill(client, 'short', 2_000)
  await fill(client, 'long', 20_000)
  const short = await readOf(client, 'short', 'message 1999')
  const long = await readOf(client, 'long', 'message 19999')
  expect(short.opening).toEqual(long.opening)
  expect(long.opening.reduce((sum, gave) => sum + gave, 0)).toBeLessThanOrEqual(300)
  expect(long.gave).toBe(short.gave)
  expect(long.atStart).toBeLessThan(900)
})

it('holds no more of a long log than a window, however far somebody scrolls', async () => {
  const client = await open()
  await fill(client, 'long', 5_000)
  const panel = inspect(client)
  await expect.poll(panel.rows).not.toEqual([])
  panel.row('long').click()
  await expect.poll(panel.text).toContain('message 4999')
  const grid = panel.view().querySelector<HTMLElement>('.grid')!
  const first = () => Number(/message (\d+)/.exec(panel.rows()[0]?.[1] ?? '')?.[1])
  for (let at = first(); at > 2_500; at = first()) {
    grid.scrollTop = 0
    await expect.poll(first).toBeLessThan(at)
  }
  expect(panel.text()).toContain('1,000 entries here, earlier ones above, later ones below')
  panel.press('End')
  await expect.poll(panel.text).toContain('message 4999')
})

it('reads a list of 10,000 sessions page by page, and as far as somebody scrolls', async () => {
  const client = await openSessionStore({ name: `inspector-${crypto.randomUUID()}`, modes: ['memory'] })
  const keys = Array.from({ length: 10_000 }, (_, i) => `session-${String(i).padStart(5, '0')}`)
  for (let from = 0; from < keys.length; from += 200)
    await Promise.all(keys.slice(from, from + 200).map((key) => client.store.addMessage(key, 'user', `of ${key}`)))
  const counted = countedStore(client)
  const panel = inspect(counted.client)
  await expect.poll(panel.text).toContain('10,000 sessions')
  const listed = () => counted.calls.filter(({ method }) => method === 'listSessions').map(({ gave }) => gave)
  expect(listed().every((gave) => gave <= 100)).toBe(true)
  expect(elements(panel.root)).toBeLessThan(900)
  const order = panel.view().querySelector('select')!
  order.value = 'title'
  order.dispatchEvent(new Event('change'))
  await expect.poll(() => panel.rows()[0]?.[0]).toBe('of session-00000')
  counted.clear()
  const grid = panel.view().querySelector<HTMLElement>('.grid')!
  grid.scrollTop = grid.scrollHeight
  await expect.poll(() => panel.rows().at(-1)?.[0]).toBe('of session-09999')
  expect(Math.max(...listed())).toBeLessThanOrEqual(1_000)
  expect(elements(panel.root)).toBeLessThan(900)
  panel.opened.close()
  await client.close()
})
