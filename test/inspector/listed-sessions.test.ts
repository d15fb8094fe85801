import { expect, it } from 'vitest'
import type { SessionChange } from '../../src/contract/change.ts'
import type { ListQuery } from '../../src/contract/store/session-metadata.ts'
import { createSessionPages } from '../../src/inspector/listed-sessions.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

/** A store of 240 sessions, of which the first 150 of a list are here. */
async function openLong(query: ListQuery) {
  const heard: SessionChange[] = []
  let time = 1
  const store = createSessionStore(createMemoryBackend(), {
    now: () => time++,
    onChange: (change) => void (change.type === 'session' && heard.push(change)),
  })
  for (let i = 0; i < 240; i++) await store.updateMeta(keyOf(i), { title: `Title ${(i * 7) % 240}` })
  let given = 0
  const pages = createSessionPages(
    {
      listSessions: async (asked) => {
        const page = await store.listSessions(asked)
        given += page.sessions.length
        return page
      },
    },
    () => undefined,
  )
  await pages.restart(query)
  await pages.want(149)
  heard.length = 0
  given = 0
  /** Takes what was announced, reads what is open, and compares what is here with what the store lists. */
  const expectCurrent = async (): Promise<void> => {
    const isOpen = heard.splice(0).map(pages.take).includes(true)
    if (isOpen) await pages.renew()
    const { sessions, total } = await store.listSessions({ ...query, limit: 10_000 })
    const here = sessions.map((_, index) => pages.at(index)).filter((session) => session !== undefined)
    expect(here).toEqual(sessions.slice(0, here.length))
    expect(here.length).toBeGreaterThanOrEqual(Math.min(total, 140))
    expect(pages.total()).toBe(total)
  }
  return { store, pages, expectCurrent, given: () => given }
}

const keyOf = (i: number): string => `session-${String(i).padStart(3, '0')}`

it.each<ListQuery>([{ order: 'updated' }, { order: 'created' }, { order: 'title' }, { title: 'TITLE 1' }])(
  'keeps a list that was scrolled down current, and reads hardly anything for it: %o',
  async (query) => {
    const { store, pages, expectCurrent, given } = await openLong(query)
    const ends = [keyOf(3), keyOf(120), keyOf(230)]
    for (const key of ends) {
      await store.addMessage(key, 'user', 'hello')
      await expectCurrent()
    }
    await store.addMessage('new', 'user', 'Title 123 is new')
    await expectCurrent()
    for (const key of ends) {
      for (const title of ['Title 0', 'title 150', 'Another']) {
        await store.updateMeta(key, { title })
        await expectCurrent()
      }
      await store.delete(key)
      await expectCurrent()
      await store.undelete(key)
      await expectCurrent()
      await store.purge(key)
      await expectCurrent()
    }
    expect(given()).toBeLessThan(40)
    await pages.want(10_000)
    await expectCurrent()
    await store.close()
  },
)

it('reads the list again after a notice, because changes may have been missed', async () => {
  const { store, pages, expectCurrent } = await openLong({})
  expect(pages.take({ type: 'notice', name: 'workerRestarted', message: '' })).toBe(true)
  await pages.renew()
  await pages.want(149)
  await expectCurrent()
  await store.close()
})
