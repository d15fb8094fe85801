import type { SessionRows } from '../../../contract/rows.ts'
import { aliasesOf } from '../metadata/stored-meta.ts'

/** Whether a session has the log of a key: its own, or that of a session whose history it took over with the name (L20). */
export const hasLogOf = ({ hot, cold }: SessionRows, key: string): boolean =>
  hot.promotedTo === undefined && (hot.key === key || aliasesOf(cold).includes(key))
