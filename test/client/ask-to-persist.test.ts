import { afterEach, expect, it, vi } from 'vitest'
import { askToPersist } from '../../src/client/upkeep/ask-to-persist.ts'

afterEach(() => void vi.unstubAllGlobals())

const answer = (persist: (() => Promise<boolean>) | undefined): void =>
  void vi.stubGlobal('navigator', { storage: persist === undefined ? {} : { persist } })

it('tells what the browser answered', async () => {
  answer(async () => true)
  expect(await askToPersist()).toBe('granted')
  answer(async () => false)
  expect(await askToPersist()).toBe('denied')
})

it('does not wait for a browser that never answers', async () => {
  answer(() => new Promise(() => undefined))
  expect(await askToPersist({ timeoutMs: 5 })).toBe('unanswered')
})

it('says where it can not be asked', async () => {
  answer(undefined)
  expect(await askToPersist()).toBe('unavailable')
  vi.stubGlobal('navigator', {})
  expect(await askToPersist()).toBe('unavailable')
  answer(() => Promise.reject(new TypeError('opaque origin')))
  expect(await askToPersist()).toBe('unavailable')
})

it.each([0, -1, Number.NaN, '5'])('refuses %s as a time', async (timeoutMs) => {
  answer(async () => true)
  await expect(askToPersist({ timeoutMs: timeoutMs as number })).rejects.toMatchObject({ name: 'InvalidInput' })
})
