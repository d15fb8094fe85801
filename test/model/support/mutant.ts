import { resolve } from 'node:path'
import { build } from 'vite'
import type * as Incremental from './one-run.ts'

/** One line of the code under test, written wrongly. */
export interface Mutation {
  /** Below `src/domain`. */
  readonly file: string
  readonly from: string
  readonly to: string
}

/** The simulation over a copy of the code in which one snippet is replaced. The sources are not touched. */
export async function loadMutant({ file, from, to }: Mutation): Promise<typeof Incremental> {
  const changed = resolve('src/domain', file)
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
    build: { write: false, minify: false, target: 'esnext', lib: { entry: resolve('test/model/support/one-run.ts'), formats: ['es'] } },
  })
  if (times !== 1) throw new Error(`${file} has the snippet ${times} times: ${from}`)
  const { output } = (Array.isArray(result) ? result[0] : result) as { output: readonly { code: string }[] }
  return import(/* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(output[0]!.code).toString('base64')}`) as Promise<typeof Incremental>
}
