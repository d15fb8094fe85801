/**
 * @param {string} option
 * @param {unknown} found
 * @param {string} wanted
 * @returns {never}
 */
export function refuse(option, found, wanted) {
  const shown = typeof found === 'string' || typeof found === 'object' ? JSON.stringify(found) : String(found)
  throw new TypeError(`\`${option}\` is ${shown}; it must be ${wanted}.`)
}

/**
 * Refuses names that nothing reads.
 *
 * @param {string} what - they name
 * @param {object} given
 * @param {readonly string[]} known
 */
export function knowNames(what, given, known) {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`There is no ${what} \`${unknown}\`. Known are ${known.map((name) => `\`${name}\``).join(', ')}.`)
}
