import * as checkpoint from '@langchain/langgraph-checkpoint'
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation'
import * as olderCheckpoint from 'langgraph-checkpoint-1-1'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSaver } from '../../../../src/adapters/langgraph/create-saver.ts'
import type { SessionClient } from '../../../../src/client/client-contract.ts'

/**
 * Runs the suite by which LangGraph validates checkpoint savers, for each version of the base class, over stores that
 * `open` makes.
 *
 * @param close - ends a store, and deletes what it keeps
 */
export function validateSaver(open: () => Promise<SessionClient>, close: (client: SessionClient) => Promise<void>) {
  // The suite expects these to be global, also while its tests run.
  const globals = { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it }
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  afterAll(() => void vi.unstubAllGlobals())

  describe.each([
    ['1.2', checkpoint],
    ['1.1', olderCheckpoint],
  ])('the suite of LangGraph with a saver made of checkpoint %s', (version, module) => {
    const clients = new Map<object, SessionClient>()
    const initializer = {
      checkpointerName: `keepsession with ${version}`,
      createCheckpointer: async () => {
        const client = await open()
        const saver = createSaver<checkpoint.BaseCheckpointSaver>(client, module)
        clients.set(saver, client)
        return saver
      },
      destroyCheckpointer: async (saver: object) => {
        await close(clients.get(saver)!)
        clients.delete(saver)
      },
    }
    validate(initializer)
    deltaChannelHistoryTests(initializer)
  })
}
