import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import { markdownText, renderMarkdown } from '../../demo/ui/markdown.ts'

/** Ways in which a page was made to run what a text said. Each would leave a mark on the window. */
const vectors = [
  '<script>hacked=1</script>',
  '<img src=x onerror=hacked=1>',
  '<svg onload=hacked=1>',
  '<svg><animate onbegin=hacked=1 attributeName=x dur=1s>',
  '<iframe srcdoc="<script>parent.hacked=1</script>">',
  '<a href="javascript:hacked=1">x</a>',
  '[x](javascript:hacked=1)',
  '[x](JaVaScRiPt:hacked=1)',
  '[x](&#106;avascript:hacked=1)',
  '[x](java\tscript:hacked=1)',
  '[x](data:text/html,<script>hacked=1</script>)',
  '![x](javascript:hacked=1)',
  '![x](x"onerror="hacked=1)',
  '<javascript:hacked=1>',
  '[x]: javascript:hacked=1\n\n[x]',
  '[x](https://a.example "" onclick=hacked=1")',
  '[x](<https://a.example/" onmouseover="hacked=1>)',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=hacked=1&gt;">',
  '<details open ontoggle=hacked=1>',
  '<input autofocus onfocus=hacked=1>',
  '<form action=javascript:hacked=1><button>x',
  '<noscript><p title="</noscript><img src=x onerror=hacked=1>">',
  '<template><script>hacked=1</script></template>',
  '<base href=javascript:/><a href=hacked=1>x</a>',
  '<object data="javascript:hacked=1">',
  '<embed src="javascript:hacked=1">',
  '<style>@import "javascript:hacked=1"</style>',
  '<p style="background:url(javascript:hacked=1)">',
  '<meta http-equiv=refresh content="0;url=javascript:hacked=1">',
  '<body onload=hacked=1>',
  '`<img src=x onerror=hacked=1>`',
  '| a |\n| - |\n| <img src=x onerror=hacked=1> |',
  '```html\n</code></pre><img src=x onerror=hacked=1>\n```',
  '<br onmouseover=hacked=1>',
  '<x id=__proto__ onclick=hacked=1>',
  '<a id=purifier name=sanitize>',
]

const places: HTMLElement[] = []
afterEach(() => places.splice(0).forEach((place) => place.remove()))

/** Puts it into the page, as the demo does, and gives what of it is dangerous. */
function dangersOf(source: string): string[] {
  const place = document.body.appendChild(document.createElement('div'))
  places.push(place)
  place.append(renderMarkdown(source))
  const dangers: string[] = []
  for (const element of place.querySelectorAll('*')) {
    if (
      /^(script|style|iframe|object|embed|img|svg|math|form|input|button|base|meta|link|template)$/i.test(
        element.nodeName,
      )
    )
      dangers.push(`<${element.nodeName}>`)
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^src|^id$|^name$/i.test(name) || /^[\s\u0000-\u0020]*(javascript|data|vbscript):/i.test(value))
        dangers.push(`${name}="${value}"`)
    }
  }
  place.remove()
  return dangers
}

/** Vectors, whole and cut up, between what markdown is made of. */
const sources = fc
  .array(
    fc.oneof(
      fc.constantFrom(...vectors),
      fc
        .tuple(fc.constantFrom(...vectors), fc.nat(), fc.nat())
        .map(([vector, from, to]) => vector.slice(from % vector.length, (to % vector.length) + 1)),
      fc.constantFrom(
        '[',
        '](',
        ')',
        '<',
        '>',
        '"',
        "'",
        '`',
        '```',
        '\n',
        '\n\n',
        '> ',
        '- ',
        '| ',
        '![',
        '<!--',
        '-->',
        '&lt;',
        '&#x3c;',
        '\\',
        '\u0000',
        '<![CDATA[',
        ' ',
      ),
      fc.string({ maxLength: 5 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

it('lets nothing of a message run, nor any element or attribute stay that could', async () => {
  for (const vector of vectors) expect(dangersOf(vector), vector).toEqual([])
  fc.assert(
    fc.property(sources, (source) => dangersOf(source).length === 0),
    { seed: 20_261_122, numRuns: 2_000 },
  )
  // Handlers of what loads run in tasks of their own.
  await new Promise((resolve) => setTimeout(resolve))
  expect((globalThis as { hacked?: unknown }).hacked).toBeUndefined()
})

it('reads a text out without its marks', () => {
  expect(markdownText('# A *title*\n\n- one `two`\n- [three](https://a.example)\n\n```ts\nconst four = 4\n```')).toBe(
    'A title one two three const four = 4',
  )
  expect(markdownText('| a | b |\n| - | - |\n| 1 | 2 |\n\n> five\n> six')).toBe('a b 1 2 five six')
})
