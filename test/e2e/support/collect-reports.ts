import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What browsers report of a policy that was broken. */
export interface PolicyReports {
  /** To be named in `report-uri`. */
  readonly url: string
  /** The directives, with what was blocked, in the order in which the reports came. */
  readonly broken: string[]
  close(): Promise<void>
}

/** Takes the reports of pages and of workers, which no page hears of. */
export async function collectReports(): Promise<PolicyReports> {
  const broken: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += String(part)))
    request.on('end', () => {
      const report = (JSON.parse(text) as { readonly 'csp-report': Readonly<Record<string, string>> })['csp-report']
      broken.push(`${report['effective-directive']} ${report['blocked-uri']}`)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    broken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
