import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { demoSteps } from '../support/demo-steps.ts'
import { useDemo } from '../support/use-demo.ts'

interface Asked {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** An endpoint as OpenAI's, whose replies the tests write. */
let endpoint: Server
let url: string
let asked: Asked[]
/** Takes what the demo asks for. */
let onAsked: (reply: ServerResponse) => void
beforeAll(async () => {
  endpoint = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`
})
afterAll(async () => {
  endpoint.closeAllConnections()
  await new Promise((resolve) => endpoint.close(resolve))
})

let page: Page
useDemo((demo) => void ({ page } = demo), { otherServer: () => url })
const { byTest, messages } = demoSteps(() => page)

beforeEach(async () => {
  asked = []
  await byTest('connect-model').click()
  await byTest('base-url').fill(`${url}v1`)
  await byTest('models').fill('small')
  await byTest('settings-save').click()
  await byTest('model').selectOption('small')
})

it('an endpoint gets the conversation with its picture, and its reply streams in', async () => {
  const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
  await byTest('attach-input').setInputFiles({
    name: 'dot.png',
    mimeType: 'image/png',
    buffer: Buffer.from(dot, 'base64'),
  })
  const reply = await send('What is this?')
  write(reply, 'A dot, ')
  await page.locator('[data-draft]').filter({ hasText: 'A dot,' }).waitFor()
  write(reply, 'of one point.', 'stop')
  reply.end('data: [DONE]\n\n')
  await messages('assistant').filter({ hasText: 'A dot, of one point.' }).waitFor()
  expect(asked).toMatchObject([
    {
      model: 'small',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${dot}` } },
          ],
        },
      ],
    },
  ])
})

it('a reply that an endpoint breaks off is kept, and continued in its place', async () => {
  const reply = await send('Count to four')
  write(reply, 'One, two,')
  reply.end()
  await byTest('problem').filter({ hasText: 'ended the reply before it was complete' }).waitFor()
  await messages('assistant').filter({ hasText: 'One, two,' }).waitFor()
  const continued = nextReply()
  await byTest('problem').getByRole('button', { name: 'Continue' }).click()
  const rest = await continued
  write(rest, ' three, four.', 'stop')
  rest.end()
  await messages('assistant').filter({ hasText: 'One, two, three, four.' }).waitFor()
  expect(await messages('assistant').count()).toBe(1)
  expect(await byTest('problem').count()).toBe(0)
  expect(asked[1]!.messages.slice(0, 2)).toEqual([
    { role: 'user', content: 'Count to four' },
    { role: 'assistant', content: 'One, two,' },
  ])
})

it('a reply that is reloaded in its middle is kept, marked, and continued when asked', async () => {
  const reply = await send('Count to four')
  write(reply, 'One, two,')
  await page.locator('[data-draft]').filter({ hasText: 'One, two,' }).waitFor()
  await page.reload()
  await messages('assistant').filter({ hasText: 'One, two,' }).waitFor()
  const continued = nextReply()
  await byTest('resume').click()
  const rest = await continued
  write(rest, ' three, four.', 'stop')
  rest.end()
  await messages('assistant').filter({ hasText: 'One, two, three, four.' }).waitFor()
  await expect.poll(() => byTest('resume').count()).toBe(0)
})

it('what an endpoint says is wrong is shown, and the question can be asked again', async () => {
  const reply = await send('Hello')
  reply.end('data: {"error":{"message":"The model is overloaded."}}\n\n')
  await byTest('problem').filter({ hasText: 'The model is overloaded.' }).waitFor()
  const again = nextReply()
  await byTest('problem').getByRole('button', { name: 'Try again' }).click()
  const whole = await again
  write(whole, 'Hello!', 'stop')
  whole.end()
  await messages('assistant').filter({ hasText: 'Hello!' }).waitFor()
  expect(await messages('user').count()).toBe(1)
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-headers', '*')
  if (request.method === 'OPTIONS') return void response.end()
  let body = ''
  for await (const piece of request) body += String(piece)
  asked.push(JSON.parse(body) as Asked)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  onAsked(response)
}

/** The next reply that is asked for. */
function nextReply(): Promise<ServerResponse> {
  return new Promise((resolve) => (onAsked = resolve))
}

async function send(text: string): Promise<ServerResponse> {
  const reply = nextReply()
  await byTest('composer').fill(text)
  await byTest('composer').press('Enter')
  return reply
}

function write(reply: ServerResponse, content: string, finish?: string): void {
  const choice = { delta: { content }, ...(finish !== undefined && { finish_reason: finish }) }
  reply.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`)
}
