let hiddenAt: number | undefined
let isWatching = false

/** Milliseconds since this page was hidden; 0 while it is visible, and where there is no page. */
export function hiddenFor(): number {
  const page = globalThis.document as Document | undefined
  if (page === undefined) return 0
  if (!isWatching) page.addEventListener('visibilitychange', note)
  isWatching = true
  note()
  return hiddenAt === undefined ? 0 : performance.now() - hiddenAt + 1
}

function note(): void {
  if (document.visibilityState !== 'hidden') hiddenAt = undefined
  else hiddenAt ??= performance.now()
}

/** Calls back when the browser is about to freeze or leave this page. Returns a function that stops it. */
export function onLeaving(act: () => void): () => void {
  const page = globalThis.document as Document | undefined
  if (page === undefined) return () => undefined
  page.addEventListener('freeze', act)
  addEventListener('pagehide', act)
  return () => {
    page.removeEventListener('freeze', act)
    removeEventListener('pagehide', act)
  }
}
