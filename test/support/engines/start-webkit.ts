import { join } from 'node:path'
import { findWebKit } from './find-webkit.mjs'
import { startProcessGroup } from './process-group.ts'
import type { StartedBrowser } from './started-browser.ts'
import { makeTemporaryProfile } from './temporary-profile.ts'
import { startVirtualDisplay } from './virtual-display.ts'

/**
 * Starts WebKitGTK's MiniBrowser on a display of its own. Not by WebDriver: its sessions are private ones, which keep
 * nothing on disk, and what is under test here is storage.
 */
export async function startWebKit(url: string): Promise<StartedBrowser> {
  const path = findWebKit()
  if (path === undefined)
    throw new Error(
      'No MiniBrowser of WebKitGTK found. Install it (Debian: webkit2gtk-driver), or name it in WEBKIT_PATH.',
    )
  const display = await startVirtualDisplay()
  const { folder, remove } = makeTemporaryProfile('webkit')
  const env = {
    ...process.env,
    DISPLAY: display.name,
    GDK_BACKEND: 'x11',
    HOME: folder,
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_DATA_HOME: join(folder, 'data'),
    XDG_RUNTIME_DIR: folder,
    // There is no graphics card here, and no namespace for a sandbox where tests run as root.
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
  }
  const { gone, end } = startProcessGroup(path, [url], { env })
  return {
    gone,
    end: async () => {
      await end()
      await display.end()
      remove()
    },
  }
}
