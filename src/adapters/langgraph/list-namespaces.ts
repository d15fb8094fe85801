import type { Collection } from '../../client/collection.ts'
import { endOfNamespace, namespacePrefix, placeOfItem } from './item-keys.ts'
import { readPage } from './readable-pages.ts'
import type { ListNamespacesOperation } from './store-types.ts'

/** Rows of a page. After each, the rest of the namespace that the page ends in is skipped. */
const pageSize = 50

type Condition = NonNullable<ListNamespacesOperation['matchConditions']>[number]

/** The namespaces that have items, each once, cut to a depth where that is asked for. */
export async function listNamespaces(
  collection: Collection,
  { matchConditions = [], maxDepth, limit = 100, offset = 0 }: ListNamespacesOperation,
): Promise<string[][]> {
  const found = new Map<string, string[]>()
  const prefix = namespacePrefix(commonLabels(matchConditions))
  let from: string | undefined
  do {
    const page = await readPage(collection, { prefix, limit: pageSize, ...(from !== undefined && { from }) })
    for (const { key } of page.rows) {
      const { namespace } = placeOfItem(key)
      if (!matchConditions.every((condition) => isMatch(condition, namespace))) continue
      const cut = namespace.slice(0, maxDepth)
      found.set(namespacePrefix(cut), cut)
    }
    from = page.next && endOfNamespace(placeOfItem(page.next).namespace)
  } while (from !== undefined && found.size < offset + limit)
  return [...found.values()].slice(offset, offset + limit)
}

/** The labels that all wanted namespaces begin with: only what is below them is read. */
function commonLabels(conditions: readonly Condition[]): readonly string[] {
  const path = conditions.find(({ matchType }) => matchType === 'prefix')?.path ?? []
  const joker = path.indexOf('*')
  return joker < 0 ? path : path.slice(0, joker)
}

function isMatch({ matchType, path }: Condition, namespace: readonly string[]): boolean {
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length
  return start >= 0 && path.every((label, i) => label === '*' || label === namespace[start + i])
}
