/** Every text that an element has shown, in order. */
export interface Frames {
  /** From the beginning, or since the last `clear`. */
  all(): readonly string[]
  clear(): void
  stop(): void
}

export function watchFrames(element: Element): Frames {
  let frames: string[] = []
  const take = (): void => {
    const text = element.textContent ?? ''
    if (text !== frames.at(-1)) frames.push(text)
  }
  const observer = new MutationObserver(take)
  observer.observe(element, { subtree: true, childList: true, characterData: true })
  return {
    all: () => {
      if (observer.takeRecords().length > 0) take()
      return frames
    },
    clear: () => {
      observer.takeRecords()
      frames = []
    },
    stop: () => observer.disconnect(),
  }
}
