import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import { Marked, type Tokens } from 'marked'
import { createAnchors } from './headings.ts'
import { escapeHtml } from './html.ts'
import { pictureAddress, rewriteLink } from './rewrite-links.ts'
import { projectFolder } from './site-folders.ts'
import type { SitePage } from './site-page.ts'

const languages = { bash, ini, javascript, json, nginx, typescript, xml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)
const aliases: Readonly<Record<string, string>> = {
  sh: 'bash',
  ts: 'typescript',
  tsx: 'typescript',
  js: 'javascript',
  html: 'xml',
}

/** A heading of a page, for the list of contents and the search. */
interface Heading {
  readonly level: number
  readonly text: string
  readonly anchor: string
}

/** A page as HTML, with the headings in it. */
export interface RenderedPage {
  readonly html: string
  readonly headings: readonly Heading[]
  /** Files of the repository that it shows, by their address on the site. */
  readonly pictures: ReadonlyMap<string, string>
}

export function renderMarkdown(page: SitePage, addresses: ReadonlyMap<string, string>): RenderedPage {
  const anchorOf = createAnchors()
  const headings: Heading[] = []
  const pictures = new Map<string, string>()
  const marked = new Marked({ gfm: true })
  marked.use({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const anchor = anchorOf(text)
        const inner = this.parser.parseInline(tokens)
        const plain = inner.replace(/<[^>]+>/g, '')
        headings.push({ level: depth, text: unescapeHtml(plain), anchor })
        if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`
        return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="Link to “${plain}”">#</a></h${depth}>\n`
      },
      code({ text, lang }: Tokens.Code) {
        const language = aliases[lang ?? ''] ?? lang ?? ''
        const code = hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escapeHtml(text)
        // A keyboard has to be able to scroll it.
        return `<pre tabindex="0"><code>${code}</code></pre>\n`
      },
      table({ header, rows, align }: Tokens.Table) {
        const style = (column: number): string => (align[column] === 'right' ? ' class="number"' : '')
        const head = header.map((cell, column) => {
          const inner = this.parser.parseInline(cell.tokens)
          // A heading without words is none.
          return inner === '' ? '<td></td>' : `<th scope="col"${style(column)}>${inner}</th>`
        })
        const body = rows.map(
          (row) =>
            `<tr>${row.map((cell, column) => `<td${style(column)}>${this.parser.parseInline(cell.tokens)}</td>`).join('')}</tr>`,
        )
        const top = head.every((cell) => cell === '<td></td>') ? '' : `<thead><tr>${head.join('')}</tr></thead>`
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>${top}<tbody>${body.join('\n')}</tbody></table></div>\n`
      },
      link({ href, title, tokens }: Tokens.Link) {
        const to = rewriteLink(href, page, addresses, '.html')
        const hint = title ? ` title="${escapeHtml(title)}"` : ''
        return `<a href="${escapeHtml(to)}"${hint}>${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }: Tokens.Image) {
        const file = posix.join(posix.dirname(page.source), href)
        const address = pictureAddress(href)
        pictures.set(address, file)
        if (file.endsWith('.svg')) return drawingOf(file, text)
        const to = posix.relative(posix.dirname(page.address), address)
        return `<span class="picture"><img src="${escapeHtml(to)}" alt="${escapeHtml(text)}"></span>`
      },
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text.startsWith('<!--') ? '' : text
      },
    },
  })
  const html = marked.parse(withTabs(page.markdown), { async: false })
  return { html, headings, pictures }
}

/** What stands between the marks is shown as tabs, one for each heading of the third level. */
function withTabs(markdown: string): string {
  return markdown.replace(/^<!-- tabs -->$/gm, '<div class="tabs">\n').replace(/^<!-- end of tabs -->$/gm, '\n</div>')
}

/** A drawing is part of the page, so that it takes the page's colours. */
function drawingOf(file: string, description: string): string {
  const svg = readFileSync(join(projectFolder, file), 'utf8')
  const label = `role="img" aria-label="${escapeHtml(description)}"`
  return `<span class="picture">${svg.slice(svg.indexOf('<svg')).replace('<svg', `<svg ${label}`)}</span>`
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
