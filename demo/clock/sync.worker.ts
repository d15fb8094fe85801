// The library's sync worker, on a device whose clock is wrong: workers know no address parameters, so its name says by
// how much.
import { openFullStore } from '../../worker/open-full-store.ts'
import { acceptSync } from '../../worker/sync-host.ts'
import { shiftClock } from './shift-clock.ts'

shiftClock(Number(self.name))
acceptSync(self, openFullStore)
