import { SessionError } from '../../contract/errors.ts'
import { escaped } from './saver-keys.ts'

// The key of an item is a path: the labels of the namespace, an empty one, and the item's own key as it is. No label is
// empty, so that the first empty one is where the item's key begins.

/** What the keys of a namespace and of those below it begin with. @throws InvalidInput */
export function namespacePrefix(labels: readonly string[]): string {
  const bad = labels.findIndex((label) => typeof label !== 'string' || label === '')
  if (bad >= 0)
    throw new SessionError(
      'InvalidInput',
      `label ${bad} of the namespace ${JSON.stringify(labels)} must be a text that is not empty. Nothing was written.`,
    )
  return labels.map((label) => `${escaped(label)}/`).join('')
}

/** @throws InvalidInput */
export const itemKey = (labels: readonly string[], key: string): string => `${namespacePrefix(labels)}/${key}`

/** Undoes {@link itemKey}. */
export function placeOfItem(rowKey: string): { readonly namespace: string[]; readonly key: string } {
  const end = rowKey.startsWith('/') ? 0 : rowKey.indexOf('//') + 1
  const labels = rowKey.slice(0, end).split('/').slice(0, -1)
  return { namespace: labels.map(decodeURIComponent), key: rowKey.slice(end + 1) }
}

/** Above all keys of the items that are in a namespace itself: `0` follows `/`. */
export const endOfNamespace = (labels: readonly string[]): string => `${namespacePrefix(labels)}0`
