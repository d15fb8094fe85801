import * as encoding from 'lib0/encoding'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { DraftView } from '../../src/contract/change.ts'
import { createPresence, type Presence, type Visit } from '../../src/sync/presence/create-presence.ts'
import { joinPiece } from '../../src/sync/presence/join-piece.ts'
import type { PeerDraft } from '../../src/sync/presence/presence-state.ts'
import { connectPresence } from '../../src/sync/transports/connect-presence.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Side {
  readonly presence: Presence
  readonly visit: Visit
  readonly sent: Uint8Array[]
  receive(update: Uint8Array): void
}
/** One device, whose updates go wherever `to` says. */
function side(name: string, to: () => Side | undefined): Side {
  const presence = createPresence({
    user: { name },
    store: { listDrafts: async () => [] },
    now: Date.now,
    onChange: () => undefined,
    onUnseen: () => undefined,
    onError: (error) => expect.unreachable(String(error)),
  })
  const visit = presence.enter('s', 'id')
  const sent: Uint8Array[] = []
  const line = connectPresence(visit.awareness, 'connection', (update) => {
    sent.push(update)
    to()?.receive(update)
  })
  onTestFinished(() => presence.close())
  return { presence, visit, sent, receive: line.receive }
}
async function pair(): Promise<[Side, Side]> {
  const sides: Side[] = []
  sides.push(
    side('Ada', () => sides[1]),
    side('Bob', () => sides[0]),
  )
  for (const { presence } of sides) presence.setWatched('s', true)
  await vi.advanceTimersByTimeAsync(1000)
  return sides as [Side, Side]
}
const view: DraftView = {
  id: 'd',
  branch: 'main',
  role: 'assistant',
  text: '',
  reasoning: '',
  parts: [],
  startedAt: 0,
  next: 0,
}
const grow = (presence: Presence, n: number, text: string): void =>
  presence.handleDraft({ type: 'draft', key: 's', draft: 'd', added: { n, text } })

describe('presence', () => {
  it('sends at most five states a second, and the last one always', async () => {
    const [a, b] = await pair()
    a.sent.length = 0
    a.presence.handleDraft({ type: 'draft', key: 's', draft: 'd', view })
    let text = ''
    for (let n = 0; n < 300; n++) {
      text += `${n} `
      grow(a.presence, n, `${n} `)
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(a.sent.length).toBeGreaterThan(10)
    expect(a.sent.length).toBeLessThanOrEqual(16)
    await vi.advanceTimersByTimeAsync(200)
    expect(b.presence.peers('s')[0]?.draft).toEqual({ id: 'd', role: 'assistant', from: 0, text })
  })

  it('tells nothing of a reply while nobody is there', async () => {
    const a = side('Ada', () => undefined)
    a.presence.setWatched('s', true)
    a.presence.handleDraft({ type: 'draft', key: 's', draft: 'd', view })
    for (let n = 0; n < 10; n++) {
      grow(a.presence, n, 'secret')
      await vi.advanceTimersByTimeAsync(300)
    }
    expect(a.sent.length).toBe(1)
    expect(JSON.stringify(a.visit.awareness.getLocalState())).not.toContain('secret')
  })

  it('shows the whole reply when half of the states are lost for a second', async () => {
    const [a, b] = await pair()
    const receive = b.receive.bind(b)
    let count = 0
    b.receive = (update) => {
      if (count++ % 2 === 0) receive(update)
    }
    a.presence.handleDraft({ type: 'draft', key: 's', draft: 'd', view })
    let text = ''
    for (let n = 0; n < 100; n++) {
      text += `piece ${n} of it, `
      grow(a.presence, n, `piece ${n} of it, `)
      await vi.advanceTimersByTimeAsync(50)
    }
    await vi.advanceTimersByTimeAsync(200)
    b.receive = receive
    grow(a.presence, 100, 'end')
    await vi.advanceTimersByTimeAsync(200)
    expect(b.presence.peers('s')[0]?.draft).toMatchObject({ from: 0, text: `${text}end` })
  })

  it('shows no reply that has not grown for ten minutes, and shows it again when it does', async () => {
    const [a, b] = await pair()
    const draft = (): unknown => b.presence.peers('s')[0]?.draft?.text
    a.presence.handleDraft({ type: 'draft', key: 's', draft: 'd', view })
    grow(a.presence, 0, 'half')
    await vi.advanceTimersByTimeAsync(6 * 60_000)
    grow(a.presence, 1, ' a')
    await vi.advanceTimersByTimeAsync(9 * 60_000)
    expect(draft()).toBe('half a')
    await vi.advanceTimersByTimeAsync(2 * 60_000)
    expect(draft()).toBeUndefined()
    grow(a.presence, 2, ' reply')
    await vi.advanceTimersByTimeAsync(1000)
    expect(draft()).toBe('half a reply')
    await vi.advanceTimersByTimeAsync(11 * 60_000)
    expect(draft()).toBeUndefined()
  })

  it('leaves no timer behind when its replies have ended, or it is closed', async () => {
    const a = createPresence({
      user: {},
      store: { listDrafts: async () => [] },
      now: Date.now,
      onChange: () => undefined,
      onUnseen: () => undefined,
      onError: (error) => expect.unreachable(String(error)),
    })
    a.handleDraft({ type: 'draft', key: 's', draft: 'd', view })
    a.handleDraft({ type: 'draft', key: 's', draft: 'd' })
    expect(vi.getTimerCount()).toBe(0)
    a.handleDraft({ type: 'draft', key: 's', draft: 'd', view })
    expect(vi.getTimerCount()).toBe(1)
    a.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends typing six seconds after it was last said, and goes on while it is', async () => {
    const [a, b] = await pair()
    const isTyping = (): boolean | undefined => b.presence.peers('s')[0]?.isTyping
    for (let i = 0; i < 15; i++) {
      a.presence.setTyping('s', true)
      await vi.advanceTimersByTimeAsync(1000)
      expect(isTyping()).toBe(true)
    }
    await vi.advanceTimersByTimeAsync(5500)
    expect(isTyping()).toBe(false)
  })

  it('shows nobody typing who froze over it, and nobody after thirty seconds of silence', async () => {
    const [a, b] = await pair()
    a.presence.setTyping('s', true)
    await vi.advanceTimersByTimeAsync(300)
    b.receive = () => undefined
    await vi.advanceTimersByTimeAsync(11_000)
    expect(b.presence.peers('s').map(({ isTyping }) => isTyping)).toEqual([false])
    // The awareness asks the clock of the machine.
    for (const meta of b.visit.awareness.meta.values()) meta.lastUpdated -= 31_000
    await vi.advanceTimersByTimeAsync(4000)
    expect(b.presence.peers('s')).toEqual([])
  })

  it('says once that a reply is streamed into a session that is not connected', async () => {
    let said = 0
    const presence = createPresence({
      user: {},
      store: { listDrafts: async () => [{ ...view, text: 'before', next: 1 }] },
      now: Date.now,
      onChange: () => undefined,
      onUnseen: () => said++,
      onError: (error) => expect.unreachable(String(error)),
    })
    onTestFinished(() => presence.close())
    grow(presence, 1, ' it began')
    await vi.advanceTimersByTimeAsync(100)
    grow(presence, 2, ' here')
    expect([said, presence.streaming()]).toEqual([1, ['s']])
  })

  it('does not take an earlier connection of its own for somebody else', async () => {
    const [a] = await pair()
    const echo = encodeAwarenessUpdate(a.visit.awareness, [a.visit.awareness.clientID])
    a.visit.leave()
    const again = a.presence.enter('s', 'id')
    connectPresence(again.awareness, 'connection', () => undefined).receive(echo)
    await vi.advanceTimersByTimeAsync(100)
    expect([again.awareness.states.size, a.presence.peers('s')]).toEqual([2, []])
  })
})

describe('a hostile state', () => {
  const good = { device: 'x', user: { name: 'Eve' } }
  const hostile = (state: unknown): Uint8Array => {
    const awareness = new Awareness(new Y.Doc())
    awareness.setLocalState(state as Record<string, unknown>)
    const update = encodeAwarenessUpdate(awareness, [awareness.clientID])
    awareness.destroy()
    return update
  }
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

  it.each<[string, unknown]>([
    ['a text', 'state'],
    ['a list', [1]],
    ['content that is no object', { content: 7 }],
    ['no device', { content: { user: {} } }],
    ['no user', { content: { device: 'x' } }],
    ['a big user', { content: { device: 'x', user: { name: 'x'.repeat(2001) } } }],
    ['a deep user', { content: { device: 'x', user: { deep: nested(2000) } } }],
    ['a prototype', JSON.parse('{"content":{"device":"x","user":{"__proto__":{"a":1}}}}')],
    ['a state of 17 kB', { content: { ...good, more: 'x'.repeat(17_000) } }],
    ['a draft without text', { content: { ...good, draft: { id: 'd', role: 'assistant', from: 0 } } }],
    [
      'a draft of 3,000 characters',
      { content: { ...good, draft: { id: 'd', role: 'assistant', from: 0, text: 'x'.repeat(3000) } } },
    ],
    [
      'a draft that begins nowhere',
      { content: { ...good, draft: { id: 'd', role: 'assistant', from: -1, text: '' } } },
    ],
    [
      'a draft that begins beyond all numbers',
      { content: { ...good, draft: { id: 'd', role: 'assistant', from: 1e300, text: '' } } },
    ],
  ])('is dropped: %s', async (_, state) => {
    const [a] = await pair()
    a.receive(hostile(state))
    a.receive(hostile({ content: { ...good, user: { name: 'Fay' } } }))
    await vi.advanceTimersByTimeAsync(100)
    expect(a.presence.peers('s').map(({ user }) => user['name'])).toEqual(['Bob', 'Fay'])
  })

  it('is dropped when it is no update at all, or speaks for this side', async () => {
    const [a] = await pair()
    const me = a.visit.awareness.clientID
    const before = a.visit.awareness.getLocalState()
    const forged = encoding.createEncoder()
    encoding.writeVarUint(forged, 1)
    encoding.writeVarUint(forged, me)
    encoding.writeVarUint(forged, Number.MAX_SAFE_INTEGER)
    encoding.writeVarString(forged, JSON.stringify({ content: good }))
    for (const update of [
      new Uint8Array(0),
      new Uint8Array([255, 255, 255, 255, 255, 255, 255, 255]),
      encoding.toUint8Array(forged),
    ])
      a.receive(update)
    expect([a.visit.awareness.getLocalState(), a.visit.awareness.meta.get(me)!.clock < 100]).toEqual([before, true])
  })

  it('brings no more than 64 others', async () => {
    const [a] = await pair()
    for (let i = 0; i < 200; i++) a.receive(hostile({ content: { device: `x${i}`, user: {} } }))
    await vi.advanceTimersByTimeAsync(100)
    expect(a.presence.peers('s').length).toBe(64)
  })
})

describe('pieces of a reply', () => {
  const known: PeerDraft = { id: 'd', role: 'assistant', from: 10, text: 'abcdef' }
  const piece = { id: 'd', role: 'assistant' }
  it.each([
    ['that overlap are joined', { from: 14, text: 'efgh' }, { from: 10, text: 'abcdefgh' }],
    ['that follow are joined', { from: 16, text: 'gh' }, { from: 10, text: 'abcdefgh' }],
    ['behind a hole stand alone', { from: 17, text: 'h' }, { from: 17, text: 'h' }],
    ['that reach further back fill it', { from: 5, text: 'vwxyzabcdefg' }, { from: 5, text: 'vwxyzabcdefg' }],
    ['from before are passed over', { from: 5, text: 'vwx' }, { from: 10, text: 'abcdef' }],
  ])('%s', (_, next, shown) => expect(joinPiece(known, { ...piece, ...next })).toEqual({ ...piece, ...shown }))

  it('of another reply begin afresh, and of an endless one the end is kept', () => {
    expect(joinPiece(known, { ...piece, id: 'e', from: 0, text: 'new' })).toEqual({
      ...piece,
      id: 'e',
      from: 0,
      text: 'new',
    })
    let long = joinPiece(undefined, { ...piece, from: 0, text: '' })
    for (let i = 0; i < 60; i++) long = joinPiece(long, { ...piece, from: i * 2000, text: 'x'.repeat(2000) })
    expect([long.from, long.text.length]).toEqual([20_000, 100_000])
  })
})
