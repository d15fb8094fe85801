import type { SessionChange } from '../../../contract/change.ts'
import type { EntryView } from '../../../contract/entry.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Durability } from '../../../contract/store/write-options.ts'
import { isControl } from '../../../domain/control.ts'
import { given } from '../../../domain/given.ts'
import { shownIn } from '../../../domain/shown-in.ts'
import { listingOf } from '../metadata/stored-meta.ts'
import { viewOf } from '../reading/entry-view.ts'
import { movedNames } from './moved-names.ts'
import type { Plan } from './plan.ts'
import { isHard } from './strictest.ts'

/** Entries with more bytes than this together are not announced. Readers fetch them. */
const inlineBytes = 64 * 1024

/** The announcement of a commit. */
export function announceCommit(plan: Plan, { hot }: SessionRows, durability: Durability): SessionChange {
  const rows = plan.rows.filter((row) => !isControl(row.type))
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  const names = movedNames(plan)
  let entries: EntryView[] | undefined
  if (rows.length <= 256 && bytes <= inlineBytes)
    entries = rows.filter((row) => shownIn(plan.work.line, row).transcript).map(viewOf)
  return given({
    type: 'session' as const,
    key: hot.key,
    session: hot.session,
    version: hot.version,
    rows: rows.length > 4096 ? [] : rows.map(({ branch, order }) => ({ branch, order })),
    entries,
    // Names may lead to other sessions now.
    reload: plan.reload || names !== undefined || entries === undefined,
    names,
    erased: plan.erase.length > 0 ? (true as const) : undefined,
    listing: listingOf(hot),
    strict: isHard(durability) ? (true as const) : undefined,
  })
}
