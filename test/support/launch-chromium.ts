import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM_ARGS, findChromium } from './chromium.mjs'

/** Starts the Chromium that the tests found, without a window. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('No Chromium found. Install one, or name it in CHROME_PATH.')
  return chromium.launch({ executablePath, args: CHROMIUM_ARGS })
}
