import type { InspectedSync } from './inspected-sync.ts'
import type { InspectedClient, InspectorAction } from './inspector-options.ts'
import { createInspectorShell, type InspectorShell } from './inspector-shell.ts'
import { inspectorStyle } from './inspector-style.ts'

/** The tag of the inspector. */
export const inspectorTag = 'keepsession-inspector'

/**
 * The element `<keepsession-inspector>`: it shows a store as soon as it is on a page and has a `client`, and ends all it
 * does when it is taken off. Set its properties, not attributes.
 */
export interface InspectorElement extends HTMLElement {
  /** The store that is shown. Default: none. */
  client: InspectedClient | undefined
  /** Sync of this device, for the view of it. Default: none. */
  sync: InspectedSync | undefined
  /** Offers the buttons that change something. Default false: it only reads. */
  mayWrite: boolean
  /** Buttons of the app, shown with `mayWrite`. Default: none. */
  actions: readonly InspectorAction[]
  /** Further controls of its title bar. Default: none. */
  controls: readonly HTMLElement[]
}

let sheet: CSSStyleSheet | undefined
/** One style sheet for all, which no policy about styles forbids. */
function sharedSheet(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(inspectorStyle)
  }
  return sheet
}

/**
 * Keeps what is typed into a field from the app: for it the key comes from an element that is no field, and would be one
 * of its shortcuts.
 */
function keepTyping(event: Event): void {
  const [target] = event.composedPath()
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) event.stopPropagation()
}

/** Made when it is defined: on a server there is no `HTMLElement`. */
function makeElementClass(): CustomElementConstructor {
  return class extends HTMLElement implements InspectorElement {
    #client: InspectedClient | undefined
    #sync: InspectedSync | undefined
    #mayWrite = false
    #actions: readonly InspectorAction[] = []
    #controls: readonly HTMLElement[] = []
    #shell: InspectorShell | undefined
    #isWaiting = false
    readonly #root: ShadowRoot

    constructor() {
      super()
      this.#root = this.attachShadow({ mode: 'open', delegatesFocus: true })
      this.#root.adoptedStyleSheets = [sharedSheet()]
      for (const type of ['keydown', 'keypress', 'keyup']) this.addEventListener(type, keepTyping)
    }

    connectedCallback(): void {
      // What was set before the element was defined is a property of its own, and hides the setters.
      for (const name of ['client', 'sync', 'mayWrite', 'actions', 'controls'] as const) {
        if (!Object.hasOwn(this, name)) continue
        const value = this[name]
        Reflect.deleteProperty(this, name)
        Reflect.set(this, name, value)
      }
      this.#begin()
    }

    disconnectedCallback(): void {
      this.#end()
    }

    /** Shows anew, once, when all properties are set. */
    #change(): void {
      if (this.#isWaiting || !this.isConnected) return
      this.#isWaiting = true
      queueMicrotask(() => {
        this.#isWaiting = false
        this.#end()
        if (this.isConnected) this.#begin()
      })
    }

    #begin(): void {
      if (this.#shell !== undefined || this.#client === undefined) return
      const options = { sync: this.#sync, mayWrite: this.#mayWrite, actions: this.#actions }
      this.#shell = createInspectorShell(this.#client, options, this.#controls)
      this.#root.replaceChildren(this.#shell.element)
    }

    #end(): void {
      this.#shell?.end()
      this.#shell = undefined
      this.#root.replaceChildren()
    }

    get client(): InspectedClient | undefined {
      return this.#client
    }
    set client(client) {
      if (client === this.#client) return
      this.#client = client
      this.#change()
    }

    get sync(): InspectedSync | undefined {
      return this.#sync
    }
    set sync(sync) {
      if (sync === this.#sync) return
      this.#sync = sync
      this.#change()
    }

    get mayWrite(): boolean {
      return this.#mayWrite
    }
    set mayWrite(mayWrite) {
      this.#mayWrite = mayWrite
      this.#change()
    }

    get actions(): readonly InspectorAction[] {
      return this.#actions
    }
    set actions(actions) {
      this.#actions = actions
      this.#change()
    }

    get controls(): readonly HTMLElement[] {
      return this.#controls
    }
    set controls(controls) {
      this.#controls = controls
      this.#change()
    }
  }
}

/** Defines the element, once. Without custom elements, as on a server, it does nothing. */
export function defineInspector(): void {
  const registry = (globalThis as { readonly customElements?: CustomElementRegistry }).customElements
  if (registry === undefined || registry.get(inspectorTag) !== undefined) return
  registry.define(inspectorTag, makeElementClass())
}

// Who imports the entry can write the tag.
defineInspector()
