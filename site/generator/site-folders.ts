import { fileURLToPath } from 'node:url'

/** The repository. */
export const projectFolder = fileURLToPath(new URL('../..', import.meta.url))

/** Where the site is built. */
export const outFolder = fileURLToPath(new URL('../dist', import.meta.url))

/** The package as it was built. */
export const packageFolder = fileURLToPath(new URL('../../dist', import.meta.url))
