const native = (String.prototype as { toWellFormed?: () => string }).toWellFormed

/**
 * The text with U+FFFD for each lone surrogate. IndexedDB would keep a lone surrogate, but an encoder would not, so
 * that two devices would differ for ever.
 */
export const toWellFormed: (text: string) => string =
  native === undefined ? replaceLoneSurrogates : (text) => native.call(text)

/** {@link toWellFormed} for engines without the native method (Safari before 16.4, Firefox before 119). */
export function replaceLoneSurrogates(text: string): string {
  // With the `u` flag a surrogate pair is one character, so that the class matches only lone surrogates.
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd')
}
