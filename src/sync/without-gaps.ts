import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'

type Decoded = ReturnType<typeof Y.decodeUpdate>
type Struct = Decoded['structs'][number]

interface Queue {
  readonly structs: Struct[]
  taken: number
}

/**
 * An update without the parts that depend on something missing: Yjs would take quadratic time for what many clients
 * make wait.
 *
 * @param decoded - the same update
 * @returns the same update when nothing is left out
 * @throws when a writer occurs twice
 */
export function withoutGaps(doc: Y.Doc, update: Uint8Array, { structs, ds }: Decoded): Uint8Array {
  const queues = inQueues(structs)
  take(doc, queues)
  if ([...queues.values()].every(({ structs, taken }) => taken === structs.length)) return update
  const encoder = new Y.UpdateEncoderV1()
  const some = [...queues].filter(([, { taken }]) => taken > 0)
  encoding.writeVarUint(encoder.restEncoder, some.length)
  for (const [client, { structs, taken }] of some) {
    for (const number of [taken, client, structs[0]!.id.clock]) encoding.writeVarUint(encoder.restEncoder, number)
    for (const struct of structs.slice(0, taken)) struct.write(encoder, 0)
  }
  encoding.writeVarUint(encoder.restEncoder, ds.clients.size)
  for (const [client, ranges] of ds.clients) {
    for (const number of [client, ranges.length]) encoding.writeVarUint(encoder.restEncoder, number)
    for (const { clock, len } of ranges)
      for (const number of [clock, len]) encoding.writeVarUint(encoder.restEncoder, number)
  }
  return encoder.toUint8Array()
}

function inQueues(structs: readonly Struct[]): Map<number, Queue> {
  const queues = new Map<number, Queue>()
  for (const struct of structs) {
    const queue = queues.get(struct.id.client)
    const last = queue?.structs.at(-1)
    if (last !== undefined && last.id.clock + last.length !== struct.id.clock)
      throw new Error('the update has the same writer twice')
    if (queue === undefined) queues.set(struct.id.client, { structs: [struct], taken: 0 })
    else queue.structs.push(struct)
  }
  return queues
}

/** Finds how many structs of each queue can be applied, once those are applied that they depend on. */
function take(doc: Y.Doc, queues: ReadonlyMap<number, Queue>): void {
  const reached = new Map<number, number>()
  const reach = (client: number): number => reached.get(client) ?? Y.getState(doc.store, client)
  /** Clients that wait for a struct. */
  const waiting = new Map<Struct, number[]>()
  const ready = [...queues.keys()]
  for (let client = ready.pop(); client !== undefined; client = ready.pop()) {
    const queue = queues.get(client)!
    for (; queue.taken < queue.structs.length; queue.taken++) {
      const struct = queue.structs[queue.taken]!
      if (struct.id.clock > reach(client)) break
      const missing = standsOn(struct).find((id) => id.client !== client && id.clock >= reach(id.client))
      if (missing !== undefined) {
        const before = structAt(queues.get(missing.client)?.structs ?? [], missing.clock)
        if (before === undefined) break
        const others = waiting.get(before)
        if (others === undefined) waiting.set(before, [client])
        else others.push(client)
        break
      }
      // A skip says nothing about its range.
      if (!(struct instanceof Y.Skip)) reached.set(client, Math.max(reach(client), struct.id.clock + struct.length))
      for (const other of waiting.get(struct) ?? []) ready.push(other)
    }
  }
}

const standsOn = (struct: Struct): readonly Y.ID[] =>
  struct instanceof Y.Item ? [struct.origin, struct.rightOrigin].filter((id) => id !== null) : []

function structAt(structs: readonly Struct[], clock: number): Struct | undefined {
  let [low, high] = [0, structs.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const { id, length } = structs[middle]!
    if (clock < id.clock) high = middle - 1
    else if (clock >= id.clock + length) low = middle + 1
    else return structs[middle]
  }
  return undefined
}
