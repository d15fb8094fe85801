import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isLockHeld as isHeldInPage } from '../../src/client/worker/is-lock-held.ts'
import { whileUnused } from '../../src/in-page/web-storage-use.ts'
import { heldLocks, holdLifeSign, holdLock, isLockHeld } from '../../worker/life-sign.ts'

const refuse = (): Promise<never> => Promise.reject(new DOMException('No', 'SecurityError'))
const failing = (): Promise<never> => Promise.reject(new Error('of the work itself'))

afterEach(() => void vi.unstubAllGlobals())

describe.each([
  ['without Web Locks', {}],
  ['where Web Locks are refused', { locks: { request: refuse, query: refuse } }],
])('%s', (_, navigator) => {
  beforeEach(() => void vi.stubGlobal('navigator', navigator))

  it('nobody knows who lives', async () => {
    expect([await isLockHeld('a'), await isHeldInPage('a'), await heldLocks('a')]).toEqual([undefined, undefined, []])
    expect((await holdLifeSign('a')).lock).toBeUndefined()
  })

  it('work is done once, and its own failure is told', async () => {
    let count = 0
    const work = async (): Promise<void> => void count++
    await holdLock('a', work)
    expect([await whileUnused('a', work), count]).toEqual([true, 2])
    await expect(holdLock('a', failing)).rejects.toThrow('of the work itself')
    await expect(whileUnused('a', failing)).rejects.toThrow('of the work itself')
  })
})

it('work under a lock that fails is not done again without it', async () => {
  const request = async (...args: readonly unknown[]): Promise<unknown> => (args.at(-1) as () => unknown)()
  vi.stubGlobal('navigator', { locks: { request } })
  let count = 0
  const work = (): Promise<never> => (count++, failing())
  await expect(holdLock('a', work)).rejects.toThrow('of the work itself')
  await expect(whileUnused('a', work)).rejects.toThrow('of the work itself')
  expect(count).toBe(2)
})
