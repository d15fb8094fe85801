import { offlineModel } from '../model-choice.ts'
import { h } from '../ui/dom.ts'

export interface ModelSelect {
  readonly element: HTMLSelectElement
  /** @param names - the models of the endpoint */
  show(chosen: string, names: readonly string[]): void
}

/** Chooses which model answers. */
export function createModelSelect(onChoose: (name: string) => void): ModelSelect {
  const element = h('select', {
    class: 'model-select',
    'data-testid': 'model',
    'aria-label': 'Model',
    title: 'Model',
    onchange: () => onChoose(element.value),
  })
  return {
    element,
    show(chosen, names) {
      element.replaceChildren(
        h('option', { value: offlineModel }, 'Offline script'),
        ...names.map((name) => h('option', { value: name }, name)),
      )
      element.value = chosen
    },
  }
}
