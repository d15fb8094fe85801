import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'
import { readLocal, writeLocal } from '../ui/local.ts'

/**
 * Shows what the library does behind the chat, or hides it: somebody who wants to chat sees a chat.
 *
 * @param tools - what is shown only while it is on
 */
export function createInspectSwitch(tools: HTMLElement): HTMLElement {
  let isOn = readLocal('inspect') === 'true'
  const element = h(
    'button',
    {
      type: 'button',
      class: 'chip inspect-switch',
      'data-testid': 'inspect',
      title: 'Show branches, checkpoints, what the model gets and how a key is derived',
      onclick: () => {
        isOn = !isOn
        writeLocal('inspect', isOn ? 'true' : undefined)
        show()
      },
    },
    icon('inspect'),
    h('span', {}, 'Inspect'),
  )

  function show(): void {
    element.setAttribute('aria-pressed', String(isOn))
    tools.hidden = !isOn
  }

  show()
  return element
}
