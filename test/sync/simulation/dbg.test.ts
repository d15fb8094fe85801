import { it } from 'vitest'
import { Simulation } from './simulation.ts'
it('debug', async () => {
  for (const seed of process.env['SEEDS']!.split(',').map(Number)) {
  const simulation = new Simulation(seed)
  try { await simulation.run() } catch (error) {
    console.log(seed, simulation.history.join(' | '))
    console.log((error as Error).message)
    for (const device of simulation.devices) {
      const store = device.tabs[0]!.store
      const log = (await store.changes('s')).entries
      console.log(simulation.nameOf(device), JSON.stringify(await store.getVector('s')), log.map((e) => `${e.w.toString(36)}.${e.s} ${e.type} ${e.branch} ${e.order} ${JSON.stringify(e.data).slice(0, 260)}`).join('\n  '))
      if (process.env['ONE']) break
    }
    console.log([...simulation.server.documents.values()].map((d) => [...d.store.clients].map(([c, ss]) => c.toString(36) + ':' + ss.map((x) => x.id.clock + '+' + x.length + (x.deleted ? 'D' : '')).join(',')).join(' ')))
  }
  }
}, 100000)
