import { describe, expect, it } from 'vitest'
import { bootMany, createRowsDevice, drop, everything, put, rowsOf } from './support/rows-device.ts'
import { say, texts } from './support/talk.ts'

describe('a row that is replaced or deleted', () => {
  it('is erased from the file of its worker within seconds', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 'a secret')
    await store.writeRows('a', [
      { type: 'put', key: 'y', value: 'another secret' },
      { type: 'put', key: 'z', value: 'kept' },
    ])
    await put(store, 'a', 'x', 'newer')
    await drop(store, 'a', 'y')
    await expect.poll(() => everything(device), { timeout: 5000 }).not.toContain('secret')
    expect(everything(device)).toContain('kept')
    device.wipe()
    await device.keep()
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 'newer', z: 'kept' })
  })

  it('is erased from the file of its worker although that could not be read at once', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 'a secret')
    const { read } = device.folder
    let reads = 0
    const stale = (): never => {
      throw new DOMException('It changed.', 'NotReadableError')
    }
    Object.assign(device.folder, {
      read: async (name: string) => {
        const file = await read(name)
        return file !== undefined && ++reads === 1 ? Object.assign(file, { slice: stale }) : file
      },
    })
    await drop(store, 'a', 'x')
    await expect.poll(() => everything(device), { timeout: 10_000 }).not.toContain('secret')
    expect(reads).toBe(2)
  })

  it('is erased before its worker ends', async () => {
    const device = createRowsDevice()
    const { store, close } = await device.boot()
    await put(store, 'a', 'x', 'a secret')
    await drop(store, 'a', 'x')
    await close()
    expect(everything(device)).not.toContain('secret')
  })

  it('is erased from the files of dead workers at the start after the worker died that deleted it', async () => {
    const device = createRowsDevice()
    const first = await device.boot()
    await put(first.store, 'a', 'x', 'a secret')
    await put(first.store, 'a', 'y', 'kept')
    await first.close()
    await device.keep()
    const second = await device.boot()
    await drop(second.store, 'a', 'x')
    await second.close()
    expect(everything(device)).toContain('secret')
    await device.keep()
    expect(everything(device)).not.toContain('secret')
    expect(everything(device)).toContain('kept')
    device.wipe()
    await device.keep()
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ y: 'kept' })
  })

  it('is erased from the files of a lost database, too', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 'a secret')
    device.wipe()
    await device.keep()
    const next = await device.boot()
    await drop(next.store, 'a', 'x')
    await next.close()
    await device.keep()
    expect(everything(device)).not.toContain('secret')
  })
})

describe('a value in the mirror that was replaced', () => {
  it('stays until the database has the newer one for sure', async () => {
    const device = createRowsDevice()
    await bootMany(device, 1, async (store) => void (await put(store, 'a', 'x', 'a secret')))
    await device.keep()
    await bootMany(device, 1, async (store) => void (await drop(store, 'a', 'x')))
    const database = await device.database()
    const { flush } = database
    Object.assign(database, { flush: () => Promise.reject(new Error('The disk is gone.')) })
    expect(await device.keep()).toMatchObject({ left: [{ reason: expect.stringContaining('disk is gone') }] })
    expect(everything(device)).toContain('secret')
    Object.assign(database, { flush })
    expect(await device.keep()).toMatchObject({ left: [] })
    expect(everything(device)).not.toContain('secret')
  })

  it('of a lost database stays while the mirror of the new one can not be written', async () => {
    const device = createRowsDevice()
    await bootMany(device, 1, async (store) => void (await put(store, 'a', 'x', 'a value')))
    device.wipe()
    const { open } = device.folder
    Object.assign(device.folder, { open: async (name: string) => (name.includes('boot1') ? undefined : open(name)) })
    expect(await device.keep()).toMatchObject({ rows: 1 })
    Object.assign(device.folder, { open })
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 1, left: [] })
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: 'a value' })
  })

  it('of a lost database stays while rows of that one can not be read', async () => {
    const device = createRowsDevice()
    const { store, mirror, close } = await device.boot()
    await put(store, 'a', 'x', 'readable')
    const previous = await (await device.database()).lastRowsStamp()
    const rows = [['y', { data: '"unreadable"', size: 12, crc: 1 }]] as const
    await mirror.addRows([{ stamp: previous + 1, previous, part: 1, of: 1, collection: 'a', rows }])
    await close()
    device.wipe()
    for (let start = 0; start < 3; start++) {
      expect(await device.keep()).toMatchObject({ left: [{ reason: expect.stringContaining('1 rows') }] })
      await bootMany(device, 4, async (next, i) => void (await put(next, 'a', `z${i}`, start)))
    }
    expect(everything(device)).toContain('unreadable')
    expect(await rowsOf(await device.bare(), 'a')).toMatchObject({ x: 'readable' })
  })
})

describe('joining the files of former workers', () => {
  it('keeps every row, and what was deleted stays deleted', async () => {
    const device = createRowsDevice()
    for (let i = 0; i < 20; i++) {
      const { store, close } = await device.boot()
      await put(store, 'a', `k${i}`, i)
      await drop(store, 'a', `k${i - 3}`)
      await say(store, 's', `${i}`)
      await close()
      await device.keep()
    }
    expect(device.folder.files.size).toBeLessThan(12)
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 3, left: [] })
    const bare = await device.bare()
    expect(await rowsOf(bare, 'a')).toEqual({ k17: 17, k18: 18, k19: 19 })
    expect(await texts(bare, 's')).toHaveLength(20)
  })

  it('keeps in mind which databases were restored', async () => {
    const device = createRowsDevice()
    const { store } = await device.boot()
    await put(store, 'a', 'x', 1)
    // A file of the lost database that is still in use is read again at each start.
    device.wipe()
    const [old] = await device.folder.list()
    const content = device.folder.files.get(old!)!
    for (let i = 0; i < 12; i++) {
      device.folder.files.set(old!, content)
      await device.keep()
      const next = await device.boot()
      await drop(next.store, 'a', 'x')
      await put(next.store, 'a', 'y', i)
      await next.close()
    }
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ y: 11 })
  })

  it('leaves nothing behind at the starts at which the database can not read its rows', async () => {
    const device = createRowsDevice()
    await bootMany(device, 9, async (store, i) => {
      await put(store, 'a', `k${i}`, i)
      await say(store, 's', `said ${i}`)
    })
    const database = await device.database()
    const { rangeRows } = database
    Object.assign(database, { rangeRows: () => Promise.reject(new Error('unreadable')) })
    const files = [...device.folder.files.keys()]
    for (let start = 0; start < 3; start++) await device.keep()
    expect([...device.folder.files.keys()].filter((name) => name !== 'index.json')).toEqual(files)
    Object.assign(database, { rangeRows })
    await device.keep()
    expect([...device.folder.files.keys()]).toHaveLength(3)
  })

  it('joins those without rows while the database can not read its rows', async () => {
    const device = createRowsDevice()
    await bootMany(device, 1, async (store) => void (await put(store, 'a', 'x', 'the last copy')))
    await bootMany(device, 8, async (store, i) => void (await say(store, 's', `said ${i}`)))
    Object.assign(await device.database(), { rangeRows: () => Promise.reject(new Error('unreadable')) })
    for (let start = 0; start < 2; start++) await device.keep()
    expect([...device.folder.files.keys()]).toHaveLength(3)
    device.wipe()
    expect(await device.keep()).toMatchObject({ rows: 1, left: [] })
    expect(await texts(await device.bare(), 's')).toHaveLength(8)
  })

  it('has every entry once after it was killed', async () => {
    const device = createRowsDevice()
    await bootMany(device, 9, async (store, i) => void (await say(store, 's', `said ${i}.`)))
    const before = [...device.folder.files]
    await device.keep()
    device.folder.files.delete('index.json')
    for (const [name, content] of before) device.folder.files.set(name, content)
    await device.keep()
    for (let i = 0; i < 9; i++) expect(everything(device).split(`said ${i}.`)).toHaveLength(2)
    device.wipe()
    await device.keep()
    expect(await texts(await device.bare(), 's')).toHaveLength(9)
  })

  it('does not take characters of several bytes for empty room', async () => {
    const device = createRowsDevice()
    await bootMany(device, 1, async (store) => {
      for (let i = 0; i < 5; i++) await put(store, 'a', `k${i}`, '漢'.repeat(1_000_000))
    })
    const files = [...device.folder.files.keys()]
    await device.keep()
    expect([...device.folder.files.keys()]).toEqual([...files, 'index.json'])
  })

  it('frees the room of rows that were replaced many times', async () => {
    const device = createRowsDevice()
    await bootMany(device, 1, async (store) => void (await say(store, 's', 'said')))
    const [plain] = [...device.folder.files.keys()]
    const { store, close } = await device.boot()
    for (let i = 0; i < 40; i++) await put(store, 'a', 'x', `${i}`.padEnd(300_000, '.'))
    await close()
    expect(everything(device).length).toBeGreaterThan(8_000_000)
    await device.keep()
    expect(everything(device).length).toBeLessThan(1_000_000)
    // A file without rows is not written again for that.
    expect(device.folder.files.has(plain!)).toBe(true)
    device.wipe()
    await device.keep()
    expect(await rowsOf(await device.bare(), 'a')).toEqual({ x: '39'.padEnd(300_000, '.') })
  })
})

it('has a small index after very many commits', async () => {
  const device = createRowsDevice()
  const { store, close } = await device.boot()
  for (let i = 0; i < 2000; i++) await put(store, 'a', 'x', i)
  await close()
  await device.keep()
  expect(device.folder.files.get('index.json')!.length).toBeLessThan(50_000)
})
