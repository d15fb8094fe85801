import { afterEach, expect, it } from 'vitest'
import { createFileUrls, type FileUrls } from '../../src/adapters/file-urls.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

let open: FileUrls | undefined
afterEach(() => open?.revoke())

function create(): FileUrls {
  const { putBlob, getBlob } = createSessionStore(createMemoryBackend())
  return (open = createFileUrls({ putBlob, getBlob }))
}

it.each([
  ['base64', 'data:image/png;base64,AAEC/w==', 'image/png', [0, 1, 2, 255]],
  ['percent signs', 'data:application/octet-stream,%00%FFa', 'application/octet-stream', [0, 255, 97]],
  ['plain characters', 'data:text/plain;charset=utf-8,é', 'text/plain;charset=utf-8', [0xc3, 0xa9]],
  ['no type', 'data:,x', 'text/plain', [120]],
])('stores the bytes of a data URL with %s, shows them, and gives them to a model', async (_, url, type, bytes) => {
  const files = create()
  const stored = await files.store(url)
  expect(stored).toMatch(/^blob:[0-9a-f]{64}$/)
  const shown = await files.show(stored)
  expect([...new Uint8Array(await (await fetch(shown)).arrayBuffer())]).toEqual(bytes)
  const sent = await files.send(shown, type)
  expect(sent).toBe(`data:${type};base64,${btoa(String.fromCharCode(...bytes))}`)
})

it('knows a file that is shown when it is stored again', async () => {
  const files = create()
  const stored = await files.store('data:,x')
  const shown = await files.show(stored)
  expect(await files.show(stored)).toBe(shown)
  expect(await files.store(shown)).toBe(stored)
})

it('knows a file by the URL of a handle that was closed', async () => {
  const { putBlob, getBlob } = createSessionStore(createMemoryBackend())
  const closed = createFileUrls({ putBlob, getBlob })
  const stored = await closed.store('data:text/plain,x')
  const shown = await closed.show(stored)
  closed.revoke()
  open = createFileUrls({ putBlob, getBlob })
  expect(await open.store(shown)).toBe(stored)
  expect(await open.send(shown, 'text/plain')).toBe('data:text/plain;base64,eA==')
})

it('stores the bytes of an object URL that the page made', async () => {
  const url = URL.createObjectURL(new Blob(['x'], { type: 'text/plain' }))
  const files = create()
  const stored = await files.store(url)
  URL.revokeObjectURL(url)
  expect(await files.send(stored, 'text/plain')).toBe('data:text/plain;base64,eA==')
})

it('refuses an object URL that has ended, of a file that the store does not have', async () => {
  const url = URL.createObjectURL(new Blob(['x']))
  URL.revokeObjectURL(url)
  await expect(create().store(url)).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('leaves other URLs, and files that this device does not have, as they are', async () => {
  const files = create()
  for (const url of ['https://example.org/a.png', `blob:${'0'.repeat(64)}`]) {
    expect(await files.store(url)).toBe(url)
    expect(await files.show(url)).toBe(url)
    expect(await files.send(url, 'image/png')).toBe(url)
  }
})

it.each(['data:image/png;base64,not base64!', 'data:,\ud83d'])(
  'leaves %j as it is, which has no bytes',
  async (url) => {
    expect(await create().store(url)).toBe(url)
  },
)

it('ends the object URLs', async () => {
  const files = create()
  const shown = await files.show(await files.store('data:,x'))
  files.revoke()
  await expect(fetch(shown)).rejects.toThrow(TypeError)
})
