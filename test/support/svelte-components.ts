import { compile } from 'svelte/compiler'
import type { Plugin } from 'vite'

/** Compiles the Svelte components of tests. */
export function svelteComponents(): Plugin {
  return {
    name: 'keepsession:svelte-components',
    transform: {
      filter: { id: /\.svelte$/ },
      handler: (source, filename) => ({ code: compile(source, { filename, generate: 'client' }).js.code, map: null }),
    },
  }
}
