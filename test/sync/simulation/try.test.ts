import { it } from 'vitest'
import { Simulation } from './simulation.ts'

it('runs', async () => {
  const [from, count] = (process.env['TRY'] ?? '0 100').split(' ').map(Number) as [number, number]
  const start = process.cpuUsage(); let headless = 0
  const failures = new Map<string, number[]>()
  for (let seed = from; seed < from + count; seed++) {
    const simulation = new Simulation(seed)
    try {
      await simulation.run()
      headless += simulation.headless
    } catch (error) {
      const what = (error as Error).message
      const kind = what.replace(/[0-9a-z]{6,}|\d+/g, '#').slice(0, 100)
      failures.set(kind, [...(failures.get(kind) ?? []), seed])
      if (count === 1) { console.log(simulation.history.join('\n')); console.log(error) }
      else if (failures.get(kind)!.length === 1) console.log(seed, (error as Error).stack?.slice(0, 1500))
    }
  }
  console.log(`${process.cpuUsage(start).user / 1000 / count} ms cpu a run, headless ${headless}`, [...failures].map(([kind, seeds]) => `${seeds.length}× ${kind} ${seeds.slice(0, 8)}`))
}, 600_000)
