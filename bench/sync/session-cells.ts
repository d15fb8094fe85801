import { messageOf, payloadOf } from './message.ts'
import type { ModelKind } from './models.ts'
import type { SyncCell } from './sample.ts'

/** One session of so many messages of 1 kB: what it costs on the wire, at rest, in time and memory. */
export function sessionCells(kinds: readonly ModelKind[], most: number): readonly SyncCell[] {
  return kinds.map((kind) => ({
    group: `${most.toLocaleString('en-US')} messages of 1 kB`,
    contender:
      kind.most === undefined || kind.most >= most
        ? kind.name
        : `${kind.name}, of ${kind.most.toLocaleString('en-US')} only`,
    run: async () => {
      const size = Math.min(kind.most ?? most, most)
      const messages = Array.from({ length: size }, (_, i) => messageOf(i))
      const payload = messages.reduce((sum, message) => sum + payloadOf(message), 0)
      const create = await kind.prepare(messages)
      const model = create()
      let live = 0
      const start = performance.now()
      for (let i = 0; i < size; i++) {
        const bytes = model.add(i)
        live += typeof bytes === 'number' ? bytes : await bytes
      }
      const appended = performance.now()
      const saved = model.save()
      const encoded = performance.now()
      const before = heap()
      const begin = performance.now()
      const loaded = await kind.load(saved)
      const applied = performance.now()
      const after = heap()
      if (loaded === undefined) throw new Error(`${kind.name} has loaded nothing.`)
      return {
        'live, over the payload (B)': (live - payload) / size,
        'at rest, over the payload (B)': (saved.length - payload) / size,
        'append (µs)': ((appended - start) / size) * 1000,
        'encode (ms)': encoded - appended,
        'apply (ms)': applied - begin,
        'heap (MB)': (after - before) / 1e6,
      }
    },
  }))
}

/** Collected first: WebAssembly's memory counts, too. */
function heap(): number {
  for (let i = 0; i < 3; i++) (globalThis as { gc?: () => void }).gc?.()
  const { heapUsed, arrayBuffers, external } = process.memoryUsage()
  return heapUsed + Math.max(arrayBuffers, external)
}
