/** A change of the history that is done once for each operation id. */
export type HistoryTransaction<Item> =
  | { readonly type: 'append_items'; readonly items: readonly Item[] }
  | { readonly type: 'replace_suffix'; readonly expectedSuffix: readonly Item[]; readonly replacement: readonly Item[] }

export interface HistoryMutation<Item> {
  readonly type: 'replace_function_call'
  readonly callId: string
  readonly replacement: Item
}

/**
 * The `Session` of `@openai/agents-core`, with its capabilities `SessionHistoryRewriteAwareSession` and
 * `SessionHistoryTransactionAwareSession`.
 */
export interface AgentsSession<Item extends object> {
  /** The key of the session. */
  getSessionId(): Promise<string>
  /** The last `limit` items (default: all), oldest first. */
  getItems(limit?: number): Promise<Item[]>
  /** Appends items, all or none. */
  addItems(items: readonly Item[]): Promise<void>
  /** Removes the last item and returns it. Of several callers, also in other tabs, one gets it. */
  popItem(): Promise<Item | undefined>
  /** Removes all items. Title, tags and other branches of the session stay. */
  clearSession(): Promise<void>
  /** Replaces function calls in the history. */
  applyHistoryMutations(args: { readonly mutations: readonly HistoryMutation<Item>[] }): Promise<void>
  /**
   * Appends items, or replaces the last ones, in one commit. Repeated with the same id and content it does nothing.
   *
   * @throws OperationConflict when the id was used for another transaction; ParentMoved when the history does not end
   *   with the expected items. Nothing is changed then.
   */
  applyHistoryTransaction(args: {
    readonly operationId: string
    readonly transaction: HistoryTransaction<Item>
  }): Promise<void>
}
