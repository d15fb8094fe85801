import { describe, expect, it } from 'vitest'
import type { SessionChange } from '../../src/contract/change.ts'
import { createSessionPages } from '../../src/inspector/listed-sessions.ts'
import { createLogReader } from '../../src/inspector/log-window.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

/** A store whose session `k` was purged and begun anew, and what was announced of it. */
async function openRenewed() {
  const heard: SessionChange[] = []
  let time = 1
  const store = createSessionStore(createMemoryBackend(), {
    now: () => time++,
    onChange: (change) => void (change.type === 'session' && heard.push(change)),
  })
  await store.addMessage('k', 'user', 'before')
  const renew = async () => {
    await store.purge('k')
    await store.addMessage('k', 'user', 'after')
    return heard.slice(-3) as [before: SessionChange, gone: SessionChange, after: SessionChange]
  }
  return { store, renew }
}

describe('of a session that was begun anew under its key, the inspector', () => {
  it('shows the log alone, though it never heard that the one before was purged', async () => {
    const { store, renew } = await openRenewed()
    for (let i = 0; i < 150; i++) await store.addMessage('k', 'user', `more ${i}`)
    const reader = createLogReader(store, { key: 'k', view: 'transcript' }, () => undefined)
    await reader.toEnd()
    await renew()
    await reader.earlier()
    expect(reader.window().entries.map(({ message }) => message?.['content'])).toEqual(['after'])
    await store.close()
  })

  it('asks for the list again when a late change of the one before is heard', async () => {
    const { store, renew } = await openRenewed()
    const [before, , after] = await renew()
    const pages = createSessionPages(store, () => undefined)
    await pages.restart()
    expect(pages.take(before)).toBe(true)
    expect(pages.at(0)).toEqual(after.listing)
    expect(pages.take(after)).toBe(false)
    await store.close()
  })
})
