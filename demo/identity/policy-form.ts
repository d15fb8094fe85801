import { h } from '../ui/dom.ts'
import { dimensions, type Policy } from './identity-state.ts'

export interface PolicyForm {
  readonly element: HTMLElement
  show(policy: Policy): void
  /** Says what is wrong with the links, or that nothing is. */
  setProblem(problem: string): void
}

/** What sets conversations apart, and what brings them together. */
export function createPolicyForm(onChange: (policy: Policy) => void): PolicyForm {
  const boxes = dimensions.map((name) => ({
    name,
    box: h('input', { type: 'checkbox', 'data-testid': `dimension-${name}`, onchange: changed }),
  }))
  const problem = h('p', { class: 'identity-problem', id: 'identity-links-problem', role: 'status' })
  const links = h('textarea', {
    rows: 2,
    'data-testid': 'identity-links',
    spellcheck: 'false',
    autocapitalize: 'off',
    'aria-describedby': problem.id,
    oninput: changed,
  })
  const across = h('input', { type: 'checkbox', 'data-testid': 'identity-across', onchange: changed })
  const helpDesk = h('input', { type: 'checkbox', 'data-testid': 'identity-rule', onchange: changed })
  const check = (box: HTMLElement, ...text: readonly (string | HTMLElement)[]) =>
    h('label', { class: 'identity-check' }, box, h('span', {}, ...text))

  function changed(): void {
    onChange({
      dimensions: boxes.filter(({ box }) => box.checked).map(({ name }) => name),
      links: links.value,
      acrossChannels: across.checked,
      helpDesk: helpDesk.checked,
    })
  }

  return {
    element: h(
      'fieldset',
      { class: 'identity-form' },
      h('legend', {}, 'Rules'),
      h(
        'div',
        { class: 'identity-dimensions', role: 'group', 'aria-label': 'Separate conversations by' },
        h('span', {}, 'Separate conversations by'),
        ...boxes.map(({ name, box }) => h('label', { class: 'identity-toggle' }, box, name)),
      ),
      h('label', { class: 'identity-field' }, h('span', {}, 'Linked identities'), links),
      problem,
      check(across, 'A linked person has one direct conversation across all channels'),
      check(
        helpDesk,
        'Rule ',
        h('em', {}, 'help desk'),
        ': messages that mention the agent go to ',
        h('code', {}, 'support'),
      ),
    ),
    show(policy) {
      for (const { name, box } of boxes) box.checked = policy.dimensions.includes(name)
      links.value = policy.links
      across.checked = policy.acrossChannels
      helpDesk.checked = policy.helpDesk
    },
    setProblem(text) {
      problem.textContent = text
      links.setAttribute('aria-invalid', String(text !== ''))
    },
  }
}
