import { h } from '../ui/dom.ts'

export interface PageEnds {
  /** Stands before the entries. */
  readonly earlier: HTMLElement
  /** Stands after them. */
  readonly later: HTMLElement
  /** Whether there is more than is shown, on either side. */
  show(isMore: { readonly earlier: boolean; readonly later: boolean }): void
  /** To be called when all of it is on the page. */
  watch(): void
}

/** Loads more of a conversation when the reader comes near an end of what is shown, or asks for it. */
export function createPageEnds(scroller: HTMLElement, onEarlier: () => void, onLater: () => void): PageEnds {
  const end = (side: string, run: () => void): HTMLElement =>
    h('button', { type: 'button', class: `text-button ${side}`, hidden: true, onclick: run }, `Load ${side} messages`)
  const earlier = end('earlier', onEarlier)
  const later = end('later', onLater)
  const reached = (run: () => void, rootMargin: string): IntersectionObserver =>
    new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && run(), {
      root: scroller,
      rootMargin,
    })
  const reachedTop = reached(onEarlier, '600px 0px 0px')
  const reachedEnd = reached(onLater, '0px 0px 600px')

  return {
    earlier,
    later,
    show(isMore) {
      earlier.hidden = !isMore.earlier
      later.hidden = !isMore.later
    },
    /** Anew each time: an observer only tells of changes, and after a short page the end of it may still be in view. */
    watch() {
      reachedTop.unobserve(earlier)
      reachedEnd.unobserve(later)
      if (!earlier.hidden) reachedTop.observe(earlier)
      if (!later.hidden) reachedEnd.observe(later)
    },
  }
}
