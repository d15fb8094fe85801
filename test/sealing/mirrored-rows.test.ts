import { expect, it } from 'vitest'
import { everything, put, rowsOf } from '../mirror/support/rows-device.ts'
import { createSealedDevice, drawKey } from './support/sealed-device.ts'

const encryptionOf = async () => ({ key: await drawKey() })

it('restores the rows of an encrypted store, and has nothing of them in plain', async () => {
  const device = createSealedDevice()
  const encryption = await encryptionOf()
  const { store } = await device.open(encryption)
  await put(store, 'a', 'text', 'a secret')
  await put(store, 'a', 'bytes', new TextEncoder().encode('another secret'))
  await put(store, 'a', 'text', 'a newer secret')
  expect(everything(device)).not.toContain('secret')
  device.wipe()
  const next = await device.open(encryption)
  expect(await next.keepMirror()).toMatchObject({ rows: 2, left: [] })
  expect(await rowsOf(next.store, 'a')).toEqual({
    text: 'a newer secret',
    bytes: new TextEncoder().encode('another secret'),
  })
  expect(everything(device)).not.toContain('secret')
})

it('has rows in no file any more under the key that was replaced', async () => {
  const device = createSealedDevice()
  const encryption = await encryptionOf()
  const first = await device.open(encryption)
  await put(first.store, 'a', 'x', 'a secret')
  const { keys } = first.keys.keyring()
  const old = keys[0]!.id
  expect(everything(device)).toContain(`${old}.`)
  device.folder.dieAll()
  const next = await device.open(encryption)
  await next.reseal({ rotate: true })
  const rows = [...device.folder.files].filter(([name]) => name.endsWith('.log'))
  for (const [, content] of rows) expect(new TextDecoder().decode(content)).not.toContain(`"${old}."`)
  device.wipe()
  const last = await device.open(encryption)
  expect(await last.keepMirror()).toMatchObject({ rows: 1, left: [] })
  expect(await rowsOf(last.store, 'a')).toEqual({ x: 'a secret' })
})
