import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { contents } from '../../site/contents.ts'
import { markdownIn } from '../support/documents.ts'
import { builtSite, filesOf, place } from './built-site.ts'

let folder: string
let pages: string[]
beforeAll(async () => {
  folder = await builtSite()
  pages = filesOf(folder, '.html').filter((file) => file !== 'live/tab.html')
})
const read = (file: string): string => readFileSync(join(folder, place, file), 'utf8')

/** Addresses in a page that lead nowhere: files that are not there, and anchors that their page lacks. */
function deadAddresses(file: string, html: string, files: ReadonlySet<string>): string[] {
  const addresses = [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, address]) => address!)
  return addresses.filter((address) => {
    if (/^[a-z]+:/.test(address)) return false
    const [path, anchor] = address.split('#') as [string, string?]
    const target = path === '' ? file : posix.join(dirname(file), path)
    if (!files.has(target)) return true
    return anchor !== undefined && !read(target).includes(` id="${anchor}"`)
  })
}

describe('the pages of the site', () => {
  it('are all documents that there are, each once', () => {
    const sources = contents.flatMap((section) => section.pages.map(({ source }) => source))
    expect(new Set(sources).size).toBe(sources.length)
    const written = ['docs', 'site/concepts', 'site/guides', 'site/live', 'site/moving'].flatMap(markdownIn)
    expect(written.filter((file) => !sources.includes(file))).toEqual([])
  })

  it('link only to what is there', () => {
    const files = new Set(filesOf(folder, ''))
    expect(pages.length).toBeGreaterThan(80)
    expect(pages.flatMap((file) => deadAddresses(file, read(file), files).map((dead) => `${file}: ${dead}`))).toEqual(
      [],
    )
    expect(deadAddresses('index.html', '<a href="nowhere.html">x</a><a href="#nothing">y</a>', files)).toHaveLength(2)
  })

  it('can be read one after the other, from the first to the last', () => {
    const order: string[] = []
    for (let page: string | undefined = 'index.html'; page !== undefined; ) {
      order.push(page)
      const next: string | undefined = /<a rel="next" href="([^"]*)"/.exec(read(page))?.[1]
      const before: string | undefined = order.at(-2)
      const previous = /<a rel="prev" href="([^"]*)"/.exec(read(page))?.[1]
      expect(previous && posix.join(dirname(page), previous)).toBe(before)
      page = next && posix.join(dirname(page), next)
    }
    expect([...order].sort()).toEqual([...pages].sort())
  })

  it('are there as Markdown too, whose links lead to Markdown that is there', () => {
    const files = new Set(filesOf(folder, ''))
    for (const page of pages) {
      const file = page.replace(/html$/, 'md')
      expect(files).toContain(file)
      const prose = read(file)
        .replace(/^```[\s\S]*?^```$/gm, '')
        .replace(/`[^`\n]*`/g, '')
      const dead = [...prose.matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
        .map(([, address]) => address!)
        .filter((address) => !/^[a-z]+:/.test(address))
        .filter((address) => !files.has(posix.join(dirname(file), address)))
      expect(dead, file).toEqual([])
    }
  })

  it('are all in llms.txt, and their text in llms-full.txt', () => {
    const listed = [...read('llms.txt').matchAll(/^- \[.+?\]\(([^)]+)\)/gm)].map(([, address]) => address!)
    expect(listed.sort()).toEqual(pages.map((page) => page.replace(/html$/, 'md')).sort())
    const full = read('llms-full.txt')
    for (const file of listed) expect(full.includes(read(file).trim()), file).toBe(true)
  })

  it('name no file of the machine that built them, and no address that begins at the root of a server', () => {
    for (const page of pages) {
      expect(read(page), page).not.toMatch(/\s(?:href|src)="\//)
      expect(read(page), page).not.toContain(folder)
    }
  })
})
