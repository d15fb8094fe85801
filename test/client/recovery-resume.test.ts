import { expect, it } from 'vitest'
import type { NoticeChange, StoreChange } from '../../src/contract/change.ts'
import { failDatabase } from './support/failing-database.ts'
import { createProfile } from './support/open-port-client.ts'

it('keeps a reply that is gone on with while the database is away', async () => {
  const profile = createProfile()
  const database = failDatabase(profile.indexedDB)
  const notices: NoticeChange[] = []
  const client = await profile.open({
    onChange: (change: StoreChange) => void (change.type === 'notice' && notices.push(change)),
  })
  const session = await client.session('k')
  const first = session.stream()
  first.write('one ')
  await first.abort()
  const [resume] = await session.interrupted()
  database.lose()
  const reply = session.stream({ resume: resume! })
  reply.write('two')
  await reply.id
  await reply.end()
  database.bringBack()
  await expect.poll(() => notices.map(({ name }) => name)).toContain('recovered')
  expect(await session.messages()).toEqual([{ role: 'assistant', content: 'one two' }])
  expect(await client.store.listDrafts('k')).toEqual([])
  await client.close()
})
