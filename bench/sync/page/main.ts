import { storeBareRows } from './bare-rows.ts'
import { receiveSessions } from './our-many-sessions.ts'
import { openOurs } from './our-page-device.ts'
import type { PageDevice, PageDeviceOptions } from './page-device.ts'
import { openTinybase } from './tinybase-page-device.ts'
import { openYMap } from './y-map-page-device.ts'

const openers = {
  ours: openOurs,
  yMap: openYMap,
  tinybase: openTinybase,
  // Its WebAssembly is not to be in the memory of the others.
  automerge: async (options: PageDeviceOptions): Promise<PageDevice> =>
    (await import('./automerge-page-device.ts')).openAutomerge(options),
}
export type PageContender = keyof typeof openers

/** What the bench calls from outside. */
export interface SyncBenchWindow {
  readonly openDevice: (contender: PageContender, options: PageDeviceOptions) => Promise<void>
  readonly receiveSessions: typeof receiveSessions
  readonly storeBareRows: typeof storeBareRows
  device: PageDevice
}

const page: Omit<SyncBenchWindow, 'device'> = {
  openDevice: async (contender, options) =>
    void Object.assign(globalThis, { device: await openers[contender](options) }),
  receiveSessions,
  storeBareRows,
}
Object.assign(globalThis, page)
