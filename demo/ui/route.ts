/** The address of a session within the app. */
export const sessionAddress = (key: string): string => `#s=${encodeURIComponent(key)}`

/** The session the address bar names, if any. */
export function addressedKey(): string | undefined {
  const value = new URLSearchParams(location.hash.slice(1)).get('s')
  return value === null || value === '' ? undefined : value
}
