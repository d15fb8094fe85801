import { expect, it } from 'vitest'
import { Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs'
import type { SyncLink } from '../../src/sync/link.ts'
import { plainElements } from '../../src/sync/plain-elements.ts'
import { openSessionLink, type SessionTrouble } from '../../src/sync/session-link.ts'
import { newStore } from './device.ts'

const nothing = encodeStateAsUpdate(new Doc())

/** One that says what it has when the test wants it to. */
async function openLink() {
  const store = newStore()
  const troubles: SessionTrouble[] = []
  let asked = 0
  let isSynced = false
  let link!: SyncLink
  const session = await openSessionLink({
    store, key: 's', name: 'me/s/1', elements: plainElements,
    transport: {
      open: (its) => {
        link = its
        return { ask: () => void (asked += 1), close: async () => undefined }
      },
      close: async () => undefined,
    },
    onReport: () => undefined,
    onSent: () => undefined,
    onSynced: () => void (isSynced = true),
    onTrouble: (trouble) => void troubles.push(trouble),
  })
  return {
    session, troubles,
    asked: () => asked,
    isSynced: () => isSynced,
    say: async (text: string): Promise<Uint8Array> => {
      await store.addMessage('s', 'user', text)
      await session.publish()
      return encodeStateVector(link.doc)
    },
    answer: async (vector: Uint8Array): Promise<void> => {
      link.peerHas(vector)
      await link.receive(nothing, undefined)
    },
  }
}

it('answers that were on their way when something more was said are no sign that the other side takes nothing', async () => {
  const { session, say, answer, troubles, isSynced } = await openLink()
  const had = encodeStateVector(session.document.doc)
  for (let n = 0; n < 9; n++) await say(`m${n}`)
  const now = await say('the last')
  for (let n = 0; n < 10; n++) await answer(had)
  expect([troubles, isSynced()]).toEqual([[], false])
  await answer(now)
  expect([troubles, isSynced()]).toEqual([[], true])
  await session.close()
})

it('one that still lacks what it was sent is not asked for ever', async () => {
  const { session, say, answer, troubles, asked } = await openLink()
  const had = encodeStateVector(session.document.doc)
  await say('never taken')
  while (troubles.length === 0) await answer(had)
  expect(troubles).toEqual([{ state: 'error', message: expect.stringContaining('still lacks what it was sent') }])
  expect(asked()).toBeLessThan(10)
  await session.close()
})
