import type { Plugin } from 'vite'

/**
 * Marks the entry for React as code of the page. Without it, a server component that imports it (Next.js) fails, because
 * React offers servers no hooks.
 */
export function clientOnly(): Plugin {
  return {
    name: 'keepsession:client-only',
    generateBundle(_, bundle) {
      const entry = bundle['react.js']
      if (entry?.type !== 'chunk') throw new Error('The build has no react.js to be marked.')
      entry.code = `"use client";${entry.code}`
    },
  }
}
