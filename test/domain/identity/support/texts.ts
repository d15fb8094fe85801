import fc from 'fast-check'
import { lowerTable } from './lower-table.ts'

/** Every character that is white space in Go. */
export const goSpaces = [
  ...'\t\n\v\f\r \u0085\u00a0\u1680',
  ...'\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
  ...'\u2028\u2029\u202f\u205f\u3000',
]

/** Texts of all of Unicode, with more than their share of what the rules of identity look at. */
export const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(...lowerTable.keys()),
    fc.constantFrom(...goSpaces, '\ufeff', '\u0130', 'Σ', '\u212a', ':', '/', '|', '=', '-', '_', 'a', 'A', '1'),
  ),
  maxLength: 12,
})

/** A text that isn't blank. */
export const anyId = anyText.map((text) => `x${text}`)

const capitals = new Map<string, string[]>()
for (const [capital, lower] of lowerTable) capitals.set(lower, [...(capitals.get(lower) ?? [lower]), capital])

/** The same text in other case and with other white space around it. */
export function respelled(text: string): fc.Arbitrary<string> {
  const spaces = fc.string({ unit: fc.constantFrom(...goSpaces), maxLength: 3 })
  const characters = [...text].map((character) =>
    fc.constantFrom(...(capitals.get(lowerTable.get(character) ?? character) ?? [character])),
  )
  return fc
    .tuple(
      spaces,
      fc.tuple(...characters).map((all) => all.join('')),
      spaces,
    )
    .map((parts) => parts.join(''))
}
