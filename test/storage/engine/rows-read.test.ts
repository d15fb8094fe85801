import { expect, it } from 'vitest'
import { branchPreviews } from '../../../src/client/branches/branch-previews.ts'
import type { EntryView } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { contextFingerprint } from '../../../src/domain/context-fingerprint.ts'
import { type CountedStore, openCountedStore } from './support/counted-store.ts'

/** A store over a line, its first and last entries, and how many rows and sums it has read. */
type Counted = CountedStore & { readonly entries: readonly EntryView[] }

async function lineOf(messages: number): Promise<Counted> {
  const counted = openCountedStore()
  for (let n = 0; n < messages; n += 1000) {
    await counted.store.append(
      's',
      Array.from({ length: Math.min(1000, messages - n) }, (_, i) => ({
        type: 'message' as const,
        message: { role: i % 2 === 0 ? 'user' : 'assistant', content: String(n + i) },
      })),
    )
  }
  const pages = [await counted.store.read('s', { after: '', limit: 3 }), await counted.store.read('s', { last: 3 })]
  return Object.assign(counted, { entries: pages.flatMap((page) => page.entries) })
}

type Act = (counted: Counted) => Promise<unknown>

const first = ({ entries }: Counted): EntryView => entries[1]!
const last = ({ entries }: Counted): EntryView => entries.at(-2)!

/** Each is done to a line that the ones before were done to. */
const acts: Readonly<Record<string, Act>> = {
  'the first checkpoint': ({ store }) => store.checkpoint('s', { label: 'a' }),
  'a branch after the first message': (counted) => counted.store.openBranch('s', { after: first(counted) }),
  'the way back': ({ store }) => store.switchBranch('s', ''),
  'a checkpoint there': ({ store }) => store.checkpoint('s'),
  'a branch near the end': (counted) => counted.store.openBranch('s', { after: last(counted), name: 'b' }),
  'a checkpoint of it': ({ store }) => store.checkpoint('s'),
  'an edit of the first message': (counted) =>
    counted.store.edit('s', first(counted), { role: 'user', content: 'edited' }),
  'the way back once more': ({ store }) => store.switchBranch('s', ''),
  'a restore': async ({ store }) => store.restoreCheckpoint('s', (await store.listCheckpoints('s'))[0]!.id),
  'a checkpoint of what was restored': ({ store }) => store.checkpoint('s'),
  'the previews of all branches': ({ store }) => branchPreviews(store, 's'),
  'an append to it': ({ store }) =>
    store.append('s', [{ type: 'message', message: { role: 'user', content: 'more' } }]),
  'a branch that is deleted': async ({ store }) =>
    store.deleteBranch('s', (await store.listBranches('s')).find(({ isHead }) => isHead)!.id),
  'a compaction of all but the last messages': ({ store }) =>
    store.setCompaction('s', { summary: 'short', keepLast: 4 }),
  'a cut of all but the last messages': ({ store }) => store.truncateHistory('s', 4),
  'a deletion': ({ store }) => store.delete('s'),
  'an undeletion': ({ store }) => store.undelete('s'),
}

it('what is done to a line reads as much of a long one as of a short one', async () => {
  const [short, long] = [await lineOf(600), await lineOf(20_000)]
  const read: Record<string, readonly [number, number]> = {}
  for (const [name, act] of Object.entries(acts)) {
    const counts: number[] = []
    for (const line of [short, long]) {
      line.read = 0
      await act(line)
      counts.push(line.read)
    }
    read[name] = [counts[0]!, counts[1]!]
  }
  // Two blocks of rows, and the sums of 64 and of 64 times as many.
  const grown = Object.entries(read).filter(([, [few, many]]) => many > few + 2 * 256 + 2 * 64)
  expect(grown).toEqual([])
})

/** Many of a line are to stay, or to be passed over on a branch that is not the head. */
const keepsMany: Readonly<Record<string, (counted: Counted, messages: number) => Promise<unknown>>> = {
  'a compaction that keeps half': ({ store }, messages) =>
    store.setCompaction('s', { summary: 'short', keepLast: messages / 2 }),
  'another one, of a little more': async (counted, messages) => {
    const keepLast = messages / 2 - 10
    const fingerprint = await fingerprintOf(counted.store, keepLast)
    counted.read = 0
    return counted.store.setCompaction('s', { summary: 'shorter', keepLast, fingerprint })
  },
  'a branch that is head from then on': (counted) => counted.store.openBranch('s', { after: last(counted) }),
  'a compaction of the line that was left': ({ store }) =>
    store.setCompaction('s', { summary: 'elsewhere', branch: '', keepLast: 4 }),
  'its context': ({ store }) => store.read('s', { branch: '', view: 'context', last: 50 }),
  'its context from the beginning': ({ store }) =>
    store.read('s', { branch: '', view: 'context', after: '', limit: 50 }),
  'a cut that keeps a quarter': ({ store }, messages) => store.truncateHistory('s', messages / 4),
}

/** What the store holds a summary of all but the last messages against. */
async function fingerprintOf(store: SessionStore, keepLast: number): Promise<string> {
  const entries: EntryView[] = []
  // It is read as whoever makes a summary does.
  for (
    let page = await store.read('s', { view: 'context', after: '', limit: 4096 });
    ;
    page = await store.read('s', { view: 'context', after: entries.at(-1)!.order, limit: 4096 })
  ) {
    entries.push(...page.entries)
    if (!page.more)
      return contextFingerprint(
        page.hidden!,
        entries.slice(0, -keepLast).map(({ id }) => ({ id, edit: undefined })),
      )
  }
}

it('what keeps much of a line, or looks at one that is not the head, reads no more than what it touches', {
  timeout: 120_000,
}, async () => {
  const messages = 8000
  const line = await lineOf(messages)
  const read: Record<string, number> = {}
  for (const [name, act] of Object.entries(keepsMany)) {
    line.read = 0
    await act(line, messages)
    read[name] = line.read
  }
  expect(Object.entries(read).filter(([, count]) => count > 1200)).toEqual([])
})
