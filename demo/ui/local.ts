const prefix = 'keepsession-demo:'

/** What this browser remembers under a name, or `undefined`. Browsers that block storage remember nothing. */
export function readLocal(name: string, storage: 'local' | 'session' = 'local'): string | undefined {
  try {
    return place(storage).getItem(prefix + name) ?? undefined
  } catch {
    return undefined
  }
}

/** Remembers a text, or forgets it with `undefined`. */
export function writeLocal(name: string, value: string | undefined, storage: 'local' | 'session' = 'local'): void {
  try {
    if (value === undefined) place(storage).removeItem(prefix + name)
    else place(storage).setItem(prefix + name, value)
  } catch {
    // Blocked or full: these are comforts, and the app works without them.
  }
}

/** Forgets all names that begin so. */
export function forgetLocal(begin: string): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix + begin)) localStorage.removeItem(name)
  } catch {
    // A browser that blocks storage remembers nothing.
  }
}

/** Calls back when another tab remembers or forgets this name. */
export function onLocalChange(name: string, listener: () => void): void {
  addEventListener('storage', (event) => {
    if (event.key === prefix + name) listener()
  })
}

const place = (storage: 'local' | 'session'): Storage => (storage === 'local' ? localStorage : sessionStorage)
