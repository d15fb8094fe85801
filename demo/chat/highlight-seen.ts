import DOMPurify from 'dompurify'

/** Characters of a block beyond which colours would cost more than they help. */
const longest = 50_000

const languages = new WeakMap<Element, string>()
const purifier = DOMPurify()
let seen: IntersectionObserver | undefined

/**
 * Colours a block of code when it comes into view. The highlighter is loaded for the first one; until then, and in
 * languages it does not know, the code stays as it is.
 */
export function highlightWhenSeen(code: HTMLElement, language: string): void {
  if ((code.textContent ?? '').length > longest) return
  languages.set(code, language)
  seen ??= new IntersectionObserver(colourSeen, { rootMargin: '400px 0px' })
  seen.observe(code)
}

function colourSeen(changes: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of changes) {
    if (!isIntersecting) continue
    seen?.unobserve(target)
    // Colours are a comfort: without the highlighter, as after a release that replaced it, code can be read and copied.
    colour(target).catch((error: unknown) => console.warn('Code is shown without colours.', error))
  }
}

async function colour(code: Element): Promise<void> {
  const { highlighted } = await import('./highlighter.ts')
  const html = highlighted(code.textContent ?? '', languages.get(code) ?? '')
  if (html === undefined) return
  code.replaceChildren(
    purifier.sanitize(html, { RETURN_DOM_FRAGMENT: true, ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] }),
  )
}
