import type { ChatTool } from '../src/chat.ts'
import type { SessionClient } from '../src/index.ts'
import type { ToolCall } from './model.ts'
import { dataSize } from './storage/data-size.ts'
import { bytes, counted } from './ui/format.ts'

type Tool = (client: SessionClient) => Promise<string>

/** Tools that the local model can call. They look at this app's own data, so that they work offline. */
const tools: Readonly<Record<string, Tool>> = {
  async current_time() {
    return new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }).format(Date.now())
  },

  async count_conversations(client) {
    const [open, archived] = await Promise.all([
      client.listSessions({ archived: false, limit: 1 }),
      client.listSessions({ archived: true, limit: 1 }),
    ])
    return `${counted(open.total, 'conversation')}, ${archived.total} archived`
  },

  async storage_used(client) {
    const report = await client.upkeep.usage({ largest: 0 })
    const free = report.quotaBytes === undefined ? '' : `; the browser allows ${bytes(report.quotaBytes)}`
    return `${bytes(dataSize(report))} in ${counted(report.sessions, 'conversation')}${free}`
  },
}

/** Runs a tool. An unknown one, or one that fails, answers with what is wrong: models can deal with that. */
export async function runTool(client: SessionClient, call: ToolCall): Promise<string> {
  const tool = Object.hasOwn(tools, call.function.name) ? tools[call.function.name] : undefined
  if (tool === undefined)
    return `There is no tool "${call.function.name}". There are: ${Object.keys(tools).join(', ')}.`
  try {
    return await tool(client)
  } catch (error) {
    return `Failed: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The same tools as the chat API knows them. */
export const chatTools = (client: SessionClient): readonly ChatTool[] =>
  Object.entries(tools).map(([name, tool]) => ({ name, run: () => tool(client) }))
