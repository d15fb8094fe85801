import type { ReactElement } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { type Frames, watchFrames } from '../support/watch-frames.ts'

/** A component on the page. */
export interface Mounted {
  readonly element: HTMLElement
  readonly frames: Frames
  text(): string
  show(component: ReactElement): void
  unmount(): void
}

/** Mounts components, and fails a test in which React complains. Everything is unmounted after each test. */
export function useMounting(): {
  mount(component: ReactElement): Mounted
  hydrate(html: string, component: ReactElement): Mounted
} {
  const all: Mounted[] = []
  const complaints: unknown[] = []
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation((...words) => complaints.push(words))
  })
  afterEach(() => {
    for (const mounted of all.splice(0)) mounted.unmount()
    vi.restoreAllMocks()
    expect(complaints.splice(0)).toEqual([])
  })

  const onRecoverableError = (error: unknown): void => void complaints.push(error)
  function add(begin: (element: HTMLElement) => { render(component: ReactElement): void; unmount(): void }, html = '') {
    const element = document.body.appendChild(document.createElement('div'))
    element.innerHTML = html
    const frames = watchFrames(element)
    const root = begin(element)
    let isMounted = true
    const mounted: Mounted = {
      element,
      frames,
      text: () => element.textContent ?? '',
      show: (component) => root.render(component),
      unmount: () => {
        if (isMounted) root.unmount()
        isMounted = false
        frames.stop()
        element.remove()
      },
    }
    all.push(mounted)
    return mounted
  }
  return {
    mount: (component) => {
      const mounted = add((element) => createRoot(element, { onRecoverableError }))
      mounted.show(component)
      return mounted
    },
    hydrate: (html, component) => add((element) => hydrateRoot(element, component, { onRecoverableError }), html),
  }
}
