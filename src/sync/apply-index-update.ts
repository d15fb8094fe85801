import * as Y from 'yjs'
import { withoutGaps } from './without-gaps.ts'

/** Name of the root array that holds the list of sessions. */
export const indexRoot = 'index'

/**
 * Applies an update to the list of sessions, without the parts that depend on something missing.
 *
 * @returns whether such parts were left out
 * @throws when the update holds something else than the list; nothing was changed then
 */
export function applyIndexUpdate(doc: Y.Doc, update: Uint8Array, origin: unknown): boolean {
  const decoded = Y.decodeUpdate(update)
  checkIndexUpdate(decoded)
  const rest = withoutGaps(doc, update, decoded)
  Y.applyUpdate(doc, rest, origin)
  const { store } = doc
  const hasGap = rest !== update || store.pendingStructs !== null || store.pendingDs !== null
  // Yjs would keep these parts and send them to everybody for ever: what is missing may never have existed.
  store.pendingStructs = null
  store.pendingDs = null
  return hasGap
}

const kinds = [Y.ContentAny, Y.ContentBinary, Y.ContentDeleted] as const

/** The list may hold plain elements of its root array, key records, and deletions. @throws */
function checkIndexUpdate({ structs }: ReturnType<typeof Y.decodeUpdate>): void {
  for (const struct of structs) {
    if (!(struct instanceof Y.Item)) continue
    if (struct.parentSub !== null || !kinds.some((kind) => struct.content instanceof kind)) {
      throw new Error('the list of sessions holds something other than its elements')
    }
    if (struct.origin === null && struct.rightOrigin === null && (struct.parent as unknown) !== indexRoot) {
      throw new Error('the list of sessions names another list')
    }
  }
}
