import type { ChatHandlerOptions, ChatModel, ModelEvent, ModelRequest } from '../../../../src/chat.ts'

/**
 * A model that does what the user's message says, the same in Node and in a Service Worker. Each line is a reply, what
 * is joined by ` && ` a piece of it: `say text`, `think text`, `call tool {…}`, `usage {…}`, `fail text`, `refuse`
 * (unless there is a summary), `hang` (for ever, whatever the signal says), `hold gate` until another message says
 * `open gate`, `report` (what the model was asked, as JSON).
 */
function createScriptedModel(): ChatModel {
  const gates = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>()
  const gate = (name: string) => {
    let found = gates.get(name)
    if (found === undefined) {
      let open: () => void = () => undefined
      found = { opened: new Promise<void>((resolve) => (open = resolve)), open: () => open() }
      gates.set(name, found)
    }
    return found
  }

  async function* play(piece: string, request: ModelRequest): AsyncGenerator<ModelEvent> {
    const [, command = '', rest = ''] = /^(\w+) ?([^]*)$/.exec(piece) ?? []
    if (command === 'say') for (const word of rest.split(/(?<= )/)) yield { type: 'text', text: word }
    else if (command === 'think') yield { type: 'thinking', text: rest }
    else if (command === 'call')
      yield {
        type: 'toolCall',
        toolCall: { id: 'call_1', name: rest.split(' ')[0] ?? '', arguments: rest.slice(rest.indexOf(' ') + 1) },
      }
    else if (command === 'usage') yield { type: 'usage', usage: JSON.parse(rest) }
    else if (command === 'fail') throw new Error(rest)
    else if (command === 'refuse' && !request.system.includes('SUMMARY'))
      throw Object.assign(new Error('too many tokens'), { contextTooLong: true })
    else if (command === 'hang') await new Promise<never>(() => undefined)
    else if (command === 'hold') await gate(rest).opened
    else if (command === 'open') gate(rest).open()
    else if (command === 'report') {
      const { messages, system, tools, images, agentId, sessionId } = request
      yield {
        type: 'text',
        text: JSON.stringify({ messages, system, tools: tools.map(({ name }) => name), images, agentId, sessionId }),
      }
    }
  }

  return {
    async *reply(request) {
      const asked = request.messages.map(({ role }) => role).lastIndexOf('user')
      const content = request.messages[asked]?.content
      const script =
        typeof content === 'string'
          ? content
          : String((content?.[0] as { readonly text?: string } | undefined)?.text ?? 'say nice picture')
      const replies = request.messages.slice(asked).filter(({ role }) => role === 'assistant').length
      const line = script.split('\n')[replies] ?? 'say over'
      for (const piece of line.split(' && ')) yield* play(piece, request)
    },
  }
}

/** What every place of the suite serves. */
export function scriptedOptions(): ChatHandlerOptions {
  return {
    model: createScriptedModel(),
    systemPrompt: (agentId) => `You are ${agentId}.`,
    agents: (agentId) => agentId !== 'nobody',
    tools: [
      {
        name: 'add',
        description: 'Adds.',
        parameters: { type: 'object' },
        run: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
      },
      {
        name: 'greet',
        run: ({ name }, { agentId, sessionId }) => `Hello ${String(name)} from ${agentId} in ${sessionId}`,
      },
      { name: 'boom', run: () => Promise.reject(new Error('it broke')) },
      { name: 'stuck', run: () => new Promise<never>(() => undefined) },
    ],
    summarise: ({ messages }) => `SUMMARY of ${messages.length}`,
    title: ([first]) => (String(first?.content).startsWith('say title me') ? 'A better title' : ''),
    threshold: 1500,
    mostSteps: 4,
    mostBodyBytes: 700_000,
    mostImageBytes: 500_000,
  }
}
