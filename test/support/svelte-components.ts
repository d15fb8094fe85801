import { compile, compileModule } from 'svelte/compiler'
import type { Plugin } from 'vite'

/** Compiles the Svelte components of tests, and the modules with runes of a package that they use. */
export function svelteComponents(): Plugin {
  return {
    name: 'keepsession:svelte-components',
    transform: {
      filter: { id: /\.svelte(\.js)?(\?|$)/ },
      handler: (source, id) => {
        const filename = id.replace(/\?.*/, '')
        const made = filename.endsWith('.js') ? compileModule : compile
        return { code: made(source, { filename, generate: 'client' }).js.code, map: null }
      },
    },
  }
}
