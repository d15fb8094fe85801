import type { SessionStore } from '../../contract/store/session-store.ts'
import type { TermOptions } from '../../contract/term.ts'
import { namesOf } from '../../domain/names-of.ts'
import type { ChangeFeed } from '../session/change-feed.ts'
import { checkRetention } from './check-retention.ts'
import { inOneTab } from './in-one-tab.ts'
import { retain } from './retain.ts'
import type { RetentionPolicy, RetentionReport } from './retention-policy.ts'

/** The store that a policy applies to. */
export interface RetainedPlace {
  readonly store: SessionStore
  /** Name of the database. */
  readonly name: string
  readonly feed: Pick<ChangeFeed, 'emit' | 'ending'>
}

/**
 * Runs a policy, unless another tab does, and reports the result by the notice `retained`.
 *
 * @throws InvalidInput for a bad policy
 */
export async function retainOnce(
  { store, name, feed }: RetainedPlace,
  policy: RetentionPolicy,
  { dryRun = false, term }: { readonly dryRun?: boolean } & TermOptions = {},
): Promise<RetentionReport> {
  checkRetention(policy)
  const run = (): Promise<RetentionReport> =>
    retain(store, policy, { name, dryRun, signal: feed.ending, ...(term === undefined ? {} : { term }) })
  // A dry run disturbs no other tab.
  const report = dryRun ? await run() : await inOneTab(`${namesOf(name)}:retention`, run)
  if (report === undefined) return { dryRun, isBusy: true, done: [], kept: [], failed: [] }
  const { done, failed } = report
  if (!dryRun && done.length + failed.length > 0) {
    const what = ['archive', 'compact', 'delete', 'purge'].flatMap((action) => {
      const count = done.filter((one) => one.action === action).length
      return count === 0 ? [] : [`${action} ${count}`]
    })
    const failure = failed.length === 0 ? '' : ` ${failed.length} failed: ${failed[0]!.message}`
    feed.emit({
      type: 'notice',
      name: 'retained',
      keys: done.map(({ key }) => key),
      message: `Sessions beyond the limits of the retention policy: ${what.join(', ') || 'nothing was done'}.${failure}`,
    })
  }
  return report
}
