// The library's worker, on a device whose clock is wrong: workers know no address parameters, so its name says by how
// much.
import { acceptPages } from '../../worker/accept-pages.ts'
import { openCoreStore } from '../../worker/open-core-store.ts'
import { shiftClock } from './shift-clock.ts'

shiftClock(Number(self.name))
acceptPages(self, openCoreStore)
