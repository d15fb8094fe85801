import '../support/global-indexeddb.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { StoreChange } from '../../src/contract/change.ts'
import type { MirrorState } from '../../src/contract/mirror.ts'
import type { OpenMessage } from '../../src/contract/worker-protocol.ts'
import type { Announcer } from '../../worker/announce-changes.ts'
import { openCoreStore } from '../../worker/open-core-store.ts'
import { openFullStore } from '../../worker/open-full-store.ts'
import type { OpenStore } from '../../worker/serve-page.ts'
import { fakeOpfs } from '../mirror/support/fake-opfs.ts'
import { createJournalDevice } from '../mirror/support/journal-device.ts'
import { createMemoryFolder } from '../mirror/support/memory-folder.ts'
import { say, texts } from '../mirror/support/talk.ts'
import { never, warm } from '../mirror/support/two-journals.ts'

// Time passes only while a test waits for what needs it.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Lets time pass until something has happened: 10 ms with each turn, in which whatever needs no time goes on. */
async function inTime<Result>(happening: Promise<Result>): Promise<Result> {
  let hasHappened = false
  const end = (): void => void (hasHappened = true)
  happening.then(end, end)
  for (let ms = 0; !hasHappened && ms < 60_000; ms += 10) {
    await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(10)
  }
  expect(hasHappened).toBe(true)
  return happening
}

const requestOf = (name: string): OpenMessage => ({
  keepsession: 'open',
  protocol: 1,
  name,
  blockedAfterMs: 1000,
  mirror: true,
})

/** @param add - hears what is announced */
function announcer(
  add: (change: StoreChange) => void = () => undefined,
): Announcer & { readonly mirrors: MirrorState[] } {
  const mirrors: MirrorState[] = []
  return {
    add,
    mirrors,
    flush: () => undefined,
    meet: () => () => undefined,
    receive: () => undefined,
    lose: () => undefined,
    announceMirror: (state) => void mirrors.push(state),
    followJournal: () => undefined,
    repair: async () => undefined,
    close: () => undefined,
  }
}

it.each<[string, OpenStore]>([
  ['session', openCoreStore],
  ['job', openFullStore],
])('does not bring back what a %s worker purged whose mirror opened late', async (name, open) => {
  const folder = createMemoryFolder()
  const opfs = fakeOpfs(folder)
  const request = requestOf(`late-${name}`)
  const first = await openCoreStore(request, announcer())
  await say(first.store, 'a', 'a secret')
  await say(first.store, 'b', 'kept')
  // Its worker is frozen: nobody else can write to its file.
  const goOn = opfs.hang()
  const late = await inTime(open(request, announcer()))
  goOn()
  await late.store.purge('a')
  await late.store.close()
  folder.dieAll()
  const job = await openFullStore(request, announcer())
  expect(await job.keepMirror!({})).toMatchObject({ refilled: [] })
  expect(await texts(job.store, 'a')).toEqual([])
  expect(await texts(job.store, 'b')).toEqual(['kept'])
  for (const { store } of [first, job]) await store.close()
})

it('stores what a dead worker had answered when its mirror opens late', async () => {
  const device = createJournalDevice('late-tail', never)
  const dead = await device.open()
  await warm(dead.store)
  await say(dead.store, 'a', 'answered')
  dead.die()
  vi.stubGlobal('indexedDB', device.indexedDB)
  const goOn = fakeOpfs(device.folder).hang()
  let tell: () => void = () => undefined
  const told = new Promise<void>((resolve) => (tell = resolve))
  const late = await inTime(
    openCoreStore(
      requestOf('late-tail'),
      announcer((change) => change.type === 'session' && tell()),
    ),
  )
  expect(await texts(late.store, 'a')).toEqual(['first', 'second'])
  goOn()
  await inTime(told)
  expect(await texts(late.store, 'a')).toEqual(['first', 'second', 'answered'])
  await late.store.close()
})

it('mirrors again in a session worker whose mirror opened late, and says so', async () => {
  const opfs = fakeOpfs(createMemoryFolder())
  const goOn = opfs.hang()
  let tell: () => void = () => undefined
  const recovered = new Promise<void>((resolve) => (tell = resolve))
  const changes = announcer((change) => change.type === 'notice' && change.name === 'recovered' && tell())
  const late = await inTime(openCoreStore(requestOf('late-again'), changes))
  expect(late.mirror).toEqual({ isOn: false, reason: 'its file does not open' })
  goOn()
  await inTime(recovered)
  expect(changes.mirrors.at(-1)).toEqual({ isOn: true })
  await late.store.close()
})
