import { afterEach, expect } from 'vitest'
import type { InspectedClient, InspectorOptions } from '../../../src/inspector/inspector-options.ts'
import { type OpenInspector, openInspector } from '../../../src/inspector/open-inspector.ts'

/** An inspector on the page, as a test uses it. */
export interface Panel {
  readonly opened: OpenInspector
  readonly root: ShadowRoot
  /** Goes to a view. */
  go(view: string): void
  /** The view that is shown. */
  view(): HTMLElement
  /** What it says. */
  text(): string
  /** The rows of the first table in it, as text of their cells. */
  rows(): readonly (readonly string[])[]
  row(text: string): HTMLElement
  press(label: string): void
  /** What went wrong, or was said. */
  said(): string
}

/** Opens inspectors that are closed after each test. */
export function usePanels(): (client: InspectedClient, options?: InspectorOptions) => Panel {
  const panels: OpenInspector[] = []
  afterEach(() => {
    for (const { close } of panels.splice(0)) close()
  })
  return (client, options) => {
    const opened = openInspector(client, options)
    panels.push(opened)
    return panelOf(opened)
  }
}

function panelOf(opened: OpenInspector): Panel {
  const root = opened.element.shadowRoot!
  const view = (): HTMLElement => root.querySelector<HTMLElement>('[role=tabpanel]:not([hidden])')!
  const rowElements = (): HTMLElement[] => [...view().querySelectorAll<HTMLElement>('.canvas > [role=row]')]
  return {
    opened,
    root,
    view,
    go: (name) => root.querySelector<HTMLElement>(`#tab-${name}`)!.click(),
    text: () => view().textContent ?? '',
    rows: () => rowElements().map((row) => [...row.children].map(({ textContent }) => textContent ?? '')),
    row(text) {
      const row = rowElements().find(({ textContent }) => textContent?.includes(text))
      expect(row, `a row with "${text}"`).toBeDefined()
      return row!
    },
    press(label) {
      const button = [...root.querySelectorAll('button')].find(
        (one) => one.textContent === label && one.closest('[hidden]') === null,
      )
      expect(button, `a button "${label}"`).toBeDefined()
      button!.click()
    },
    said: () => root.querySelector('.said:not([hidden])')?.textContent ?? '',
  }
}

/** Presses a key where the focus is, in the shadow tree. */
export function pressKey(root: ShadowRoot, key: string): void {
  root.activeElement!.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }),
  )
}
