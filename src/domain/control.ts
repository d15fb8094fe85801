import type { ControlType } from '../contract/entry.ts'

/** The types of `contract/entry.ts` once more, because that file loads zod, which the page must not; the compiler keeps them equal. */
const controls: Readonly<Record<ControlType, true>> = {
  branch: true, head: true, cut: true, compaction: true, edit: true, meta: true, checkpoint: true, delete: true, undelete: true, purge: true,
}

/** Whether entries of this type stand outside the conversation: each opens its own turn and says something about the others. */
export function isControl(type: string): type is ControlType {
  return Object.hasOwn(controls, type)
}
