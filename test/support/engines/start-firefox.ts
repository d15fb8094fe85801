import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFirefox } from './find-firefox.mjs'
import { startProcessGroup } from './process-group.ts'
import type { StartedBrowser } from './started-browser.ts'
import { makeTemporaryProfile } from './temporary-profile.ts'

/** What differs from a new profile: no pages besides ours, no calls home. How Firefox stores is left alone. */
const preferences: Readonly<Record<string, boolean | number | string>> = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  // Tests that keep a page busy on purpose are not to be asked about.
  'dom.max_script_run_time': 0,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.enabled': false,
}

/**
 * Starts the Firefox that the tests found, without a window. It needs no driver: tests of vitest talk to their page
 * themselves.
 *
 * @param more - preferences on top, such as those of a private window
 */
export async function startFirefox(url: string, more: typeof preferences = {}): Promise<StartedBrowser> {
  const path = findFirefox()
  if (path === undefined) throw new Error('No Firefox found. Install one, or name it in FIREFOX_PATH.')
  const { folder, remove } = makeTemporaryProfile('firefox')
  const lines = Object.entries({ ...preferences, ...more }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  writeFileSync(join(folder, 'user.js'), lines.join('\n'))
  const env = { ...process.env, HOME: folder, MOZ_CRASHREPORTER_DISABLE: '1' }
  const { gone, end } = startProcessGroup(path, ['--headless', '--no-remote', '--profile', folder, url], { env })
  return {
    gone,
    end: async () => {
      await end()
      remove()
    },
  }
}
