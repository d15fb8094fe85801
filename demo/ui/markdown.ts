import DOMPurify from 'dompurify'
import { Marked, type Tokens } from 'marked'

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // Loading a picture would tell its server that this conversation was read, so it becomes a link.
    image: ({ href, text }: Tokens.Image) =>
      `<a href="${escapeText(href)}">${escapeText(text || 'picture')} (picture)</a>`,
    // Models write `<br>` into tables; any other HTML is shown, not obeyed.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^<br\s*\/?>$/i.test(text.trim()) ? '<br>' : escapeText(text)),
    code: ({ text, lang = '' }: Tokens.Code) =>
      `<pre><code data-language="${escapeText(/^[\w+#.-]*/.exec(lang)?.[0].toLowerCase() ?? '')}">${escapeText(text)}\n</code></pre>`,
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
  },
})

const purifier = DOMPurify()
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
})

/** Markdown as sanitised elements: no scripts, no styles, no forms, nothing that loads by itself. */
export function renderMarkdown(source: string): DocumentFragment {
  return purifier.sanitize(marked.parse(source, { async: false }), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [
      ...[
        'a',
        'blockquote',
        'br',
        'code',
        'del',
        'em',
        'h1',
        'h2',
        'h3',
        'h4',
        'h5',
        'h6',
        'hr',
        'li',
        'ol',
        'p',
        'pre',
        'strong',
      ],
      ...['table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
    ],
    ALLOWED_ATTR: ['href', 'align', 'start', 'title'],
    // Else their values would have to be addresses.
    ADD_URI_SAFE_ATTR: ['align', 'start'],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  })
}

/** What Markdown says, without its marks: for a screen reader. */
export function markdownText(source: string): string {
  const content = renderMarkdown(source)
  // Between blocks the source has a new line; a line break within one would join two words.
  for (const lineBreak of content.querySelectorAll('br')) lineBreak.replaceWith(' ')
  return (content.textContent ?? '').replace(/\s+/g, ' ').trim()
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeText = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)
