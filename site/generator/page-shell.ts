import { posix } from 'node:path'
import { escapeHtml } from './html.ts'
import type { RenderedPage } from './render-markdown.ts'
import { type SitePage, type SiteSection, summaryOf, titleOf } from './site-page.ts'

/** Of the page whose parts run in the reader's browser. */
const liveScripts = ['playground', 'bench']
  .map((name) => `\n<script type="module" src="../assets/${name}.js"></script>`)
  .join('')

/**
 * On a narrow screen the list of pages would stand in front of the text. It is folded before it is drawn: what the
 * script of the page folds later makes the text jump. Without JavaScript it stays open, because on a wide screen nothing
 * could open it.
 */
const foldNarrow =
  "<script>if (matchMedia('(max-width: 50rem)').matches) document.currentScript.parentNode.open = false</script>"

/** A whole page: the header with the search, the navigation, the text, and what is on this page. */
export function pageShell(page: SitePage, { html, headings }: RenderedPage, sections: readonly SiteSection[]): string {
  const from = posix.dirname(page.address)
  const to = (address: string): string => posix.relative(from, address)
  const isStart = page.address === 'index'
  const title = isStart ? 'keepsession: conversations that stay' : `${titleOf(page)} · keepsession`
  const parts = headings.filter(({ level }) => level === 2)
  const contents =
    parts.length < 3
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${parts
          .map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`)
          .join('')}</ul></nav>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(summaryOf(page))}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${to('icon.svg')}" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${posix.basename(page.address)}.md">
<link rel="stylesheet" href="${to('assets/site.css')}">
<noscript><style>.search { display: none }</style></noscript>
<script type="module" src="${to('assets/site.js')}" data-root="${to('.') || '.'}"></script>${page.address === 'live/index' ? liveScripts : ''}
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header class="top">
<a class="brand" href="${to('index.html')}">keepsession</a>
<form class="search" role="search">
<label for="query">Search</label>
<input id="query" type="search" autocomplete="off" placeholder="Search">
<div class="hits" aria-live="polite" hidden></div>
</form>
<a class="repository" href="https://github.com/keepsession/keepsession">GitHub</a>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
<details open>${foldNarrow}<summary>Pages</summary>
${sections.map((section) => sectionOf(section, page, to)).join('\n')}
</details>
</nav>
<main id="text" tabindex="-1">
${html}
<footer>${neighboursOf(sections, page, to)}<a href="${posix.basename(page.address)}.md">This page as Markdown</a></footer>
</main>
${contents}
</div>
</body>
</html>
`
}

/** Links to the page before and the one after, in the order of the navigation. */
function neighboursOf(sections: readonly SiteSection[], shown: SitePage, to: (address: string) => string): string {
  const pages = sections.flatMap((section) => section.pages)
  const at = pages.findIndex(({ address }) => address === shown.address)
  const link = (page: SitePage | undefined, rel: 'prev' | 'next', label: string): string =>
    page === undefined
      ? ''
      : `<a rel="${rel}" href="${to(page.address)}.html"><span>${label}</span> ${escapeHtml(titleOf(page))}</a>`
  return `<nav class="neighbours" aria-label="Next and previous page">${link(pages[at - 1], 'prev', 'Previous')}${link(pages[at + 1], 'next', 'Next')}</nav>`
}

function sectionOf({ title, pages }: SiteSection, shown: SitePage, to: (address: string) => string): string {
  const links = pages.map((page) => {
    const current = page.address === shown.address ? ' aria-current="page"' : ''
    return `<li><a href="${to(page.address)}.html"${current}>${escapeHtml(titleOf(page))}</a></li>`
  })
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${links.join('')}</ul>`
}
