import type { Disposal } from '../contract/disposal.ts'
import { defineInspector, type InspectorElement, inspectorTag } from './inspector-element.ts'
import type { InspectedClient, InspectorOptions } from './inspector-options.ts'
import { button } from './make-element.ts'

/** An inspector that is open on the page. */
export interface OpenInspector extends Disposal {
  readonly element: InspectorElement
  /** Closes it, and ends all it does. The client stays open. Closing twice is fine. */
  close(): void
}

/**
 * Opens a panel over the page that shows what is in a store, live. It reads only, unless `mayWrite` is given. Its button,
 * Escape in it, or `close` end it.
 *
 * @example
 * openInspector(client)
 */
export function openInspector(client: InspectedClient, options: InspectorOptions = {}): OpenInspector {
  defineInspector()
  const element = document.createElement(inspectorTag) as InspectorElement
  const focusedBefore = document.activeElement
  let isOpen = true

  function close(): void {
    if (!isOpen) return
    isOpen = false
    const hadFocus = document.activeElement === element
    element.remove()
    if (hadFocus && focusedBefore instanceof HTMLElement) focusedBefore.focus()
  }
  function dock(): void {
    const isRight = element.getAttribute('docked') === 'right'
    element.setAttribute('docked', isRight ? 'bottom' : 'right')
    docking.textContent = isRight ? 'Dock right' : 'Dock below'
  }
  const docking = button('Dock right', dock)

  element.setAttribute('docked', 'bottom')
  element.setAttribute('role', 'region')
  element.setAttribute('aria-label', 'keepsession inspector')
  element.client = client
  element.sync = options.sync
  element.mayWrite = options.mayWrite === true
  element.actions = options.actions ?? []
  element.controls = [docking, button('Close', close, { 'aria-label': 'Close the inspector' })]
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    // The page's own Escape would act as well.
    event.stopPropagation()
    close()
  })
  document.body.append(element)
  element.focus()
  const opened = { element, close }
  // Where the runtime has no such symbol, nothing can use it either.
  return (Symbol.dispose === undefined ? opened : { ...opened, [Symbol.dispose]: close }) as OpenInspector
}
