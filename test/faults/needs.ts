import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findChromium } from '../support/chromium.mjs'
import type { Engine } from './rig.ts'

/** The places of Debian's packages; other systems name theirs in the variable. */
const MINI_BROWSERS = [
  '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
  '/usr/libexec/webkit2gtk-4.1/MiniBrowser',
]

interface Tool {
  readonly find: () => string | undefined
  readonly howToGet: string
}

const TOOLS: Readonly<Record<string, Tool>> = {
  chromium: { find: findChromium, howToGet: 'apt-get install chromium, or name one in CHROME_PATH' },
  firefox: {
    find: () => process.env['FIREFOX_PATH'] ?? inPath('firefox-esr') ?? inPath('firefox'),
    howToGet: 'apt-get install firefox-esr, or name one in FIREFOX_PATH',
  },
  webkit: {
    find: () => process.env['MINIBROWSER_PATH'] ?? MINI_BROWSERS.find(existsSync),
    howToGet: 'apt-get install webkit2gtk-driver, or name MiniBrowser in MINIBROWSER_PATH',
  },
  Xvfb: { find: () => inPath('Xvfb'), howToGet: 'apt-get install xvfb' },
  gcc: { find: () => inPath('gcc'), howToGet: 'apt-get install gcc libc6-dev' },
  'mount as root': {
    find: () => (process.getuid?.() === 0 ? inPath('mount') : undefined),
    howToGet: 'run it as root on Linux: it mounts a small tmpfs',
  },
}

/** What an engine can't be started without. */
const OF_ENGINE: Readonly<Record<Engine, readonly string[]>> = {
  chromium: ['chromium'],
  firefox: ['firefox'],
  webkit: ['webkit', 'Xvfb'],
  node: [],
}

/** Which tools are not here, each with how to get it. */
export function missingTools(engine: Engine, names: readonly string[]): string[] {
  return [...OF_ENGINE[engine], ...names]
    .filter((name) => toolOf(name).find() === undefined)
    .map((name) => `${name} is missing: ${toolOf(name).howToGet}`)
}

/** @throws Error when it is not here, saying how to get it */
export function pathOf(name: string): string {
  const path = toolOf(name).find()
  if (path === undefined) throw new Error(`${name} is missing: ${toolOf(name).howToGet}`)
  return path
}

function toolOf(name: string): Tool {
  const tool = TOOLS[name]
  if (tool === undefined) throw new Error(`No tool is called "${name}". There are: ${Object.keys(TOOLS).join(', ')}.`)
  return tool
}

function inPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)
}
