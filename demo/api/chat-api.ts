import { chatEvents } from '../../src/chat.ts'
import { readContextSettings } from '../context/context-settings.ts'
import { modelOf } from '../model-choice.ts'
import { registerWorker, serviceWorkers } from '../offline/register-worker.ts'
import { readSettings } from '../settings.ts'
import type { ChatSettingsMessage } from './chat-settings.ts'

/** How long the worker may take to answer, in milliseconds. One that was ended or replaced never does. */
const patienceMs = 5_000

/**
 * Sends a message to the chat API. The reply shows itself: it grows in the store that both share.
 *
 * @returns once the message is stored: resolves when it is answered, rejects when that fails
 */
export async function chatByApi(
  agentId: string,
  sessionId: string,
  message: string,
  signal: AbortSignal,
): Promise<{ readonly answered: Promise<void> }> {
  await prepareWorker(sessionId)
  const path = new URL(`api/agents/${encodeURIComponent(agentId)}/chat`, document.baseURI)
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message, sessionId }),
    signal,
  })
  if (!response.ok) throw new Error(await errorText(response))
  return { answered: readToEnd(response) }
}

async function readToEnd(response: Response): Promise<void> {
  for await (const event of chatEvents(response)) if (event.type === 'error') throw new Error(event.error)
}

async function errorText(response: Response): Promise<string> {
  const { error } = (await response.json().catch(() => ({}))) as { readonly error?: { readonly message?: string } }
  return error?.message ?? `The chat API answered with status ${response.status}.`
}

/**
 * Sees to it that a Service Worker serves the API to this page, in the way that is chosen. A browser may end and
 * replace it at any time.
 */
async function prepareWorker(key: string): Promise<void> {
  const container = serviceWorkers()
  if (container === undefined)
    throw new Error(
      'This browser has no Service Workers here (they need https or localhost). Turn the chat API off in the settings.',
    )
  await registerWorker(container)
  const { active } = await container.ready
  // It takes over this page before it answers, also one that was loaded past it.
  if (active !== null) await within(tellSettings(active, key))
  if (container.controller === null)
    await within(new Promise((resolve) => container.addEventListener('controllerchange', resolve, { once: true })))
}

function tellSettings(worker: ServiceWorker, key: string): Promise<unknown> {
  const { port1, port2 } = new MessageChannel()
  const message: ChatSettingsMessage = {
    type: 'chat-settings',
    settings: { endpoint: readSettings(), model: modelOf(key), context: readContextSettings() },
  }
  return new Promise((resolve) => {
    port1.onmessage = resolve
    worker.postMessage(message, [port2])
  })
}

async function within(answer: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise(
    (_, reject) =>
      (timer = setTimeout(
        () => reject(new Error('The chat API does not answer. Try again, or turn it off in the settings.')),
        patienceMs,
      )),
  )
  await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
