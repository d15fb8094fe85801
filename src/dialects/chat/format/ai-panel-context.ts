import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import type { FileNode } from '../../../formats/store-tree.ts'

/**
 * ai-panel's context at one point of a log. The last compaction counts turns in this context and repeats a part of it.
 */
export interface PanelContext {
  /** Whether a message is only a copy that the last compaction repeats. Then it is in the context again. */
  takeCopy(message: JsonObject): boolean
  add(message: FileNode): void
  /** Empties the context at a compaction. @returns id of the first message that an old compaction keeps */
  compact(firstKept: JsonValue | undefined): string | undefined
}

export function createPanelContext(): PanelContext {
  let context: FileNode[] = []
  /** Messages whose copies come next. */
  let copied: readonly FileNode[] = []
  return {
    takeCopy(message) {
      const [next, ...others] = copied
      if (next === undefined) return false
      const isCopy = canonicalJson(next.data['message'] as JsonObject) === canonicalJson(message)
      copied = isCopy ? others : []
      if (isCopy) context.push(next)
      return isCopy
    },
    add: (message) => void context.push(message),
    compact(firstKept) {
      const turn = typeof firstKept === 'string' ? /^turn-(\d{1,9})$/.exec(firstKept)?.[1] : undefined
      copied = turn === undefined ? [] : context.slice(Number(turn))
      context = []
      return copied[0]?.id
    },
  }
}
