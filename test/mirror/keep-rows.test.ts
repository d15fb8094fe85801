import { describe, expect, it, vi } from 'vitest'
import type { CoreBackend } from '../../src/contract/backend.ts'
import { bootMany, createRowsDevice, drop, everything, put, rowsOf } from './support/rows-device.ts'
import { say } from './support/talk.ts'

describe('the rows of collections', () => {
  it('come back with a database that was thrown away, texts, bytes and all collections', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'text', { deep: ['ä', null] })
    await put(store, 'a', 'bytes', new Uint8Array([0, 255, 7]))
    await put(store, 'b', 'text', 'other')
    await put(store, 'a', 'gone', 1)
    await drop(store, 'a', 'gone')
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 3, left: [] })
    const bare = await device.bare()
    expect(await rowsOf(bare, 'a')).toEqual({ text: { deep: ['ä', null] }, bytes: new Uint8Array([0, 255, 7]) })
    expect(await rowsOf(bare, 'b')).toEqual({ text: 'other' })
    expect(device.announced.toSorted()).toEqual(['a/bytes', 'a/text', 'b/text'])
  })

  it('come back once, and stay as they are at the next starts', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    await put(store, 'a', 'y', 1)
    device.wipe()
    await device.keep()
    const next = await device.boot()
    await drop(next.store, 'a', 'x')
    await put(next.store, 'a', 'y', 2)
    await next.close()
    for (let start = 0; start < 3; start++) expect(await device.keep()).toMatchObject({ rows: 0, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ y: 2 })
  })

  it('come back a second time, and what the second database deleted stays deleted', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    await put(store, 'a', 'y', 1)
    device.wipe()
    await device.keep()
    const next = await device.boot()
    await drop(next.store, 'a', 'x')
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 1 })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ y: 1 })
  })

  it('come back from two lost databases, and what the newer one deleted stays deleted', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    for (const key of ['x', 'y', 'z']) await put(store, 'a', key, 1)
    device.wipe()
    // Nobody compared this one with the mirror.
    const next = await device.boot()
    await put(next.store, 'a', 'x', 2)
    await put(next.store, 'a', 'z', 2)
    await drop(next.store, 'a', 'z')
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 2, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 2, y: 1 })
  })

  it('come back once, even if the index of the mirror is lost', async () => {
    const device = createRowsDevice()
    const { store, close } = await device.boot()
    await put(store, 'a', 'x', 1)
    await close()
    const [old] = await device.folder.list()
    const content = device.folder.files.get(old!)!.slice()
    device.wipe()
    await device.keep()
    const next = await device.boot()
    await drop(next.store, 'a', 'x')
    await next.close()
    // Joining the files drops what says that the row was deleted, and the mark stays.
    for (let start = 0; start < 9; start++) {
      const one = await device.boot()
      await put(one.store, 'a', 'y', start)
      await one.close()
      await device.keep()
    }
    device.folder.files.delete('index.json')
    device.folder.files.set(old!, content)
    expect(await device.keep()).toMatchObject({ rows: 0 })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ y: 8 })
  })

  it('come back by the thousands', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    for (let from = 0; from < 10_000; from += 2000)
      await store.writeRows(
        'many',
        Array.from({ length: 2000 }, (_, i) => ({ type: 'put' as const, key: `k${from + i}`, value: 'x'.repeat(600) })),
      )
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 10_000 })
    expect(Object.keys(await rowsOf(await device.bare(), 'many'))).toHaveLength(10_000)
  })

  it('are left alone where nothing was lost, whoever died', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    const other = await device.boot()
    for (let i = 0; i < 20; i++) await put(i % 2 ? store : other.store, 'a', `k${i % 5}`, i)
    const before = await rowsOf(store, 'a')
    expect(await device.keep()).toMatchObject({ rows: 0, left: [] })
    device.crash()
    const size = everything(device).length
    for (let start = 0; start < 3; start++) expect(await device.keep()).toMatchObject({ rows: 0, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toEqual(before)
    // No snapshot was needed: the chain of commits is whole.
    expect(everything(device).length).toBeLessThan(size + 1000)
  })
})

describe('the end of a database that was lost', () => {
  it('is done again, in the order of its commits', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    await put(store, 'a', 'gone', 1)
    const goBack = await device.keepCopy()
    await put(store, 'a', 'x', 2)
    await put(store, 'a', 'x', 3)
    await drop(store, 'a', 'gone')
    await put(store, 'b', 'new', 'n')
    await goBack()
    expect(await device.keep()).toMatchObject({ rows: 3, left: [] })
    const bare = await device.bare()
    expect([await rowsOf(bare, 'a'), await rowsOf(bare, 'b')]).toEqual([{ x: 3 }, { new: 'n' }])
    expect(await device.keep()).toMatchObject({ rows: 0 })
  })

  it('brings back nothing that was deleted or replaced since', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    await put(store, 'a', 'y', 1)
    const goBack = await device.keepCopy()
    await put(store, 'a', 'x', 'lost')
    await put(store, 'a', 'y', 'lost')
    await put(store, 'a', 'z', 'lost')
    await goBack()
    const next = await device.boot()
    await put(next.store, 'a', 'x', 'since')
    await drop(next.store, 'a', 'y')
    expect(await device.keep()).toMatchObject({ rows: 1 })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 'since', z: 'lost' })
  })

  it('is found behind what an earlier start has compared', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    const goBack = await device.keepCopy()
    await put(store, 'a', 'x', 2)
    device.crash()
    const now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now + 120_000)
    await device.keep()
    vi.restoreAllMocks()
    await goBack()
    expect(await device.keep()).toMatchObject({ rows: 1 })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 2 })
  })

  it('is restored from a snapshot, even if rows were written since', async () => {
    const device = createRowsDevice()
    await bootMany(device, 1, async (store) => void (await put(store, 'a', 'x', 'old')))
    const goBack = await device.keepCopy()
    await put(await device.bare(), 'a', 'x', 'lost')
    await put(await device.bare(), 'a', 'y', 'lost')
    await put(await device.bare(), 'a', 'z', 'lost')
    await device.keep()
    await goBack()
    await bootMany(device, 1, async (store) => void (await put(store, 'a', 'z', 'since')))
    expect(await device.keep()).toMatchObject({ rows: 2, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 'lost', y: 'lost', z: 'since' })
    expect(await device.keep()).toMatchObject({ rows: 0 })
  })

  it('is not looked for in the files of workers that live', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    const database = await device.database()
    const before = await database.lastRowsStamp()
    // Another tab commits right after the comparison has read the last stamp.
    await put(store, 'a', 'x', 2)
    Object.assign(database, { lastRowsStamp: async () => before })
    const change = (backend: CoreBackend): CoreBackend => ({
      ...backend,
      commit: () => Promise.reject(new Error('no')),
    })
    expect(await device.keep({}, change)).toMatchObject({ rows: 0, left: [] })
  })

  it('gives way to what somebody changes while it is done again', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    const goBack = await device.keepCopy()
    await put(store, 'a', 'x', 'lost')
    await put(store, 'a', 'y', 'lost')
    await goBack()
    const living = await device.boot()
    let isFirst = true
    const change = (backend: CoreBackend): CoreBackend => ({
      ...backend,
      commit: async (...given) => {
        if (isFirst) {
          isFirst = false
          await put(living.store, 'a', 'x', 'since')
        }
        return backend.commit(...given)
      },
    })
    expect(await device.keep({}, change)).toMatchObject({ rows: 1 })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 'since', y: 'lost' })
  })
})

describe('a mirror that lacks rows', () => {
  it('takes in those that were stored without it', async () => {
    const device = createRowsDevice()
    const bare = await device.bare()
    await put(bare, 'a', 'x', 1)
    const { store } = await device.boot()
    await put(store, 'b', 'y', 2)
    await put(bare, 'a', 'z', new Uint8Array([1]))
    expect(await device.keep()).toMatchObject({ rows: 0 })
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 3 })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 1, z: new Uint8Array([1]) })
  })

  it('takes in what was deleted without it', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 'secret')
    await put(store, 'a', 'y', 'kept')
    device.crash()
    await drop(await device.bare(), 'a', 'x')
    await device.keep()
    expect(everything(device)).not.toContain('secret')
    device.wipe()
    await device.keep()
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ y: 'kept' })
  })

  it('takes them in again when the file of the snapshot is missing', async () => {
    const device = createRowsDevice()
    await put(await device.bare(), 'a', 'x', 'unmirrored')
    await device.keep()
    const [file] = [...device.folder.files.keys()].filter((name) => name !== 'index.json')
    expect(everything(device)).toContain('unmirrored')
    device.folder.files.delete(file!)
    await device.keep()
    expect(everything(device)).toContain('unmirrored')
  })

  it('does not count a snapshot that was interrupted', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 'old')
    await put(await device.bare(), 'a', 'y', 'unmirrored')
    await put(await device.bare(), 'b', 'z', 'unmirrored')
    const ending = new AbortController()
    const { rangeRows } = await device.database()
    Object.assign(await device.database(), {
      rangeRows: async (...given: Parameters<typeof rangeRows>) => {
        // The first collection is in the file by then.
        if (given[0].collection === 'b') ending.abort()
        return rangeRows(...given)
      },
    })
    await expect(device.keep({ signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
    Object.assign(await device.database(), { rangeRows })
    expect(everything(device)).toContain('unmirrored')
    device.crash()
    await device.keep()
    const next = await device.boot()
    await drop(next.store, 'a', 'y')
    await next.close()
    await device.keep()
    // What the interrupted one has of it is erased, too.
    expect(everything(device).split('unmirrored')).toHaveLength(2)
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 2 })
  })

  it('keeps what it has of a row that the database can not read', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 'the last copy')
    await put(await device.bare(), 'a', 'y', 'unmirrored')
    device.crash()
    const database = await device.database()
    const { rangeRows } = database
    Object.assign(database, {
      rangeRows: async (...given: Parameters<typeof rangeRows>) => {
        const { rows, more } = await rangeRows(...given)
        return { rows: rows.map(({ key, row }) => ({ key, row: key === 'x' ? null : row })), more }
      },
    })
    await device.keep()
    await device.keep()
    device.wipe()
    await device.keep()
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 'the last copy', y: 'unmirrored' })
  })

  it('never makes a write fail when there is no room for it', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    device.folder.room = 10
    await put(store, 'a', 'y', 2)
    device.folder.room = Number.POSITIVE_INFINITY
    device.crash()
    await device.keep()
    device.wipe()
    await device.keep()
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 1, y: 2 })
  })
})

it('never restores half a commit', async () => {
  const device = createRowsDevice()
  const { store } = await device.boot()
  await put(store, 'a', 'before', 1)
  await store.writeRows(
    'a',
    ['one', 'two', 'three'].map((key) => ({ type: 'put' as const, key, value: key.repeat(300_000) })),
  )
  device.wipe()
  const [name] = await device.folder.list()
  const content = device.folder.files.get(name!)!
  device.folder.files.set(name!, content.slice(0, -1000))
  expect(await device.keep()).toMatchObject({ rows: 1 })
  expect(await rowsOf(await device.bare(), 'a')).toEqual({ before: 1 })
})

it('restores rows again of which the restoring was interrupted, except those deleted since', async () => {
  const device = createRowsDevice()
  const { store } = await device.boot()
  for (let i = 0; i < 1500; i++) await put(store, 'a', `k${i}`, i)
  device.wipe()
  let commits = 0
  const change = (backend: CoreBackend): CoreBackend => ({
    ...backend,
    commit: async (...given) => {
      if (++commits === 2) throw new Error('The disk is full.')
      return backend.commit(...given)
    },
  })
  expect(await device.keep({}, change)).toMatchObject({ left: [{ reason: expect.stringContaining('disk is full') }] })
  const next = await device.boot()
  await drop(next.store, 'a', 'k0')
  await next.close()
  expect(await device.keep()).toMatchObject({ rows: 1500 - 512, left: [] })
  expect(Object.keys(await rowsOf(await device.bare(), 'a'))).toHaveLength(1499)
  expect(await device.keep()).toMatchObject({ rows: 0 })
})

it('keeps what was restored when the snapshot that follows is interrupted', async () => {
  const device = createRowsDevice()
  await put((await device.boot()).store, 'a', 'x', 'restored')
  device.wipe()
  // The chain of the new database begins without the mirror.
  await put(await device.bare(), 'b', 'y', 'unmirrored')
  const ending = new AbortController()
  const { rangeRows } = await device.database()
  Object.assign(await device.database(), {
    rangeRows: async (...given: Parameters<typeof rangeRows>) => {
      // The first page is in the file by now.
      if (given[0].collection === 'b') ending.abort()
      return rangeRows(...given)
    },
  })
  await expect(device.keep({ signal: ending.signal })).rejects.toMatchObject({ name: 'Aborted' })
  device.wipe()
  await device.keep()
  expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 'restored' })
})

it('takes over what changed in the database that was used for a while, back and forth', async () => {
  const device = createRowsDevice()
  const first = await device.boot()
  for (const key of ['x', 'y', 'z']) await put(first.store, 'a', key, 1)
  device.wipe()
  await device.keep()
  const second = await device.boot()
  await put(second.store, 'a', 'x', 2)
  await drop(second.store, 'a', 'y')
  await put(second.store, 'b', 'new', 2)
  device.comeBack()
  expect(await device.keep()).toMatchObject({ left: [] })
  const bare = await device.bare()
  expect([await rowsOf(bare, 'a'), await rowsOf(bare, 'b')]).toEqual([{ x: 2, z: 1 }, { new: 2 }])
  const third = await device.boot()
  await put(third.store, 'a', 'z', 3)
  await drop(third.store, 'b', 'new')
  device.comeBack()
  expect(await device.keep()).toMatchObject({ left: [] })
  const again = await device.bare()
  expect([await rowsOf(again, 'a'), await rowsOf(again, 'b')]).toEqual([{ x: 2, z: 3 }, {}])
  expect(await device.keep()).toMatchObject({ rows: 0, left: [] })
})

it.each(['written as a snapshot', 'joined, twice'])(
  'deletes what was deleted in the database that was used for a while, when its mirror was %s',
  async (how) => {
    const device = createRowsDevice()
    await bootMany(device, 1, async (store) => {
      for (const key of ['x', 'y', 'z']) await put(store, 'a', key, 1)
    })
    device.wipe()
    await device.keep()
    await bootMany(device, 1, async (store) => {
      for (const key of ['y', 'z']) await drop(store, 'a', key)
      await put(store, 'a', 'z', 2)
    })
    if (how === 'joined, twice')
      for (let i = 0; i < 20; i++) {
        await bootMany(device, 1, async (store) => void (await put(store, 'b', 'y', i)))
        await device.keep()
      }
    await put(await device.bare(), 'b', 'y', 'unmirrored')
    await device.keep()
    device.comeBack()
    expect(await device.keep()).toMatchObject({ left: [] })
    const bare = await device.bare()
    expect([await rowsOf(bare, 'a'), await rowsOf(bare, 'b')]).toEqual([{ x: 1, z: 2 }, { y: 'unmirrored' }])
  },
)

it('restores sessions whose rows can not be restored', async () => {
  const device = createRowsDevice()
  const { store } = await device.boot()
  await say(store, 's', 'said')
  await put(store, 'a', 'x', 1)
  device.wipe()
  const change = (backend: CoreBackend): CoreBackend => ({ ...backend, commit: () => Promise.reject(new Error('no')) })
  expect(await device.keep({}, change)).toMatchObject({ refilled: ['s'], rows: 0, left: [{ key: '' }] })
  expect(await device.keep()).toMatchObject({ rows: 1 })
})

describe('files with what the database lost', () => {
  /** A device whose database lost its end, and whose files are many enough to be joined. */
  async function withLostEnd() {
    const device = createRowsDevice()
    await bootMany(device, 8, async (store, i) => void (await put(store, 'a', `k${i}`, i)))
    const goBack = await device.keepCopy()
    await bootMany(device, 1, async (store) => void (await put(store, 'a', 'x', 'lost')))
    await goBack()
    return device
  }

  it('stay when the comparison fails', async () => {
    const device = await withLostEnd()
    const change = (backend: CoreBackend): CoreBackend => ({
      ...backend,
      commit: () => Promise.reject(new Error('no')),
    })
    expect(await device.keep({}, change)).toMatchObject({ rows: 0, left: [{ key: '' }] })
    expect(await device.keep()).toMatchObject({ rows: 1, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toMatchObject({ k7: 7, x: 'lost' })
  })

  it('stay when somebody changes rows all the time, which is said', async () => {
    const device = await withLostEnd()
    const living = await device.boot()
    let count = 0
    const change = (backend: CoreBackend): CoreBackend => ({
      ...backend,
      commit: async (...given) => {
        await put(living.store, 'a', 'busy', count++)
        return backend.commit(...given)
      },
    })
    expect(await device.keep({}, change)).toMatchObject({
      rows: 0,
      left: [{ key: '', reason: expect.stringContaining('changed rows of collections all the time') }],
    })
    await living.close()
    expect(await device.keep()).toMatchObject({ rows: 1, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toMatchObject({ busy: 3, x: 'lost' })
  })

  it('stay as they are while a row in them can not be read', async () => {
    const device = createRowsDevice()
    await bootMany(device, 8, async (store, i) => void (await put(store, 'a', `k${i}`, i)))
    const { mirror, close } = await device.boot()
    const previous = await (await device.database()).lastRowsStamp()
    const rows = [['x', { data: '"unreadable"', size: 12, crc: 1 }]] as const
    await mirror.addRows([{ stamp: previous + 1, previous, part: 1, of: 1, collection: 'a', rows }])
    await close()
    // A browser does not start again in the same millisecond, and stamps are times.
    while (Date.now() <= previous + 1) await new Promise((resolve) => setTimeout(resolve))
    for (let start = 0; start < 3; start++) {
      expect(await device.keep()).toMatchObject({ left: [{ reason: expect.stringContaining('1 rows') }] })
      await bootMany(device, 1, async (store) => void (await put(store, 'a', 'y', start)))
    }
    expect(everything(device)).toContain('unreadable')
  })

  it('are used although the file of a living worker changes while it is read', async () => {
    const device = await withLostEnd()
    const living = await device.boot()
    await put(living.store, 'a', 'y', 'since')
    const { read } = device.folder
    let reads = 0
    Object.assign(device.folder, {
      read: async (name: string) => {
        const file = await read(name)
        if (file === undefined || !name.includes(living.boot) || ++reads !== 2) return file
        let pieces = 0
        const { slice } = file
        // What was read of it before is enough to find out that something was lost.
        const stale = (...given: Parameters<Blob['slice']>): Blob => {
          if (++pieces > 1) throw new DOMException('It changed.', 'NotReadableError')
          return slice.apply(file, given)
        }
        return Object.assign(file, { slice: stale })
      },
    })
    expect(await device.keep()).toMatchObject({ rows: 1, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toMatchObject({ x: 'lost', y: 'since' })
  })
})
