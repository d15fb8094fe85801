// Plain JavaScript, because Node runs ensure-chromium.mjs, which needs it, without a build.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'

/** Flags for every Chromium a test starts: it may run as root, without a GPU, and must not call home. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The first two would draw pages for the address bar of each window that opens: a quarter of what a start costs.
  // Chromium heeds the last of these lists only, so the others are those of Playwright.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch',
]

/**
 * Finds a Chromium or Chrome that starts: the one `CHROME_PATH` names, else the system's, else Playwright's.
 *
 * @returns {string | undefined} the path of its executable
 * @throws {Error} when `CHROME_PATH` names something that doesn't start
 */
export function findChromium() {
  const named = process.env['CHROME_PATH']
  if (named) {
    if (starts(named)) return named
    throw new Error(
      `CHROME_PATH is "${named}", which is no browser that starts. Correct it, or unset it to search for one.`,
    )
  }
  return [...systemPaths(), chromium.executablePath()].find(starts)
}

/** @returns {string[]} */
function systemPaths() {
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  }
  if (process.platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => process.env[name] ?? [])
    return roots.flatMap((root) => [
      join(root, 'Google/Chrome/Application/chrome.exe'),
      join(root, 'Chromium/Application/chrome.exe'),
    ])
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  return names.flatMap((name) => folders.map((folder) => join(folder, name)))
}

/**
 * A file isn't enough: Ubuntu's `chromium-browser` is a stub without its snap, and a downloaded browser may lack
 * libraries.
 *
 * @param {string} path
 * @returns {boolean}
 */
function starts(path) {
  if (!existsSync(path)) return false
  // On Windows `--version` opens a window instead of answering.
  if (process.platform === 'win32') return true
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0
}
