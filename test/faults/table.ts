import type { Result } from './results.ts'
import type { Engine, Rig } from './rig.ts'

export interface Row {
  readonly rig: Rig
  readonly engine: Engine
  /** The last there is; of an earlier run, where this one left the rig out. */
  readonly result: Result | undefined
  readonly isSkipped: boolean
}

/** The table of all rigs, in Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ rig, engine, result, isSkipped }) => {
    const cells = [
      rig.name,
      engine,
      rig.goal,
      outcomeOf(result, isSkipped),
      figuresOf(result),
      result?.date ?? '',
      result?.versions ?? '',
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  })
  return [
    '| test | engine | goal | outcome | counted | date | versions |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n')
}

/** What went wrong, below the table. */
export function failuresOf(rows: readonly Row[]): string {
  const failed = rows.filter(({ result }) => result !== undefined && result.failures.length > 0)
  return failed
    .map(({ rig, engine, result }) => {
      const { failures } = result!
      const shown = failures.slice(0, 10).map((line) => `- ${line.replaceAll('\n', ' ').slice(0, 300)}`)
      return [
        `**${rig.name}, ${engine}**`,
        '',
        ...shown,
        ...(failures.length > shown.length ? [`- … and ${failures.length - shown.length} more`] : []),
        '',
      ].join('\n')
    })
    .join('\n')
}

function outcomeOf(result: Result | undefined, isSkipped: boolean): string {
  const last =
    result === undefined ? 'not run' : result.failures.length > 0 ? `**failed** (${result.failures.length})` : 'passed'
  const share =
    result === undefined || result.scale === 1
      ? last
      : `${last} with ${Math.round(result.scale * 1000) / 10} % of the rounds`
  return isSkipped ? `skipped${result === undefined ? '' : `; last: ${share}`}` : share
}

function figuresOf(result: Result | undefined): string {
  return result === undefined
    ? ''
    : Object.entries(result.figures)
        .map(([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en-GB') : value}`)
        .join(', ')
}
