import { expect, it } from 'vitest'
import { useClients } from '../bindings/support/open-clients.ts'
import { usePanels } from './support/open-panel.ts'

const open = useClients()
const inspect = usePanels()

it('shows what is added to a session after its history has moved to another key, before or while it is shown', async () => {
  const client = await open()
  await client.store.addMessage('old', 'user', 'question')
  const panel = inspect(client)
  const contents = () => panel.rows().map((cells) => cells[1])
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('old').click()
  await expect.poll(contents).toEqual(['question'])
  await client.store.ensureSessionMetadata('new', undefined, ['old'])
  await client.store.addMessage('new', 'assistant', 'answer')
  await expect.poll(contents).toEqual(['question', 'answer'])
  panel.go('Sessions')
  await expect.poll(panel.text).toContain('moved to new')
  panel.row('old').click()
  await expect.poll(contents).toEqual(['question', 'answer'])
  await client.store.addMessage('new', 'user', 'thanks')
  await expect.poll(contents).toEqual(['question', 'answer', 'thanks'])
  panel.go('Context')
  const inContext = () => panel.rows().map((cells) => cells[2])
  await expect.poll(inContext).toEqual(['question', 'answer', 'thanks'])
  await client.store.addMessage('new', 'assistant', 'welcome')
  await expect.poll(inContext).toEqual(['question', 'answer', 'thanks', 'welcome'])
})
