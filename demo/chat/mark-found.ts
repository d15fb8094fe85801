const markedMs = 2400

/** Brings an entry into the middle of the window, gives it the focus, and marks it for a moment. */
export function markFound(scroller: HTMLElement, view: HTMLElement): void {
  const center = (): void =>
    view.scrollIntoView({ block: view.offsetHeight > scroller.clientHeight * 0.8 ? 'start' : 'center' })
  center()
  // What is above gets its real height only when it comes into view.
  requestAnimationFrame(() => requestAnimationFrame(center))
  view.tabIndex = -1
  view.focus({ preventScroll: true })
  view.classList.remove('found')
  // The animation of a mark that is still there begins anew.
  view.getBoundingClientRect()
  view.classList.add('found')
  setTimeout(() => view.classList.remove('found'), markedMs)
}
