import { h } from './dom.ts'

/** Has the browser save a file. */
export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = h('a', { href: url, download: name })
  link.click()
  // The browser reads it when it is asked where to put it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
