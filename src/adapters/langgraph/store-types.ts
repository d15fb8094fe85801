// What the adapter uses of the stores of `@langchain/langgraph-checkpoint`, so that nobody needs its declarations to
// compile.

/** A value that agents remember, under a key of a namespace. */
export interface StoreItem {
  readonly value: Readonly<Record<string, unknown>>
  readonly key: string
  readonly namespace: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

interface GetOperation {
  readonly namespace: readonly string[]
  readonly key: string
}

export interface PutOperation extends GetOperation {
  /** `null` deletes the item. */
  readonly value: Readonly<Record<string, unknown>> | null
}

export interface SearchOperation {
  readonly namespacePrefix: readonly string[]
  readonly filter?: Readonly<Record<string, unknown>>
  /** Default 10. */
  readonly limit?: number
  readonly offset?: number
}

export interface ListNamespacesOperation {
  readonly matchConditions?: readonly { readonly matchType: 'prefix' | 'suffix'; readonly path: readonly string[] }[]
  readonly maxDepth?: number
  readonly limit?: number
  readonly offset?: number
}

export type StoreOperation = GetOperation | PutOperation | SearchOperation | ListNamespacesOperation

/** Where `BaseStore` comes from: `@langchain/langgraph-checkpoint`, `@langchain/langgraph` or its `/web`. */
export interface StoreModule<Store extends object> {
  readonly BaseStore: abstract new () => Store
}
