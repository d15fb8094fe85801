import type { Engine } from '../rig.ts'
import { startChromium } from './chromium.ts'
import type { DevTools } from './devtools.ts'
import { startFirefox } from './firefox.ts'
import type { ProcessGroup } from './process-group.ts'
import { startWebKit } from './webkit.ts'

export interface Launch {
  /** The folder of a profile, kept from start to start. */
  readonly profile: string
  /** One tab each. */
  readonly urls: readonly string[]
  /** Variables in addition, such as LD_PRELOAD. */
  readonly env?: Readonly<Record<string, string>>
  /** More command line flags. Chromium only. */
  readonly flags?: readonly string[]
}

export interface RunningBrowser extends ProcessGroup {
  /** Chromium's; the others have none. */
  readonly devtools?: DevTools
}

const STARTS = { chromium: startChromium, firefox: startFirefox, webkit: startWebKit }

/** Starts a browser as a person does, without a test driver in it, on a profile folder. */
export function startBrowser(engine: Engine, launch: Launch): Promise<RunningBrowser> {
  if (engine === 'node') throw new Error('Node is no browser.')
  return STARTS[engine](launch)
}
