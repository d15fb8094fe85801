type Handlers = { readonly [E in keyof HTMLElementEventMap as `on${E}`]?: (event: HTMLElementEventMap[E]) => void }

/**
 * Attributes by their HTML names (`true` sets an empty one, `false` and `undefined` leave it out) and `on…` listeners.
 */
export type Props = Handlers & { readonly [attribute: string]: unknown }

/** What an element may contain; `undefined`, `null` and `false` are left out. */
export type Child = Node | string | undefined | null | false

/** Makes an element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener)
    else element.setAttribute(name, value === true ? '' : String(value))
  }
  element.append(...children.filter(isContent))
  return element
}

const isContent = (child: Child): child is Node | string => child !== undefined && child !== null && child !== false

/** Makes the children of `parent` exactly these, in this order, moving only those that stand elsewhere. */
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
