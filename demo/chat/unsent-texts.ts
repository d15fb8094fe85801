import { forgetLocal, readLocal, writeLocal } from '../ui/local.ts'

/** Texts that were begun and not sent, one for each session. */
export interface UnsentTexts {
  of(key: string): string
  keep(key: string, text: string): void
  /** A text was stored as a message: forgets it, unless another was begun meanwhile. */
  sent(key: string, text: string): void
}

/**
 * Keeps them over a reload, unless the store is encrypted: Web Storage is readable to whoever copies the profile.
 *
 * @param isEncrypted - whether the store is encrypted now
 */
export function createUnsentTexts(isEncrypted: () => boolean): UnsentTexts {
  const inMemory = new Map<string, string>()
  if (isEncrypted()) forgetLocal('unsent:')

  const of = (key: string): string => (isEncrypted() ? inMemory.get(key) : readLocal(`unsent:${key}`)) ?? ''

  function keep(key: string, text: string): void {
    if (isEncrypted()) inMemory.set(key, text)
    else writeLocal(`unsent:${key}`, text === '' ? undefined : text)
  }

  return {
    of,
    keep,
    sent(key, text) {
      if (of(key).trim() === text) keep(key, '')
    },
  }
}
