import { openSessionStore, type TranscriptSnapshot } from '../../src/index.ts'

/** Workers that this tab started, so that one can be killed as a browser would do it. */
const workers: Worker[] = []
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options)
    workers.push(this)
  }
}

const name = new URLSearchParams(location.search).get('store') ?? 'keepsession-playground'
const element = <T extends HTMLElement>(selector: string): T => document.querySelector<T>(selector)!
const state = element('#state')
const client = await openSessionStore({
  name,
  onChange: (change) => {
    if (change.type === 'notice') state.textContent = change.message
  },
})
const session = await client.session('playground')
const transcript = session.transcript()

function show(snapshot: TranscriptSnapshot | undefined): void {
  const items = [
    ...(snapshot?.entries ?? []).map(({ message }) => {
      const mark = message?.['interrupted'] === true ? ' (interrupted)' : ''
      return `${message?.role}: ${String(message?.['content'])}${mark}`
    }),
    ...(snapshot?.drafts ?? []).map(({ text }) => `assistant, now: ${text}`),
  ]
  element('#messages').replaceChildren(
    ...items.map((text) => {
      const item = document.createElement('li')
      item.textContent = text
      return item
    }),
  )
}
transcript.subscribe(() => show(transcript.getSnapshot()))
show(await transcript.ready())
const { mode } = await client.upkeep.health()
state.textContent = `Open, mode ${mode}.`

const report = (error: unknown): void => {
  state.textContent = String(error)
}

element<HTMLFormElement>('form').addEventListener('submit', (event) => {
  event.preventDefault()
  const content = element<HTMLInputElement>('input').value
  session.append({ role: 'user', content }).catch(report)
})

async function streamReply(): Promise<void> {
  const reply = session.stream()
  for (const word of 'This reply is written down while it grows, whatever happens to its worker.'.split(' ')) {
    reply.write(`${word} `)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await reply.end()
}
element('#stream').addEventListener('click', () => void streamReply().catch(report))

element('#kill').addEventListener('click', () => {
  for (const worker of workers.splice(0)) worker.terminate()
  state.textContent = 'The worker was killed. The page notices with the next call, and starts another one.'
})
