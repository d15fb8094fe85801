import { it } from 'vitest'
import { accountRuns, runAccounts } from './run-accounts.ts'

// Two files, so that both cores work.
it(
  'shows the same on all devices and loses nothing, whatever is purged, begun anew and brought back (2 of 2)',
  async () => {
    await runAccounts(1, 2)
  },
  120_000 + accountRuns * 2_000,
)
