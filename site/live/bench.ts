import { openContenders, removeContenders } from './contenders-live.ts'
import { visit } from './visits.ts'

/** Messages that the conversation has before the first append is measured. */
const before = 2000
/** Appends that are measured, one after the other, of each contender. */
const rounds = 40

const place = document.querySelector<HTMLElement>('#bench')!
const button = document.createElement('button')
button.textContent = 'Measure'
const status = document.createElement('p')
status.role = 'status'
const bars = document.createElement('div')
bars.className = 'bars'
place.replaceChildren(button, status, bars)
button.addEventListener('click', () => void run())

async function run(): Promise<void> {
  button.disabled = true
  status.textContent = `Filling each store with ${before.toLocaleString('en')} messages …`
  try {
    await visit('bench', measure)
  } catch (error) {
    status.textContent = `It could not be measured: ${String(error)}`
  } finally {
    button.disabled = false
  }
}

/** @param name - of what is stored meanwhile */
async function measure(name: string): Promise<void> {
  const contenders = await openContenders(name, before, (text) => {
    status.textContent = text
  })
  try {
    const times = new Map(contenders.map(({ name }) => [name, [] as number[]]))
    for (let round = -1; round < rounds; round++) {
      for (const { name, append } of contenders) {
        const start = performance.now()
        await append(before + round + 1)
        // The first round warms up.
        if (round >= 0) times.get(name)!.push(performance.now() - start)
      }
      status.textContent = `Round ${round + 1} of ${rounds}`
    }
    show([...times].map(([name, ms]) => ({ name, ms: median(ms) })))
  } finally {
    await removeContenders(contenders)
  }
  status.textContent = `Median of ${rounds} appends to a conversation of ${before.toLocaleString('en')} messages. × is relative to keepsession.`
}

function show(results: readonly { readonly name: string; readonly ms: number }[]): void {
  const ours = results[0]!.ms
  const longest = Math.max(...results.map(({ ms }) => ms))
  bars.replaceChildren(
    ...results.flatMap(({ name, ms }, i) => {
      const label = document.createElement('span')
      label.textContent = name
      const bar = document.createElement('div')
      bar.className = i === 0 ? 'bar ours' : 'bar'
      bar.style.width = `${Math.max(1, (100 * ms) / longest)}%`
      const value = document.createElement('span')
      value.className = 'number'
      value.textContent = i === 0 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(1)} ms, ${(ms / ours).toFixed(1)} ×`
      return [label, bar, value]
    }),
  )
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? 0
}
