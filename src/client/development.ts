import * as warnings from './development-warning.ts'

declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** Calls back with the warnings for developers; never in production, nor in a browser without a bundler. */
export function inDevelopment(act: (loaded: typeof warnings) => void): void {
  try {
    // Bundlers replace this condition by a constant. The warnings are no chunk of their own: a Service Worker can't
    // load one.
    if (process.env.NODE_ENV !== 'production') act(warnings)
  } catch {
    // A browser has no `process`.
  }
}

/** Has developers warned when this object is garbage-collected before `unwatch` is called with the token. */
export const watchDropped = (kind: 'query' | 'stream', target: object, token: object): void =>
  inDevelopment(({ watch }) => watch(kind, target, token))
