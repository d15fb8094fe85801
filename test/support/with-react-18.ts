import { fileURLToPath } from 'node:url'
import type { TestProjectInlineConfiguration } from 'vitest/config'

const folder = (name: string): string =>
  fileURLToPath(new URL(`../bindings/react-18/node_modules/${name}`, import.meta.url))

/** The same tests with React 18 in the place of the newest React. */
export function withReact18(suite: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  const alias = ['react', 'react-dom'].map((name) => ({
    find: new RegExp(`^${name}(?=$|/)`),
    replacement: folder(name),
  }))
  return { ...suite, resolve: { alias } }
}
