import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'vite'
import type * as Incremental from './one-run.ts'

/** One line of the code under test, written wrongly. */
export interface Mutation {
  /** Below `src/domain`, or what the loader says. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/**
 * How often the code has the snippet: once, or the code has changed and the mutation is to follow. @param file - below
 * `src`
 */
export function countSnippet({ file, from }: Pick<Mutation, 'file' | 'from'>): number {
  return readFileSync(resolve('src', file), 'utf8').split(from).length - 1
}

/** The simulation over a copy of the code in which one snippet is replaced. The sources are not touched. */
export async function loadMutant({ file, ...snippet }: Mutation): Promise<typeof Incremental> {
  return buildMutant({ file: `domain/${file}`, ...snippet }, 'test/model/support/one-run.ts')
}

/** A module over a copy of the code. @param mutation - of a file below `src` */
export async function buildMutant<T>({ file, from, to }: Mutation, entry: string): Promise<T> {
  const changed = resolve('src', file)
  let times = 0
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'mutate',
        enforce: 'pre',
        transform: (code, id) => {
          if (id !== changed) return undefined
          times = code.split(from).length - 1
          return code.replace(from, () => to)
        },
      },
    ],
    build: { write: false, minify: false, target: 'esnext', lib: { entry: resolve(entry), formats: ['es'] } },
  })
  if (times !== 1) throw new Error(`${file} has the snippet ${times} times: ${from}`)
  const { output } = (Array.isArray(result) ? result[0] : result) as { output: readonly { code: string }[] }
  return import(
    /* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(output[0]!.code).toString('base64')}`
  ) as Promise<T>
}
