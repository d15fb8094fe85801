import { expect, it, vi } from 'vitest'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { openSession, user } from './support/open-session.ts'

const pauses = vi.hoisted(() => ({ offered: 0 }))
vi.mock('../../../src/pacing/breather.ts', async (load) => ({
  ...(await load<typeof import('../../../src/pacing/breather.ts')>()),
  createBreather: () => () => void pauses.offered++,
}))

it('lets the page breathe while it makes the context of a long session', async () => {
  const size = 4096
  const { session } = await openSession(...Array.from({ length: size }, (_, i) => user(`q${i}`)))
  pauses.offered = 0
  expect((await piSession(session).buildSessionContext()).messages).toHaveLength(size)
  expect(pauses.offered).toBeGreaterThan(size / 100)
})
