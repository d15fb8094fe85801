/** Opening HTML tags that would affect the text after a message, until they are closed. */
const swallowing =
  /<(?=!|\?|\/?(?:details|summary|script|style|pre|textarea|title|iframe|table|div|ul|ol|select|template|svg|math|noscript|plaintext|xmp)\b)/gi

/** Inline code, in which `&lt;` would be shown literally. */
const codeOr = new RegExp(`(\`+)(?!\`)[^\\n]*?[^\`\\n]\\1(?!\`)|${swallowing.source}`, 'gi')

/**
 * Makes Markdown self-contained: a code block that is still open is closed, and HTML that would affect the text after
 * it is shown as text. Everything else stays as it is.
 */
export function contained(text: string): string {
  let fence: { readonly mark: string; readonly length: number } | undefined
  const lines = text.split('\n').map((line) => {
    const [, run = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (fence !== undefined) {
      if (run.startsWith(fence.mark) && run.length >= fence.length && rest.trim() === '') fence = undefined
      return line
    }
    if (run !== '' && !(run.startsWith('`') && rest.includes('`'))) {
      fence = { mark: run[0]!, length: run.length }
      return line
    }
    return line.replace(codeOr, (found) => (found.startsWith('`') ? found : `&lt;${found.slice(1)}`))
  })
  if (fence !== undefined) lines.push((fence as { mark: string }).mark.repeat((fence as { length: number }).length))
  return lines.join('\n')
}

/** A code block for any text: its fence is longer than every run of backticks in the text. */
export function fenced(text: string, language = ''): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** A text on one line, without meaning as Markdown or HTML. */
export function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|~!&]/g, (character) =>
      character === '<' ? '&lt;' : character === '&' ? '&amp;' : `\\${character}`,
    )
}
