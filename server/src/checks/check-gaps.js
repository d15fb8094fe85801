import * as Y from 'yjs'
import { Refusal } from '../refusal.js'
import { decodeUpdate } from './decode-update.js'

/** How many writers a document may have. Each start of the app on a device is one. */
const WRITERS = 50_000

/**
 * Refuses updates that depend on something missing: Yjs would keep them until that arrives, and search everything that
 * waits again and again, which takes quadratic time. Clients send in order, starting from the server's state vector.
 *
 * @param {Y.Doc} document
 * @param {Uint8Array} update
 * @throws {Refusal}
 */
export function checkGaps({ store }, update) {
  const { structs, ds } = decodeUpdate(update)
  /** The clock of each writer after the update. @type {Map<number, number>} */
  const reached = new Map()
  /** @param {number} client */
  const reach = (client) => reached.get(client) ?? Y.getState(store, client)
  let writers = store.clients.size
  /** Where the next struct of each writer must begin. @type {Map<number, number>} */
  const ends = new Map()
  for (const { id, length } of structs) {
    if ((ends.get(id.client) ?? id.clock) !== id.clock) throw new Refusal('malformed-update', 'out of order')
    ends.set(id.client, id.clock + length)
    if (id.clock > reach(id.client)) throw new Refusal('update-with-gaps', `${id.client} from ${id.clock}`)
    if (!reached.has(id.client) && !store.clients.has(id.client) && ++writers > WRITERS)
      throw new Refusal('document-too-big', `${WRITERS} writers`)
    reached.set(id.client, Math.max(reach(id.client), id.clock + length))
  }
  if (!canFollow(store, structs)) throw new Refusal('update-with-gaps', 'behind what is missing')
  for (const [client, ranges] of ds.clients) {
    for (const { clock, len } of ranges)
      if (clock + len > reach(client)) throw new Refusal('update-with-gaps', 'a deletion of what is missing')
  }
}

/**
 * Whether each struct can be applied after those that it depends on. Two structs that depend on each other never can.
 *
 * @param {Y.Doc['store']} store
 * @param {ReturnType<typeof Y.decodeUpdate>['structs']} structs - of each writer without gaps
 */
function canFollow(store, structs) {
  /** @type {Map<number, typeof structs>} */
  const queues = new Map()
  for (const struct of structs) {
    const queue = queues.get(struct.id.client)
    if (queue === undefined) queues.set(struct.id.client, [struct])
    else queue.push(struct)
  }
  /** How many structs of each queue are applied. @type {Map<number, number>} */
  const taken = new Map()
  /** For each struct that others wait for: their writers. @type {Map<object, number[]>} */
  const waiting = new Map()
  const ready = [...queues.keys()]
  let left = structs.length
  for (let client = ready.pop(); client !== undefined; client = ready.pop()) {
    const queue = queues.get(client) ?? []
    for (let at = taken.get(client) ?? 0; at < queue.length; at++) {
      const struct = /** @type {(typeof queue)[number]} */ (queue[at])
      const origin = struct instanceof Y.Item ? struct.origin : null
      if (origin !== null && origin.client !== client && origin.clock >= Y.getState(store, origin.client)) {
        const theirs = queues.get(origin.client) ?? []
        const before = find(theirs, origin.clock)
        if (before === -1) return false
        if (before >= (taken.get(origin.client) ?? 0)) {
          const key = /** @type {object} */ (theirs[before])
          const others = waiting.get(key)
          if (others === undefined) waiting.set(key, [client])
          else others.push(client)
          break
        }
      }
      taken.set(client, at + 1)
      left--
      for (const other of waiting.get(struct) ?? []) ready.push(other)
      waiting.delete(struct)
    }
  }
  return left === 0
}

/**
 * Finds the struct that holds a clock; -1 when none does.
 *
 * @param {ReturnType<typeof Y.decodeUpdate>['structs']} structs - of one writer
 * @param {number} clock
 */
function find(structs, clock) {
  let [low, high] = [0, structs.length - 1]
  while (low <= high) {
    const middle = (low + high) >> 1
    const { id, length } = /** @type {(typeof structs)[number]} */ (structs[middle])
    if (clock < id.clock) high = middle - 1
    else if (clock >= id.clock + length) low = middle + 1
    else return middle
  }
  return -1
}
