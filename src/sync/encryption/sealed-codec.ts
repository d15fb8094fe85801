import type { JsonValue } from '../../contract/json.ts'
import type { SyncCodec } from '../sync-codec.ts'
import { openIndexValue, sealIndexValue } from './index-value.ts'
import { KeyMissing } from './key-missing.ts'
import { sealedDocumentId } from './sealed-document-id.ts'
import { sealedElements } from './sealed-elements.ts'
import type { SyncKeys } from './sync-keys.ts'

/**
 * Names and content under the first of these keys; the list of sessions is read with all of them. Its values are sealed
 * with their clock and bound to the id of their session's document, so that nobody can replace a value by an older one
 * or by that of another session.
 */
export function sealedCodec(ring: readonly [SyncKeys, ...SyncKeys[]]): SyncCodec {
  const [keys] = ring

  const read = async (id: string, hp: number, hc: number, content: unknown): Promise<unknown> => {
    const opened = await openIndexValue(ring, content)
    if (opened instanceof KeyMissing) return opened
    if (typeof opened === 'string' || !Array.isArray(opened.value)) return undefined
    const [sealedHp, sealedHc, value] = opened.value as readonly JsonValue[]
    const key = (value as { readonly key?: unknown } | null | undefined)?.key
    const isInPlace =
      sealedHp === hp && sealedHc === hc && typeof key === 'string' && (await sealedDocumentId(key, opened.keys)) === id
    return isInPlace ? value : undefined
  }

  return {
    elements: (id) => sealedElements(keys, id),
    index: {
      write: (_, { hp, hc }, value) => sealIndexValue(keys, [hp, hc, value as unknown as JsonValue]),
      // Cryptography is not available any more, which does not make the value invalid.
      read: (id, { hp, hc }, content) => read(id, hp, hc, content).catch(() => new KeyMissing(keys.id)),
    },
    idOf: (key) => sealedDocumentId(key, keys),
  }
}
