import { type BundledWorker, bundleWorker } from './bundle-worker.ts'
import { minifyInThread } from './minify-chunks.ts'

const made = new Map<string, Promise<BundledWorker>>()

/**
 * A worker as the package has it: one file that runs when it is loaded as a worker, and whose default export gives its
 * own text to a page that imports it. So an app whose bundler leaves workers behind has them all the same, and the
 * package holds each of them once.
 */
export function publishedWorker(entry: string): Promise<BundledWorker> {
  const known = made.get(entry) ?? publish(entry)
  made.set(entry, known)
  return known
}

async function publish(entry: string): Promise<BundledWorker> {
  const { code, files } = await bundleWorker(entry)
  return { code: importable(await minifyInThread(code)), files }
}

/**
 * The text of a function that needs nothing from around it is a script of its own. Only a page that reads the text sets
 * the flag: an app may also import a worker into one of its own, where it has to run.
 *
 * `__name` is what esbuild calls in functions whose names an app asks it to keep.
 */
const importable = (code: string): string =>
  `const run=()=>{${code}};export default()=>\`var __name=f=>f;(\${run})()\`;` + `globalThis.keepsessionText||run()`
