import type { JsonObject } from '../contract/json.ts'
import type { TreeLink } from './parents-first.ts'

/** One entry of a foreign file, in our terms. A linear file names the entry before as the parent. */
export interface ImportNode extends TreeLink {
  /** `message`, `compaction`, or any type that is not a control type (those get `foreign-` before their name). */
  readonly type: string
  /** As in our entries, with `mid` added. */
  readonly data: JsonObject
  /** Milliseconds since 1970; 0 when the file doesn't say. */
  readonly at: number
  /** The id under which later imports find it; default: its `id`. */
  readonly mid?: string
  /** For a compaction, the id of the first entry that stays in the model's context. */
  readonly firstKept?: string
}
