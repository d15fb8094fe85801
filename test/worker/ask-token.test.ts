import { expect, it, vi } from 'vitest'
import type { SyncReply } from '../../src/sync/sync-protocol.ts'
import { createTokenAsker } from '../../worker/ask-token.ts'

it('asks the page once for all that need a token at the same time, and anew for those that need it later', async () => {
  const asked: number[] = []
  const { ask, receive } = createTokenAsker((reply: SyncReply) => {
    if (reply.keepsession === 'ask-token') asked.push(reply.id)
  })
  const first = [ask(), ask(), ask()]
  expect(asked.length).toBe(1)
  receive({ keepsession: 'token', id: asked[0]!, token: 'one' })
  expect(await Promise.all(first)).toEqual(['one', 'one', 'one'])
  const second = [ask(), ask()]
  expect(asked.length).toBe(2)
  receive({ keepsession: 'no-token', id: asked[1]!, message: 'signed out' })
  for (const one of second) await expect(one).rejects.toThrow('signed out')
  const third = ask()
  receive({ keepsession: 'token', id: asked[2]!, token: 'three' })
  expect(await third).toBe('three')
})

it('asks the page anew when it has not answered for a second', async () => {
  vi.useFakeTimers()
  try {
    const asked: number[] = []
    const { ask, receive } = createTokenAsker((reply: SyncReply) => {
      if (reply.keepsession === 'ask-token') asked.push(reply.id)
    })
    const first = ask()
    vi.advanceTimersByTime(999)
    const shared = ask()
    vi.advanceTimersByTime(1)
    const later = ask()
    expect(asked.length).toBe(2)
    // A late answer is one, and does not end the sharing of the question after it.
    receive({ keepsession: 'token', id: asked[0]!, token: 'late' })
    expect(await Promise.all([first, shared])).toEqual(['late', 'late'])
    void ask()
    expect(asked.length).toBe(2)
    receive({ keepsession: 'token', id: asked[1]!, token: 'two' })
    expect(await later).toBe('two')
  } finally {
    vi.useRealTimers()
  }
})
