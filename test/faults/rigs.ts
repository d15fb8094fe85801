import type { Rig } from './rig.ts'
import { answeredKill } from './rigs/answered-kill.ts'
import { browserKill } from './rigs/browser-kill.ts'
import { clockJumps } from './rigs/clock-jumps.ts'
import { corruption } from './rigs/corruption.ts'
import { diskFull } from './rigs/disk-full.ts'
import { faultSweep } from './rigs/fault-sweep.ts'
import { hostileInput } from './rigs/hostile-input.ts'
import { powerCut } from './rigs/power-cut.ts'
import { quota } from './rigs/quota.ts'
import { stoppedTab } from './rigs/stopped-tab.ts'
import { storageProcessKill } from './rigs/storage-process-kill.ts'
import { streamKill } from './rigs/stream-kill.ts'
import { tabCrashAndFreeze } from './rigs/tab-crash-and-freeze.ts'
import { workerKill } from './rigs/worker-kill.ts'

/** Every rig, in the order of the table. A new one is a file in `rigs` and a line here. */
export const RIGS: readonly Rig[] = [
  browserKill,
  answeredKill,
  powerCut,
  workerKill,
  streamKill,
  corruption,
  storageProcessKill,
  quota,
  diskFull,
  tabCrashAndFreeze,
  stoppedTab,
  clockJumps,
  faultSweep,
  hostileInput,
]
