const storage = (navigator as { readonly storage?: Partial<StorageManager> }).storage

/**
 * Whether this page has a private file system: WebKitGTK has no storage manager at all, and a private window of Firefox
 * forbids it.
 */
export const hasOpfs: boolean =
  (await storage?.getDirectory?.().then(
    () => true,
    () => false,
  )) ?? false

/** Why a test does not apply where there is none. It stands behind the test's name. */
export const needsOpfs = hasOpfs ? '' : ' (not here: this browser has no OPFS)'
