import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the project. */
export const project = fileURLToPath(new URL('../..', import.meta.url))

/** A document that people read. */
export interface Document {
  /** Below the project. */
  readonly path: string
  readonly text: string
}

/** A fenced block of a document. */
export interface Block {
  /** File and line, to be found again. */
  readonly place: string
  readonly language: string
  readonly code: string
  /** What `<!-- needs: … -->` before it names: what the reader has already. */
  readonly needs: readonly string[]
}

/** One command of a `sh` block. */
export interface Command {
  readonly place: string
  readonly text: string
}

export const readDocument = (path: string): Document => ({ path, text: readFileSync(join(project, path), 'utf8') })

/** The documents whose blocks are compiled or run. */
export function manuals(): Document[] {
  const folders = ['docs', 'site', 'site/concepts', 'site/guides', 'site/live', 'site/moving']
  const files = folders.flatMap((folder) => markdownIn(folder))
  return ['README.md', 'server/README.md', ...files].map(readDocument)
}

/** The Markdown files of a folder, below the project. */
export const markdownIn = (folder: string): string[] =>
  readdirSync(join(project, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`)

export function blocksOf({ path, text }: Document): Block[] {
  const blocks: Block[] = []
  const lines = text.split('\n')
  let open: { indent: string; language: string; from: number; needs: readonly string[] } | undefined
  let needs: readonly string[] = []
  for (const [i, line] of lines.entries()) {
    const fence = /^(\s*)```(.*)$/.exec(line)
    if (open === undefined && fence === null) {
      const declared = /^<!-- needs: (.+) -->$/.exec(line.trim())
      if (declared !== null) needs = declared[1]!.split(',').map((name) => name.trim())
      else if (line.trim() !== '') needs = []
    } else if (open === undefined) {
      open = { indent: fence![1]!, language: fence![2]!.trim(), from: i + 1, needs }
      needs = []
    } else if (fence !== null) {
      const { indent, language, from } = open
      const code = lines
        .slice(from, i)
        .map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one))
        .join('\n')
      blocks.push({ place: `${path}:${from}`, language, code, needs: open.needs })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${path}:${open.from} opens a block that nothing closes.`)
  return blocks
}

/** The one block with this in it, of all documents whose blocks are run. @throws when none has it */
export function blockWith(words: string): Block {
  const block = manuals()
    .flatMap(blocksOf)
    .find(({ code }) => code.includes(words))
  if (block === undefined) throw new Error(`No document has a block with "${words}".`)
  return block
}

/** Commands of all `sh` blocks: lines without their comments, taken apart at `&&`. */
export function commandsOf(document: Document): Command[] {
  return blocksOf(document)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ place, code }) =>
      code
        .split('\n')
        .map((line) => line.replace(/(^|\s)#.*$/, ''))
        .flatMap((line) => line.split('&&'))
        .map((text) => ({ place, text: text.trim() }))
        .filter(({ text }) => text !== ''),
    )
}

/** The text without its blocks. */
export const proseOf = ({ text }: Document): string => text.replace(/^([ \t]*)```[\s\S]*?^\1```$/gm, '')

/** The anchors that GitHub gives the headings. */
function anchorsOf(document: Document): string[] {
  const seen = new Map<string, number>()
  return [...proseOf(document).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const slug = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}

/** Links that lead nowhere: files that are not there, and headings that their file doesn't have. */
export function deadLinks(document: Document, read: (path: string) => Document | undefined): string[] {
  // What stands in code is no link.
  const prose = proseOf(document).replace(/`[^`\n]*`/g, '``')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, href]) => href!)
    .filter((href) => {
      if (/^[a-z]+:/.test(href)) return false
      const [path, anchor] = href.split('#') as [string, string?]
      const target = path === '' ? document : read(join(dirname(document.path), path))
      return target === undefined || (anchor !== undefined && !anchorsOf(target).includes(anchor))
    })
}

/**
 * Scripts that a document tells people to run: `npm run x`, `npm start`, `npm test`, and names like `test:x` in code.
 */
export function scriptsNamedIn({ text }: Document): string[] {
  const run = [...text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!)
  const short = [...text.matchAll(/\bnpm (start|test)\b/g)].map(([, name]) => name!)
  const alone = [...text.matchAll(/`((?:test|bench|demo):[\w-]+)`/g)].map(([, name]) => name!)
  return [...new Set([...run, ...short, ...alone])].sort()
}
