/**
 * The beginning of the names of everything in the browser that belongs to a store: Web Locks, channels, keys of Web
 * Storage. Colons in the store's name are escaped, so that "app" never takes what belongs to "app:b" for its own.
 */
export const namesOf = (store: string): string => `keepsession:${store.replace(/[%:]/g, encodeURIComponent)}`
