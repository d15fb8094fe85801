import { checkpointer, graph, thread } from './graph.js'

const list = document.querySelector('ol')
const status = document.querySelector('p')

function show({ messages = [], plan }, draft) {
  list.replaceChildren(...messages.map(({ id, content }) => line(id, content)))
  if (draft !== undefined) list.append(line(draft.id, `${draft.content}…`))
  status.dataset.id = plan?.id ?? ''
  status.textContent = plan?.text ?? ''
}

function line(id, text) {
  const item = document.createElement('li')
  item.dataset.id = id
  item.textContent = text
  return item
}

/** Only one tab at a time works on the thread. What a tab had when it crashed, the next one takes up. */
const alone = (work) => navigator.locks.request('agent', work)

/** Tells the tab that works on the thread to stop, for example before the thread is deleted. */
const stops = new BroadcastChannel('stop')
let running
stops.addEventListener('message', () => running?.abort())

/**
 * Runs the graph, and shows what it does.
 *
 * @param input - `null` to go on with what is stored
 */
async function run(input, config = thread) {
  running = new AbortController()
  list.ariaBusy = 'true'
  const { signal } = running
  try {
    let { values } = await graph.getState(thread)
    const steps = await graph.stream(input, { ...config, signal, streamMode: ['values', 'custom'] })
    for await (const [mode, chunk] of steps) {
      if (mode === 'values') values = chunk
      show(values, mode === 'custom' ? chunk : undefined)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    list.ariaBusy = 'false'
    running = undefined
  }
}

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  const input = document.querySelector('input')
  const content = input.value
  input.value = ''
  alone(() => run({ messages: [{ role: 'user', id: crypto.randomUUID(), content }] }))
})
document.querySelector('#again').addEventListener('click', () =>
  alone(async () => {
    // The newest checkpoint in front of a reply: the graph goes on from there once more.
    for await (const { next, config } of graph.getStateHistory(thread))
      if (next[0] === 'reply') return run(null, config)
  }),
)
document.querySelector('#delete').addEventListener('click', () => {
  running?.abort()
  stops.postMessage('stop')
  return alone(async () => {
    await checkpointer.deleteThread(thread.configurable.thread_id)
    show({})
  })
})

show((await graph.getState(thread)).values)
document.querySelector('fieldset').disabled = false
// What was under way when a tab was closed or crashed goes on.
await alone(async () => {
  // `next` alone does not say it: it lacks a step whose outcome is stored, though the run has not gone on from there.
  const { tasks, values } = await graph.getState(thread)
  if (tasks.length > 0) await run(null)
  else show(values)
})
