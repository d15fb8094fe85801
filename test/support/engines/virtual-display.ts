import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { startProcessGroup } from './process-group.ts'

export interface VirtualDisplay {
  /** As in `DISPLAY`. */
  readonly name: string
  end(): Promise<void>
}

const patienceMs = 20_000

/** Starts an X server without a screen, on a number that it finds free itself. */
export async function startVirtualDisplay(): Promise<VirtualDisplay> {
  // It writes its number to the fourth stream once it takes connections.
  const { child, gone, end } = startProcessGroup(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  )
  const number = once(child.stdio[3] as Readable, 'data', { signal: AbortSignal.timeout(patienceMs) })
  const said = await Promise.race([number, gone]).catch(() => undefined)
  if (said === undefined) {
    await end()
    throw new Error('Xvfb, which gives WebKitGTK a display, did not start. Install it (Debian: xvfb).')
  }
  return { name: `:${String(said[0]).trim()}`, end }
}
