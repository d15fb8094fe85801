import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathOf } from '../needs.ts'
import type { Launch, RunningBrowser } from './browser.ts'
import { useDisplay } from './display.ts'
import { startGroup } from './process-group.ts'

/**
 * Starts WebKitGTK's MiniBrowser. What it keeps goes by the folders of the desktop's user, so those are the profile.
 */
export async function startWebKit({ profile, urls, env = {} }: Launch): Promise<RunningBrowser> {
  const folders = {
    XDG_DATA_HOME: join(profile, 'data'),
    XDG_CACHE_HOME: join(profile, 'cache'),
    XDG_CONFIG_HOME: join(profile, 'config'),
  }
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true })
  return startGroup(pathOf('webkit'), urls, {
    ...folders,
    DISPLAY: await useDisplay(),
    // Tests may run as root, without a GPU, and without a session bus.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    NO_AT_BRIDGE: '1',
    ...env,
  })
}
