import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readZip } from '../../src/formats/zip-entries.ts'
import { zipFiles } from '../../src/formats/zip-files.ts'

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const long = encode(JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ i, text: `text ${i * 7919}` }))))
const packed = (): Uint8Array<ArrayBuffer> =>
  zipSync({
    'a/': new Uint8Array(),
    'a/long.json': long,
    '../x.json': [encode('{}'), { level: 0 }],
    'ünï.json': encode('[1]'),
  }) as Uint8Array<ArrayBuffer>

async function contents(bytes: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readZip(new Blob([bytes]))) {
    const parts: Uint8Array<ArrayBuffer>[] = []
    for await (const part of entry.read()) parts.push(part.slice())
    files[entry.path] = await new Blob(parts).text()
  }
  return files
}

/** Where the directory has the n-th file, and where that begins itself. */
function places(
  bytes: Uint8Array<ArrayBuffer>,
  n: number,
): { readonly view: DataView; readonly head: number; readonly local: number } {
  const view = new DataView(bytes.buffer)
  let head = view.getUint32(bytes.length - 22 + 16, true)
  for (let i = 0; i < n; i++)
    head += 46 + view.getUint16(head + 28, true) + view.getUint16(head + 30, true) + view.getUint16(head + 32, true)
  return { view, head, local: view.getUint32(head + 42, true) }
}

describe('a zip archive', () => {
  it('gives its files, packed or not, without its folders', async () => {
    expect(await contents(packed())).toEqual({
      'a/long.json': new TextDecoder().decode(long),
      '../x.json': '{}',
      'ünï.json': '[1]',
    })
  })

  it('may have been written as a stream, so that sizes stand behind the files', async () => {
    const blob = await zipFiles(
      (async function* () {
        yield { path: 'b.json', blob: new Blob([long]) }
      })(),
    )
    expect(Object.keys(await contents(new Uint8Array(await blob.arrayBuffer())))).toEqual(['b.json'])
  })

  it('may be empty', async () => expect(await contents(zipSync({}) as Uint8Array<ArrayBuffer>)).toEqual({}))

  it('is refused when it was cut off, wherever', async () => {
    const bytes = packed()
    for (let length = 0; length < bytes.length; length += 101) {
      await expect(contents(bytes.slice(0, length))).rejects.toMatchObject({
        name: 'InvalidInput',
        message: expect.stringMatching(/cut off/) as unknown,
      })
    }
  })

  it.each<[string, (bytes: Uint8Array<ArrayBuffer>) => void, RegExp]>([
    [
      'more comes out than it says',
      (bytes) => {
        const { view, head } = places(bytes, 1)
        view.setUint32(head + 24, 1000, true)
      },
      /a\/long\.json unpacks to more than the 1000 bytes/,
    ],
    [
      'less comes out than it says',
      (bytes) => {
        const { view, head } = places(bytes, 1)
        view.setUint32(head + 24, long.length + 1, true)
      },
      /ends after/,
    ],
    [
      'its bytes were changed',
      (bytes) => {
        const { view, local } = places(bytes, 2)
        view.setUint8(local + 30 + '../x.json'.length, 0x5b)
      },
      /does not match its checksum/,
    ],
    [
      'its packed bytes are none',
      (bytes) => {
        const { local } = places(bytes, 1)
        bytes.fill(0xff, local + 41, local + 80)
      },
      /long\.json/,
    ],
    [
      'a file is not where it should be',
      (bytes) => {
        const { view, head } = places(bytes, 1)
        view.setUint32(head + 42, 1, true)
      },
      /not where the directory says/,
    ],
    [
      'its directory was changed',
      (bytes) => {
        const { view, head } = places(bytes, 2)
        view.setUint32(head, 0, true)
      },
      /its directory is damaged/,
    ],
    [
      'it is encrypted',
      (bytes) => {
        const { view, head } = places(bytes, 1)
        view.setUint16(head + 8, 1, true)
      },
      /is encrypted/,
    ],
    [
      'it is packed in another way',
      (bytes) => {
        const { view, head } = places(bytes, 1)
        view.setUint16(head + 10, 99, true)
      },
      /an unsupported method \(99\)/,
    ],
  ])('is refused when %s', async (_, damage, message) => {
    const bytes = packed()
    damage(bytes)
    await expect(contents(bytes)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringMatching(message),
    })
  })

  it('is refused when it says that it unpacks to more than any disk has room for', async () => {
    const files = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`${i}.json`, encode('{}')]))
    const bytes = zipSync(files) as Uint8Array<ArrayBuffer>
    for (let i = 0; i < 6; i++) {
      const { view, head } = places(bytes, i)
      view.setUint32(head + 24, 0xfffffff0, true)
    }
    await expect(contents(bytes)).rejects.toMatchObject({ name: 'TooLarge' })
  })

  it('costs no memory when it is a bomb', async () => {
    const bytes = zipSync({ 'zeros.json': new Uint8Array(32 * 1024 * 1024) }) as Uint8Array<ArrayBuffer>
    const [entry] = await readZip(new Blob([bytes]))
    let largest = 0
    let total = 0
    for await (const { length } of entry!.read()) {
      largest = Math.max(largest, length)
      total += length
    }
    expect(total).toBe(32 * 1024 * 1024)
    expect(largest).toBeLessThan(20 * 1024 * 1024)
  })
})
