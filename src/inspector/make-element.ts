type Prop = string | number | boolean | undefined | ((event: never) => void)

/** What an element may contain. Text is only ever text. */
export type Child = Node | string | undefined | false | readonly Child[]

/**
 * Makes an element. A function is a listener of the event that its name ends with; `true` is an empty attribute;
 * `undefined` and `false` are left out. There is no attribute `style`: policies forbid it.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Readonly<Record<string, Prop>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  add(element, children)
  return element
}

/** Adds content one by one: a list may be longer than what a call takes. */
function add(element: Element, child: Child): void {
  if (child === undefined || child === false) return
  if (typeof child === 'string' || child instanceof Node) element.append(child)
  else for (const one of child) add(element, one)
}

/** Replaces what an element contains. */
export function fill(element: Element, child: Child): void {
  element.replaceChildren()
  add(element, child)
}

/** A button. */
export const button = (label: string, onclick: () => void, props: Readonly<Record<string, Prop>> = {}) =>
  h('button', { type: 'button', onclick, ...props }, label)

/** Names and values. */
export const figures = (rows: readonly (readonly [name: string, value: Child])[]): HTMLElement =>
  h(
    'dl',
    { class: 'figures' },
    rows.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  )

/** Text that a user or a model wrote. */
export const userText = (text: string): HTMLElement => h('span', { dir: 'auto', class: 'text' }, text)

/** A part of a view under a heading. */
export const section = (title: string, ...children: readonly Child[]): HTMLElement =>
  h('section', {}, h('h3', {}, title), ...children)

/** What scrolls, also by keys. */
export const scrollArea = (label: string, ...children: readonly Child[]): HTMLElement =>
  h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, ...children)

/** Makes the children of `parent` exactly these, in this order, and moves only those that are elsewhere. */
export function placeChildren(parent: Element, children: readonly Element[]): void {
  let at = parent.firstElementChild
  for (const child of children) {
    if (child === at) at = at.nextElementSibling
    else parent.insertBefore(child, at)
  }
  while (at !== null) {
    const next = at.nextElementSibling
    at.remove()
    at = next
  }
}
