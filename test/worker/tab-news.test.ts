import { describe, expect, it } from 'vitest'
import type { SessionChange, StoreChange } from '../../src/contract/change.ts'
import { createWaitingWrites, type WaitingWrites } from '../../src/mirror/waiting-writes.ts'
import { createTabNews } from '../../worker/tab-news.ts'

const changeOf = (key: string): SessionChange => ({
  type: 'session',
  key,
  session: 1,
  version: 1,
  rows: [],
  reload: false,
})

/** What a journal has answered, and the database does not have: a write of this session. */
function waitingWriteOf(key: string): WaitingWrites {
  const writes = createWaitingWrites()
  writes.add([{ answered: { key, entries: [] } } as never])
  return writes
}

/** Ends after everything that was due by now. */
const macrotask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

describe('news for other tabs', () => {
  it('is sent before the answer when the database has it, so that no death of this tab can hold it back', () => {
    const sent: StoreChange[] = []
    const news = createTabNews((change) => sent.push(change))
    news.add([changeOf('a')])
    expect(sent).toEqual([changeOf('a')])
  })

  it('is sent after the answer when it is a piece of a stream', async () => {
    const sent: StoreChange[] = []
    const news = createTabNews((change) => sent.push(change))
    const piece: StoreChange = { type: 'draft', key: 'a', draft: 'd', added: { n: 1, text: 'word' } }
    news.add([piece])
    expect(sent).toEqual([])
    await macrotask()
    expect(sent).toEqual([piece])
  })

  it('waits for the database when only the journal has it, and keeps its order', async () => {
    const sent: StoreChange[] = []
    const writes = waitingWriteOf('a')
    let fold: () => void = () => undefined
    const folded = new Promise<void>((resolve) => {
      fold = resolve
    })
    const news = createTabNews((change) => sent.push(change))
    news.follow({ ...writes, nextFold: () => folded })
    const first = changeOf('a')
    const second = { ...changeOf('a'), version: 2 }
    news.add([first])
    news.add([second])
    await macrotask()
    expect(sent).toEqual([])
    writes.take()
    writes.putBack([])
    fold()
    await macrotask()
    expect(sent).toEqual([first, second])
  })

  it('of another session does not wait for one that only the journal has', () => {
    const sent: StoreChange[] = []
    const news = createTabNews((change) => sent.push(change))
    const never = new Promise<void>(() => undefined)
    news.follow({ ...waitingWriteOf('a'), nextFold: () => never })
    news.add([changeOf('a')])
    news.add([changeOf('b')])
    expect(sent).toEqual([changeOf('b')])
  })
})
