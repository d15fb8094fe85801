import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Engine, Outcome } from './rig.ts'

/** What a rig gave in one engine, and of what. */
export interface Result extends Outcome {
  readonly rig: string
  readonly engine: Engine
  /** Day of the run. */
  readonly date: string
  /** 1: the full figures. */
  readonly scale: number
  readonly seconds: number
  /** Of the package, Node and the browser. */
  readonly versions: string
}

const FOLDER = fileURLToPath(new URL('./results', import.meta.url))

const fileOf = (rig: string, engine: Engine): string => `${FOLDER}/${rig}.${engine}.json`

/** The last result of a rig, so that the table can be put together of several runs. */
export async function loadResult(rig: string, engine: Engine): Promise<Result | undefined> {
  const text = await readFile(fileOf(rig, engine), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Result)
}

/** Keeps a result, unless there is one of more. */
export async function keepResult(result: Result): Promise<void> {
  const known = await loadResult(result.rig, result.engine)
  if (known !== undefined && known.scale > result.scale) return
  await mkdir(FOLDER, { recursive: true })
  await writeFile(fileOf(result.rig, result.engine), `${JSON.stringify(result, null, 2)}\n`)
}
