import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathOf } from '../needs.ts'
import type { Launch, RunningBrowser } from './browser.ts'
import { startGroup } from './process-group.ts'

/**
 * Preferences for every Firefox: no first run, no safe mode after crashes, no restored tabs, nothing from elsewhere.
 */
const PREFERENCES: Readonly<Record<string, boolean | number | string>> = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.sessionstore.resume_from_crash': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'browser.tabs.warnOnClose': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.startup.max_resumed_crashes': -1,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
}

/** Starts Firefox without a window. */
export async function startFirefox({
  profile,
  urls,
  env = {},
  preferences = {},
}: Launch & { readonly preferences?: typeof PREFERENCES }): Promise<RunningBrowser> {
  for (const file of ['lock', '.parentlock']) await rm(join(profile, file), { force: true })
  const lines = Object.entries({ ...PREFERENCES, ...preferences }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  await writeFile(join(profile, 'user.js'), `${lines.join('\n')}\n`)
  return startGroup(pathOf('firefox'), ['--headless', '--no-remote', '--profile', profile, ...urls], {
    MOZ_CRASHREPORTER_DISABLE: '1',
    ...env,
  })
}
