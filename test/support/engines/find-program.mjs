// Plain JavaScript, because Node runs the ensure-… scripts, which need it, without a build.

/**
 * Finds the first of these programs that works.
 *
 * @param {string} variable - environment variable that names one, which then counts alone
 * @param {readonly string[]} paths
 * @param {(path: string) => boolean} works
 * @returns {string | undefined}
 * @throws {Error} when the variable names something that doesn't work
 */
export function findProgram(variable, paths, works) {
  const named = process.env[variable]
  if (!named) return paths.find(works)
  if (works(named)) return named
  throw new Error(
    `${variable} is "${named}", which is no browser that starts. Correct it, or unset it to search for one.`,
  )
}
