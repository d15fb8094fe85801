import { type BundledWorker, bundleWorker } from './bundle-worker.ts'
import { minifyInThread } from './minify-chunks.ts'

const made = new Map<string, Promise<BundledWorker>>()

/**
 * A worker as the package has it: bundled, and minified as far as it goes. Made once for its file and for the copy that
 * is inlined.
 */
export function publishedWorker(entry: string): Promise<BundledWorker> {
  const known =
    made.get(entry) ??
    bundleWorker(entry).then(async ({ code, files }) => ({ code: await minifyInThread(code), files }))
  made.set(entry, known)
  return known
}
