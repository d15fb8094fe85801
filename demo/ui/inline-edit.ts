import { h } from './dom.ts'

/**
 * Puts a field in the place of an element until Enter, Escape or leaving it. Gives the new text, or `undefined` when it
 * is the same or given up.
 */
export function inlineEdit(place: HTMLElement, text: string, label: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const field = h('input', {
      class: 'inline-edit',
      'data-testid': 'inline-edit',
      'aria-label': label,
      maxlength: 200,
      onkeydown: byKey,
      onblur: () => finish(true),
    })
    let finished = false

    function byKey(event: KeyboardEvent): void {
      event.stopPropagation()
      if (event.isComposing) return
      if (event.key === 'Enter') finish(true)
      else if (event.key === 'Escape') {
        event.preventDefault()
        finish(false)
      }
    }

    function finish(keep: boolean): void {
      // Taking the field away also takes its focus, which ends up here again.
      if (finished) return
      finished = true
      const chosen = field.value.trim()
      field.replaceWith(place)
      resolve(keep && chosen !== text ? chosen : undefined)
    }

    field.value = text
    place.replaceWith(field)
    field.select()
    field.focus()
  })
}
