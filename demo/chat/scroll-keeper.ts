/** Closer to the end than this counts as being there, in pixels. */
const nearEnd = 48

export interface ScrollKeeper {
  /**
   * Changes the content without moving what the reader sees; at the end it stays at the end.
   *
   * @param items - the element whose children are the items read
   */
  keep(items: HTMLElement, change: () => void): void
  /** Goes to the end and stays there while the content grows. */
  toEnd(): void
  /** While it is held, the end is not followed: it is not the end of the conversation. */
  hold(isHeld: boolean): void
}

/**
 * Follows the end of a growing list only while the reader is there, and keeps the place when content is put in above.
 */
export function createScrollKeeper(
  scroller: HTMLElement,
  content: HTMLElement,
  onFollow: (following: boolean) => void,
): ScrollKeeper {
  let following = true
  let held = false

  const distance = () => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop
  const setFollowing = (now: boolean) => {
    if (now === following) return
    following = now
    onFollow(now)
  }
  const toEnd = () => {
    setFollowing(true)
    scroller.scrollTop = scroller.scrollHeight
  }

  let lastTop = 0
  scroller.addEventListener(
    'scroll',
    () => {
      // Content that grows below moves nothing; only a move upwards is the reader's wish to stay.
      const up = scroller.scrollTop < lastTop
      lastTop = scroller.scrollTop
      if (!held && distance() <= nearEnd) setFollowing(true)
      else if (up) setFollowing(false)
    },
    { passive: true },
  )

  const follow = new ResizeObserver(() => {
    if (following) scroller.scrollTop = scroller.scrollHeight
  })
  follow.observe(content)
  follow.observe(scroller)

  return {
    hold(isHeld) {
      held = isHeld
      if (held) setFollowing(false)
    },
    keep(items, change) {
      if (following) {
        change()
        scroller.scrollTop = scroller.scrollHeight
        return
      }
      const anchor = firstVisible(scroller, items)
      const before = anchor?.getBoundingClientRect().top
      change()
      if (anchor?.isConnected === true && before !== undefined)
        scroller.scrollTop += anchor.getBoundingClientRect().top - before
    },
    toEnd,
  }
}

/** The first item that reaches into view: what the reader looks at. */
function firstVisible(scroller: HTMLElement, items: HTMLElement): Element | undefined {
  const top = scroller.getBoundingClientRect().top
  return [...items.children].find((item) => item.getBoundingClientRect().bottom > top)
}
