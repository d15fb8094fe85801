import type { ControlType } from '../contract/entry.ts'

/**
 * A copy of the types in `contract/entry.ts`, because that file loads zod, which the page must not load. The compiler
 * keeps them equal.
 */
const controls: Readonly<Record<ControlType, true>> = {
  branch: true,
  head: true,
  cut: true,
  compaction: true,
  edit: true,
  meta: true,
  checkpoint: true,
  delete: true,
  undelete: true,
  purge: true,
}

/**
 * Whether entries of this type are outside the conversation: each opens its own turn and says something about other
 * entries.
 */
export function isControl(type: string): type is ControlType {
  return Object.hasOwn(controls, type)
}
