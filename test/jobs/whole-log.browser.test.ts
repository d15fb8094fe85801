import { afterEach, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { JobProgress } from '../../src/contract/job.ts'
import { numbered } from '../../src/testing/helpers.ts'

vi.setConfig({ testTimeout: 60_000 })

const clients: SessionClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function openWith(mode: StoreMode, count: number) {
  localStorage.clear()
  const client = await openSessionStore({ name: `whole-log-${crypto.randomUUID()}`, modes: [mode] })
  clients.push(client)
  const session = await client.session('k')
  const { entries } = await session.appendAll(
    numbered(count).map((content) => ({ type: 'message', message: { role: 'user', content } })),
  )
  return { client, session, entries }
}

const modes = ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] as const

it.each(modes)(
  'copies a path and compares checkpoints where the store is %s, and tells how far it is',
  async (mode) => {
    const { client, session, entries } = await openWith(mode, 3000)
    const { id } = await session.checkpoints.create()
    await session.remove(entries[0]!)
    const seen: JobProgress[] = []
    const onProgress = (progress: JobProgress) => void seen.push(progress)
    const copy = await session.branches.copy(entries[1499]!, { onProgress })
    expect((await copy.messages()).length).toBe(1499)
    expect((await copy.meta())?.custom).toEqual({ parentSession: 'k' })
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.at(-1)).toMatchObject({ entries: 3002, readBytes: seen.at(-1)!.totalBytes })
    const diff = await session.checkpoints.diff(id)
    expect([diff.added, diff.edited, diff.removed.map((removed) => removed.id)]).toEqual([[], [], [entries[0]!.id]])
    expect((await client.listSessions()).total).toBe(2)
  },
)

it.each(modes)('stores nothing of a copy that is cancelled where the store is %s', async (mode) => {
  const { client, session, entries } = await openWith(mode, 3000)
  const ending = new AbortController()
  const copying = session.branches.copy(entries[2000]!, { signal: ending.signal, onProgress: () => ending.abort() })
  await expect(copying).rejects.toMatchObject({ name: 'Aborted' })
  const { id } = await session.checkpoints.create()
  const comparing = session.checkpoints.diff(id, undefined, { signal: AbortSignal.abort() })
  await expect(comparing).rejects.toMatchObject({ name: 'Aborted' })
  expect((await client.listSessions()).sessions.map(({ key }) => key)).toEqual(['k'])
})
