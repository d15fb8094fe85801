import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EntryView } from '../../src/contract/entry.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { allChanges, assistant, entryOf, everything, user } from '../../src/testing/helpers.ts'

/** A number below another one, drawn from what fast-check chose. */
type Pick = (below: number) => number
type Step = (store: SessionStore, pick: Pick, text: string) => Promise<unknown>

const anyOf = <T>(list: readonly T[], pick: Pick): T | undefined => list[pick(Math.max(list.length, 1))]
const anyRow = async (store: SessionStore, pick: Pick): Promise<EntryView | undefined> =>
  anyOf((await store.read('s', { last: 50 })).entries, pick)
const anyBranch = async (store: SessionStore, pick: Pick): Promise<string> =>
  anyOf(await store.listBranches('s'), pick)?.id ?? ''
const anyCheckpoint = async (store: SessionStore, pick: Pick): Promise<string | undefined> =>
  anyOf(await store.listCheckpoints('s'), pick)?.id

const steps: readonly Step[] = [
  ...Array.from(
    { length: 4 },
    (): Step => (store, pick, text) =>
      store.append('s', [
        entryOf((pick(2) === 0 ? user : assistant)(text)),
        ...(pick(2) === 0 ? [entryOf(assistant(`to ${text}`))] : []),
      ]),
  ),
  async (store, pick, text) => {
    const row = await anyRow(store, pick)
    if (row !== undefined) await store.edit('s', row, user(text))
  },
  async (store, pick) => {
    const row = await anyRow(store, pick)
    if (row !== undefined) await store.remove('s', row)
  },
  async (store, pick, name) => {
    const after = await anyRow(store, pick)
    if (after !== undefined) await store.openBranch('s', { after, name })
  },
  async (store, pick) => store.switchBranch('s', await anyBranch(store, pick)),
  async (store, pick) => {
    const branch = await anyBranch(store, pick)
    if (branch !== '') await store.deleteBranch('s', branch)
  },
  async (store, pick, text) =>
    store.updateBranch('s', await anyBranch(store, pick), { name: pick(3) === 0 ? null : text }),
  (store, pick) => store.truncateHistory('s', pick(4)),
  (store) => store.clear('s'),
  (store, pick, text) =>
    store.setCompaction('s', {
      summary: text,
      keepLast: pick(3),
      ...(pick(2) === 0 ? {} : { messages: [user(text)] }),
    }),
  (store, pick, text) => store.setSummary('s', pick(4) === 0 ? '' : text),
  (store, pick, text) =>
    store.updateMeta('s', pick(2) === 0 ? { title: text } : { title: text, tags: [text], memo: { text } }),
  (store, pick, text) => store.updateMeta('s', pick(2) === 0 ? { tags: [text] } : { memo: { text } }),
  (store, _, text) => store.checkpoint('s', { state: { text }, metadata: { text }, label: text }),
  async (store, pick) => {
    const checkpoint = await anyCheckpoint(store, pick)
    if (checkpoint !== undefined) await store.restoreCheckpoint('s', checkpoint)
  },
  async (store, pick) => {
    const checkpoint = await anyCheckpoint(store, pick)
    if (checkpoint !== undefined) await store.deleteCheckpoint('s', checkpoint)
  },
  async (store, pick, text) => {
    const messages = [...(await store.getHistory('s'))]
    messages.splice(pick(messages.length + 1), 1)
    await store.setHistory('s', [...messages, user(text)])
  },
  async (store, pick, text) => {
    await store.delete('s')
    await (pick(2) === 0 ? store.undelete('s') : store.append('s', [entryOf(user(text))]))
  },
]

/** All that a person or a model sees of the session. Raw lines may lose what was erased, and with it what is newer. */
async function shown(store: SessionStore): Promise<string> {
  const { meta, lines, branches, ...rest } = (await everything(store, 's')) as {
    readonly meta: Record<string, unknown> | undefined
    readonly lines: readonly unknown[]
    readonly branches: readonly object[]
  }
  const views = lines.filter((_, i) => i % 3 !== 0)
  const about = { ...meta, createdAt: 0, updatedAt: 0, version: 0, branches: 0 }
  return JSON.stringify([about, views, branches.map((branch) => ({ ...branch, newerThanHead: 0 })), rest], null, 1)
}

async function reclaim(store: SessionStore): Promise<void> {
  const before = await shown(store)
  await store.reclaim('s')
  expect(await shown(store)).toBe(before)
  expect((await store.verify('s')).problems).toEqual([])
  expect(await store.reclaim('s')).toBe(0)
}

async function give(from: SessionStore, to: SessionStore): Promise<void> {
  await to.merge('s', await allChanges(from, 's', await to.getVector('s')))
}

it('reclaim changes nothing that anybody sees, whatever two devices do, and whoever hears of it when', async () => {
  const step = fc.record({
    at: fc.nat(1),
    step: fc.nat(steps.length - 1),
    picks: fc.array(fc.nat(99), { minLength: 3, maxLength: 3 }),
    then: fc.nat(7),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }), async (plan) => {
      let now = 1_700_000_000_000
      const open = (): SessionStore => createSessionStore(createMemoryBackend(), { now: () => (now += 2) })
      const [one, other] = [open(), open()] as const
      await one.append('s', [entryOf(user('first'))])
      await give(one, other)
      for (const [i, { at, step, picks, then }] of plan.entries()) {
        const [mine, theirs] = at === 0 ? [one, other] : [other, one]
        let drawn = 0
        await steps[step]!(mine, (below) => picks[drawn++ % picks.length]! % below, `text ${i}`)
        if (then === 0) await reclaim(mine)
        if (then === 1) await give(mine, theirs)
      }
      for (let round = 0; round < 2; round++) {
        await give(one, other)
        await give(other, one)
      }
      expect(await shown(other)).toBe(await shown(one))
      for (const store of [one, other]) await reclaim(store)
      await give(one, other)
      const newcomer = open()
      await give(other, newcomer)
      expect(await shown(newcomer)).toBe(await shown(other))
    }),
    { numRuns: 20 },
  )
}, 120_000)
