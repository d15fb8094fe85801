import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CHROMIUM_ARGS } from '../../support/chromium.mjs'
import { pathOf } from '../needs.ts'
import type { Launch, RunningBrowser } from './browser.ts'
import { speakWith } from './devtools.ts'
import { startGroup } from './process-group.ts'

/** Starts Chromium without a window. */
export async function startChromium({
  profile,
  urls,
  env = {},
  flags = [],
}: Launch): Promise<RunningBrowser & Required<Pick<RunningBrowser, 'devtools'>>> {
  // What a killed one leaves behind to say that it runs.
  for (const file of await readdir(profile))
    if (file.startsWith('Singleton')) await rm(join(profile, file), { force: true })
  const group = startGroup(
    pathOf('chromium'),
    [...CHROMIUM_ARGS, '--headless', ...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
    env,
    ['pipe', 'pipe'],
  )
  const devtools = speakWith(group.child)
  for (const url of urls) await devtools.open(url)
  return Object.assign(group, { devtools })
}
