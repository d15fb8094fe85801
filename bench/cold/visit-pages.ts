import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { CHROMIUM_ARGS, findChromium } from '../../test/support/chromium.mjs'
import type { Marks } from './page/names.ts'

/** How long the machine may settle after a visit. */
const restMs = 300
/** How long all visits of a browser may take together. */
const patienceMs = 60_000

/**
 * Starts a browser on a profile and visits pages, each in a tab of its own. Nothing is attached to the browser: a tool
 * that watches a page stops its workers until they are watched too, and runs code of its own while the page loads.
 *
 * @param urls - each page sends its marks to the address in `report`, and opens the page that it is answered with
 * @returns the marks of each visit
 */
export async function visitPages(profile: string, urls: readonly string[]): Promise<readonly Marks[]> {
  const marks: Marks[] = []
  let done: () => void = () => undefined
  const finished = new Promise<void>((resolve) => (done = resolve))
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    marks.push(JSON.parse(Buffer.concat(parts).toString()) as Marks)
    const next = urls[marks.length]
    await setTimeout(restMs)
    response
      .writeHead(200, { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' })
      .end(next === undefined ? '' : reporting(next))
    if (next === undefined) done()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const reporting = (url: string): string =>
    `${url}&report=${encodeURIComponent(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)}`
  const browser = spawn(
    findChromium()!,
    [...CHROMIUM_ARGS, '--headless', '--disable-popup-blocking', `--user-data-dir=${profile}`, reporting(urls[0]!)],
    { stdio: 'ignore', timeout: patienceMs },
  )
  const ended = once(browser, 'exit')
  try {
    await Promise.race([finished, ended])
    if (marks.length < urls.length)
      throw new Error(`Only ${marks.length} of ${urls.length} pages sent their marks within ${patienceMs / 1000} s.`)
    return marks
  } finally {
    browser.kill()
    await ended
    server.close()
    server.closeAllConnections()
  }
}
