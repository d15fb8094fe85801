import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSyncServer } from '../../server/index.js'
import type { SyncServer } from '../../server/src/options.js'

let data: string
let server: SyncServer
const content = randomBytes(200_000)
const hash = createHash('sha256').update(content).digest('hex')

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
  server = await startSyncServer({
    port: 0,
    data,
    say: () => {},
    tokens: [
      { token: 'ada', namespaces: ['ada', 'ada & co'] },
      { token: 'guest', namespaces: ['ada'], access: 'read' },
    ],
    limits: { blobBytes: 300_000 },
  })
})
afterEach(async () => {
  await server.close()
  await rm(data, { recursive: true, force: true })
})

const ask = (method: string, path: string, token = 'ada', body?: Uint8Array<ArrayBuffer>) =>
  fetch(`${server.httpUrl}/blobs/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body && { body }),
  })
const uploads = () => readdir(join(data, 'uploads')).catch(() => [])

it('a blob is had back by its hash, in its namespace only', async () => {
  expect((await ask('GET', `ada/${hash}`)).status).toBe(404)
  expect((await ask('PUT', `ada/${hash}`, 'ada', content)).status).toBe(201)
  expect((await ask('PUT', `ada/${hash}`, 'ada', content)).status).toBe(201)
  const head = await ask('HEAD', `ada/${hash}`, 'guest')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '200000'])
  expect(Buffer.from(await (await ask('GET', `ada/${hash}`, 'guest')).arrayBuffer()).equals(content)).toBe(true)
  expect((await ask('GET', `ada%20%26%20co/${hash}`)).status).toBe(404)
  await expect.poll(uploads).toEqual([])
})

it('what has another hash is refused and leaves nothing behind', async () => {
  const other = createHash('sha256').update('other').digest('hex')
  expect((await ask('PUT', `ada/${other}`, 'ada', content)).status).toBe(422)
  expect((await ask('GET', `ada/${other}`)).status).toBe(404)
  await expect.poll(uploads).toEqual([])
})

it('what is too big is refused, also when its length isn’t said before', async () => {
  expect((await ask('PUT', `ada/${hash}`, 'ada', randomBytes(300_001))).status).toBe(413)
  const status = await new Promise((resolve, reject) => {
    const upload = request(
      `${server.httpUrl}/blobs/ada/${hash}`,
      { method: 'PUT', headers: { Authorization: 'Bearer ada' } },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    upload.on('error', reject)
    upload.write(randomBytes(200_000))
    upload.end(randomBytes(200_000))
  })
  expect(status).toBe(413)
  await expect.poll(uploads).toEqual([])
})

it('says to whoever sends far too much what is allowed, once it is sent', async () => {
  const answer = await ask('PUT', `ada/${hash}`, 'ada', new Uint8Array(20_000_000))
  expect([answer.status, await answer.text()]).toEqual([413, 'a blob may have 300000 bytes'])
})

it('an upload that is cut off leaves nothing behind and says nothing against the disk', async () => {
  const upload = request(`${server.httpUrl}/blobs/ada/${hash}`, {
    method: 'PUT',
    headers: { Authorization: 'Bearer ada', 'Content-Length': content.length },
  })
  upload.on('error', () => {})
  upload.write(content.subarray(0, 1000))
  await expect.poll(async () => (await uploads()).length).toBe(1)
  upload.destroy()
  await expect.poll(uploads).toEqual([])
  expect((await fetch(`${server.httpUrl}/health`)).status).toBe(200)
})

it('a disk that takes no more is told to who has sent everything, and not before', async () => {
  await writeFile(join(data, 'uploads'), 'in the way of the folder')
  for (const length of [100, 200_000]) {
    const other = randomBytes(length)
    const answer = await ask('PUT', `ada/${createHash('sha256').update(other).digest('hex')}`, 'ada', other)
    expect([answer.status, await answer.text()]).toEqual([503, 'storage-failed'])
  }
})

it('a blob that can’t be opened is answered with what the storage says', async () => {
  const folder = join(data, 'blobs', 'ada', hash.slice(0, 2))
  await mkdir(folder, { recursive: true })
  // No file, and yet it has a size.
  const socket = createServer().listen(join(folder, hash))
  await once(socket, 'listening')
  try {
    const answer = await ask('GET', `ada/${hash}`)
    expect([answer.status, answer.headers.get('cache-control'), await answer.text()]).toEqual([
      503,
      null,
      'storage-failed',
    ])
  } finally {
    await new Promise((resolve) => socket.close(resolve))
  }
})

it('of what devices have encrypted the first stays that is there, though another upload of it began before', async () => {
  const name = `ada/sealed-${hash}`
  const slow = request(`${server.httpUrl}/blobs/${name}`, { method: 'PUT', headers: { Authorization: 'Bearer ada' } })
  const answered = once(slow, 'response')
  slow.write('of the slow device')
  await expect.poll(async () => (await uploads()).length).toBe(1)
  expect((await ask('PUT', name, 'ada', new TextEncoder().encode('of the fast device'))).status).toBe(201)
  slow.end()
  expect((await answered)[0].statusCode).toBe(201)
  expect(await (await ask('GET', name)).text()).toBe('of the fast device')
  await expect.poll(uploads).toEqual([])
})

it('needs the token that a document of the namespace needs', async () => {
  expect((await ask('GET', `bob/${hash}`)).status).toBe(403)
  expect((await ask('GET', `ada/${hash}`, 'wrong')).status).toBe(403)
  expect((await ask('PUT', `ada/${hash}`, 'guest', content)).status).toBe(403)
  expect((await ask('GET', `ada/${hash.toUpperCase()}`)).status).toBe(404)
  expect((await ask('GET', `%2e%2e/${hash}`)).status).toBe(404)
  expect((await ask('DELETE', `ada/${hash}`)).status).toBe(405)
})

it('any page may ask', async () => {
  const preflight = await fetch(`${server.httpUrl}/blobs/ada/${hash}`, { method: 'OPTIONS' })
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
  expect((await ask('GET', `ada/${hash}`)).headers.get('access-control-allow-origin')).toBe('*')
})
