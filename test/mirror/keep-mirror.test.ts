import { describe, expect, it } from 'vitest'
import { createMirroredDevice } from './support/mirrored-device.ts'
import { say, texts } from './support/talk.ts'

describe('a mirror', () => {
  it('gives a database that was thrown away everything back', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one', 'two')
    await say(store, 'b', 'three')
    await store.updateMeta('a', { title: 'Mine' })
    device.wipe()
    expect(await device.keep()).toMatchObject({ refilled: ['a', 'b'], entries: 4, left: [] })
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
    expect(await texts(device.bare(), 'b')).toEqual(['three'])
    expect(await device.bare().getMeta('a')).toMatchObject({ title: 'Mine' })
    expect((await device.bare().verify()).problems).toEqual([])
  })

  it('gives it back a second time, after what was put back was lost too', async () => {
    const device = createMirroredDevice()
    await say(device.boot().store, 'a', 'one')
    device.wipe()
    await device.keep()
    await say(device.boot().store, 'a', 'two')
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
  })

  it('gives back the end of a database that was lost', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one')
    const goBack = await device.keepCopy()
    await say(store, 'a', 'two')
    await say(store, 'b', 'three')
    await goBack()
    expect(await device.keep()).toMatchObject({ refilled: ['a', 'b'], lost: 1 })
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
    expect(await texts(device.bare(), 'b')).toEqual(['three'])
  })

  it('does not look through all sessions again for each one that lost something', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    const keys = Array.from({ length: 60 }, (_, i) => `session-${i}`)
    for (const key of keys) await say(store, key, 'one')
    const goBack = await device.keepCopy()
    for (const key of keys) await say(store, key, 'two')
    await goBack()
    const { includes } = Array.prototype
    let looks = 0
    Array.prototype.includes = function (this: unknown[], ...asked: Parameters<typeof includes>) {
      if (this.length >= keys.length) looks++
      return includes.apply(this, asked)
    }
    try {
      expect((await device.keep()).refilled).toHaveLength(keys.length)
    } finally {
      Array.prototype.includes = includes
    }
    expect(looks).toBeLessThan(2 * keys.length)
  })

  it('finds nothing to do where nothing was lost, whoever died', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one', 'two')
    device.crash()
    const nothing = { refilled: [], entries: 0, lost: 0, copied: 0, blobs: 0, rows: 0, left: [] }
    expect(await device.keep()).toEqual(nothing)
    expect(await device.keep()).toEqual(nothing)
  })

  it('takes in what was stored without it', async () => {
    const device = createMirroredDevice()
    await say(device.bare(), 'a', 'one', 'two')
    expect(await device.keep()).toMatchObject({ copied: 2, refilled: [] })
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
  })

  it('does not bring back what could not be stored', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one')
    device.failNext()
    await expect(say(store, 'a', 'refused')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    await say(store, 'a', 'two')
    device.failNext()
    await expect(say(store, 'a', 'refused too')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
  })

  it('does not bring back what was never stored and done by the next worker', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one')
    const twice = (by: typeof store) =>
      by.append('a', [{ type: 'message', message: { role: 'assistant', content: 'two' } }], { operationId: 'x' })
    device.dieWithNext(false)
    void twice(store)
    await new Promise((resolve) => setTimeout(resolve, 20))
    device.crash()
    const next = device.boot().store
    await twice(next)
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two'])
    // Nor later, when nobody can tell any more what was stored.
    await say(next, 'a', 'three')
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two', 'three'])
  })

  it('brings back what was perhaps stored when nobody has done it again', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one')
    device.dieWithNext(false)
    void store.append('a', [{ type: 'message', message: { role: 'assistant', content: 'two' } }], { operationId: 'x' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    device.crash()
    await say(device.boot().store, 'a', 'three')
    await device.keep()
    expect((await texts(device.bare(), 'a')).toSorted()).toEqual(['one', 'three', 'two'])
  })

  it('has what two workers stored at once, each as it was stored', async () => {
    const device = createMirroredDevice()
    const [first, second] = [device.boot().store, device.boot().store]
    await Promise.all(Array.from({ length: 40 }, (_, i) => say(i % 2 === 0 ? first : second, 'a', `${i}`)))
    const stored = await device.bare().changes('a', {})
    device.wipe()
    await device.keep()
    expect((await device.bare().changes('a', {})).entries).toEqual(stored.entries)
  })

  it('keeps nothing of a session that was purged', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    const other = device.boot()
    await say(store, 'a', 'a secret')
    await say(other.store, 'a', 'another secret')
    await say(store, 'b', 'kept')
    await store.purge('a')
    other.mirror.forget('a', undefined, undefined)
    await other.mirror.close()
    for (const content of device.folder.files.values())
      expect(new TextDecoder().decode(content)).not.toContain('secret')
    device.wipe()
    expect(await device.keep()).toMatchObject({ refilled: ['b'] })
    expect(await device.bare().getMeta('a')).toBeUndefined()
  })

  it('does not bring back a session that was purged while another worker that wrote of it was dying', async () => {
    const device = createMirroredDevice()
    const other = device.boot()
    await say(other.store, 'a', 'a secret')
    const { store } = device.boot()
    await store.purge('a')
    device.wipe()
    expect(await device.keep()).toMatchObject({ refilled: [] })
    for (const content of device.folder.files.values())
      expect(new TextDecoder().decode(content)).not.toContain('secret')
  })

  it('keeps what was said under a key after its session was purged', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'before')
    await store.purge('a')
    await say(store, 'a', 'after')
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['after'])
  })

  it('leaves a deleted session deleted', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one')
    await store.delete('a')
    device.wipe()
    await device.keep()
    expect(await device.bare().getMeta('a')).toMatchObject({ deletedAt: expect.any(Number) })
    expect(await texts(device.bare(), 'a')).toEqual([])
  })

  it('puts blobs back', async () => {
    const device = createMirroredDevice()
    const hash = await device.boot().store.putBlob(new Blob(['bytes']))
    device.wipe()
    expect(await device.keep()).toMatchObject({ blobs: 1 })
    expect(await (await device.bare().getBlob(hash))?.text()).toBe('bytes')
  })

  it('gives back what the other files hold where one can not be read', async () => {
    const device = createMirroredDevice()
    for (const key of ['a', 'b']) {
      await say(device.boot().store, key, `of ${key}`)
      device.crash()
    }
    const [bad] = await device.folder.list()
    const { read } = device.folder
    const unreadable = Object.assign(new Blob(['...']), {
      slice: () => ({ arrayBuffer: () => Promise.reject(new Error('broken')) }),
    })
    Object.assign(device.folder, { read: (name: string) => (name === bad ? Promise.resolve(unreadable) : read(name)) })
    device.wipe()
    expect(await device.keep()).toMatchObject({ refilled: ['b'], left: [{ key: '' }] })
  })

  it('puts no blob back that was not written to its end', async () => {
    const device = createMirroredDevice()
    const hash = await device.boot().store.putBlob(new Blob(['bytes']))
    device.folder.files.set(`blob-${hash}`, new TextEncoder().encode('byt'))
    device.wipe()
    expect(await device.keep()).toMatchObject({ blobs: 0 })
    const torn = await createMirroredDevice()
      .bare()
      .putBlob(new Blob(['byt']))
    expect(await device.bare().getBlob(torn)).toBeUndefined()
  })

  it('gives back aliases, and sessions that were promoted, under every name they had', async () => {
    const device = createMirroredDevice()
    // Its file is read first.
    const { store } = device.boot()
    const other = device.boot().store
    await say(other, 'old', 'one')
    await store.ensureSessionMetadata('new', undefined, ['old', 'other'])
    await say(store, 'new', 'two')
    await say(other, 'zulu', 'of zulu')
    await store.ensureSessionMetadata('alpha', undefined, ['zulu', 'third'])
    const before = await Promise.all(
      ['old', 'other', 'new', 'alpha', 'zulu', 'third'].map((name) => texts(device.bare(), name)),
    )
    device.wipe()
    expect(await device.keep()).toMatchObject({ left: [] })
    expect(
      await Promise.all(['old', 'other', 'new', 'alpha', 'zulu', 'third'].map((name) => texts(device.bare(), name))),
    ).toEqual(before)
    expect((await device.bare().verify()).problems).toEqual([])
  })

  it('gives back all but what is damaged in the mirror itself', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    for (const key of ['a', 'b', 'c']) await say(store, key, `of ${key}`)
    const [name] = await device.folder.list()
    const content = device.folder.files.get(name!)!
    content[new TextDecoder().decode(content).indexOf('of b')] = 0
    device.wipe()
    expect(await device.keep()).toMatchObject({ refilled: ['a', 'c'] })
  })

  it('gives back what stands before a torn end', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one')
    await say(store, 'a', 'two')
    const [name] = await device.folder.list()
    device.folder.files.set(name!, device.folder.files.get(name!)!.slice(0, -3))
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one'])
  })

  it('never makes a write fail, and says once that it stopped', async () => {
    const device = createMirroredDevice()
    const { store } = device.boot()
    await say(store, 'a', 'one')
    device.folder.room = 10
    await say(store, 'a', 'two')
    await say(store, 'a', 'three')
    expect(device.stopped).toEqual(['There is no room for the mirror.'])
    expect(await texts(store, 'a')).toEqual(['one', 'two', 'three'])
    device.folder.room = Number.POSITIVE_INFINITY
    device.crash()
    await device.keep()
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(['one', 'two', 'three'])
  })

  it('joins the files of many starts, and loses nothing by it', async () => {
    const device = createMirroredDevice()
    const said: string[] = []
    for (let i = 0; i < 20; i++) {
      await say(device.boot().store, 'a', `${i}`)
      said.push(`${i}`)
      device.crash()
      await device.keep()
    }
    expect(device.folder.files.size).toBeLessThan(10)
    device.wipe()
    await device.keep()
    expect(await texts(device.bare(), 'a')).toEqual(said)
  })
})
