import * as Y from 'yjs'
import { Refusal } from '../refusal.js'
import { decodeUpdate } from './decode-update.js'

const KINDS = [Y.ContentAny, Y.ContentBinary, Y.ContentDeleted]

/**
 * Checks that an update does only what the projection of a log does: client `c` pushes values, or bytes, to the end of
 * root array `w:<c in base 36>`, or, in an index, anybody to the end of root array `index`; and deletes. Anything else
 * could make peers drop content of others, or hold something that no log has. It checks only the structure, so that it
 * works with end-to-end encryption as well.
 *
 * An item that follows another one does not name an array: it belongs to the array of its predecessor. So an item that
 * isn't the first must follow an item that was checked, which in a session is the writer's previous one. Purged values
 * are items without content; structs that have even lost their position (GC) are never made from root arrays, and would
 * erase whatever they overlap.
 *
 * @param {'index' | 'session' | 'pair'} kind - one where devices pair accepts no updates, because they meet by presence
 * @param {Uint8Array} update
 * @returns {ReturnType<typeof Y.decodeUpdate>}
 * @throws {Refusal}
 */
export function checkUpdate(kind, update) {
  const decoded = decodeUpdate(update)
  if (kind === 'pair' && (decoded.structs.length > 0 || decoded.ds.clients.size > 0))
    throw new Refusal('foreign-update', 'where devices pair')
  for (const struct of decoded.structs) {
    const { client, clock } = struct.id
    if (!(struct instanceof Y.Item)) throw new Refusal('foreign-update', `a ${struct.constructor.name} struct`)
    if (!KINDS.some((kind) => struct.content instanceof kind)) {
      throw new Refusal('foreign-update', struct.content.constructor.name)
    }
    if (!Number.isSafeInteger(clock + struct.length)) throw new Refusal('malformed-update', 'clock')
    if (struct.length === 0) throw new Refusal('malformed-update', 'an empty struct')
    if (struct.parentSub !== null) throw new Refusal('foreign-update', 'a map')
    if (struct.rightOrigin !== null) throw new Refusal('foreign-update', 'not at the end')
    const root = kind === 'index' ? 'index' : `w:${client.toString(36)}`
    if (struct.origin === null) {
      if (/** @type {unknown} */ (struct.parent) !== root) throw new Refusal('foreign-update', `outside of ${root}`)
      if (kind === 'session' && clock !== 0) throw new Refusal('foreign-update', 'a second start')
    } else if (struct.origin.client === client && struct.origin.clock >= clock) {
      // Yjs looks for the previous item without checking whether it can exist yet.
      throw new Refusal('malformed-update', 'behind itself')
    } else if (kind === 'session' && (struct.origin.client !== client || struct.origin.clock !== clock - 1)) {
      throw new Refusal('foreign-update', `not behind the one before in ${root}`)
    }
  }
  for (const deleted of decoded.ds.clients.values()) {
    for (const { clock, len } of deleted)
      if (len === 0 || !Number.isSafeInteger(clock + len))
        throw new Refusal('malformed-update', 'a deletion of nothing')
  }
  return decoded
}
