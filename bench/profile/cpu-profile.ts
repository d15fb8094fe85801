/** What `Profiler.stop` of Chromium's developer tools gives. Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The functions with the most time of their own, as a table of text. */
export function tableOf(profile: CpuProfile, most = 40): string {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const own = new Map<string, number>()
  let busy = 0
  profile.samples.forEach((id, i) => {
    const name = names.get(id) ?? ''
    const us = profile.timeDeltas[i] ?? 0
    own.set(name, (own.get(name) ?? 0) + us)
    if (name !== '(idle)') busy += us
  })
  const rows = [...own].filter(([name]) => name !== '(idle)').sort(([, a], [, b]) => b - a)
  const lines = rows
    .slice(0, most)
    .map(([name, us]) => `| ${(us / 1000).toFixed(1)} | ${((us / busy) * 100).toFixed(1)} % | ${name} |`)
  return [
    `Busy for ${(busy / 1000).toFixed(0)} ms.`,
    '',
    '| ms | share | function |',
    '| ---: | ---: | --- |',
    ...lines,
  ].join('\n')
}

/** Functions without a name are told by their line. */
function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (functionName !== '') return functionName
  const file = url.slice(url.lastIndexOf('/') + 1).replace(/-[\w-]{8}(?=\.js$)/, '')
  return `${file}:${lineNumber + 1}`
}
