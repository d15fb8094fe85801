import type { Message } from '../src/index.ts'
import { messageParts, messageText } from './chat/message-parts.ts'
import type { Model, ModelPiece, ToolCall } from './model.ts'
import { counted, shortened } from './ui/format.ts'

/** Words a second. */
const speed = 38
const thinkingMs = 350

/**
 * A scripted model that answers offline. It understands little, but streams, thinks and calls tools like a real one.
 */
export const localModel: Model = {
  name: 'Offline script',
  async *reply(history, signal) {
    await pause(thinkingMs, signal)
    for (const piece of answer(history)) {
      if ('toolCalls' in piece) yield piece
      else if ('reasoning' in piece)
        for await (const words of paced(piece.reasoning, signal)) yield { reasoning: words }
      else for await (const words of paced('text' in piece ? piece.text : '', signal)) yield { text: words }
    }
  },
}

function answer(history: readonly Message[]): readonly ModelPiece[] {
  const last = history.at(-1)
  if (last?.role === 'tool')
    return [
      {
        text: `My tool \`${String(last['name'])}\` says: **${messageText(last)}**. It looked at this app's own data, so no network was needed.`,
      },
    ]
  if (last?.role === 'assistant') return [{ text: restOf(messageText(last), history.slice(0, -1)) }]
  const asked = history.findLast((message) => message.role === 'user')
  const question = asked === undefined ? '' : messageText(asked).trim()
  const files =
    asked === undefined ? [] : messageParts(asked).flatMap((part) => (part.kind === 'attachment' ? part.label : []))
  if (files.length > 0) return [{ text: filesSeen(files) }]
  return (rules.find(({ when }) => when.test(question)) ?? fallback).say(question, history)
}

/** A script gives the same answer again, so that the rest of it is known; where it drew another one, it says so. */
function restOf(begun: string, history: readonly Message[]): string {
  const whole = answer(history)
    .map((piece) => ('text' in piece ? piece.text : ''))
    .join('')
  return whole.startsWith(begun) && whole !== begun ? whole.slice(begun.length) : ` … Where was I? ${whole}`.trimEnd()
}

interface Rule {
  readonly when: RegExp
  readonly say: (question: string, history: readonly Message[]) => readonly ModelPiece[]
}

const rules: readonly Rule[] = [
  { when: /^(say|repeat|echo)\b/i, say: (question) => [{ text: question.replace(/^\w+[\s:]*/, '') || 'Say what?' }] },
  { when: /\b(what time|date today|what day|clock)\b/i, say: () => [calling('current_time')] },
  { when: /\bhow many (chats|conversations|sessions)\b/i, say: () => [calling('count_conversations')] },
  {
    when: /\b(storage|quota|disk|how much space)\b/i,
    say: () => [
      { reasoning: 'That is a question about this browser, so I should measure instead of guessing.' },
      calling('storage_used'),
    ],
  },
  { when: /\bcount (?:the )?(words|letters)\b/i, say: (question) => [{ text: countedWords(question) }] },
  { when: /\bcount\b.*?\d+/i, say: (question) => [{ text: counting(Number(/\d+/.exec(question)?.[0] ?? 0)) }] },
  { when: /\b(list|ideas|steps|tips|plan)\b/i, say: () => [{ text: pick(lists) }] },
  { when: /\b(code|function|script|typescript|javascript|example)\b/i, say: () => [{ text: pick(snippets) }] },
  { when: /\btable\b/i, say: () => [{ text: table }] },
  { when: /\bwho are you|your name|what are you\b/i, say: () => [{ text: pick(introductions) }] },
  {
    when: /\b(remember|first (thing|question)|summar|so far)\b/i,
    say: (_question, history) => [{ text: recollection(history) }],
  },
  { when: /\b(long|story|essay)\b/i, say: () => [{ text: story }] },
  { when: /^(hi|hello|hey|good (morning|evening))\b/i, say: () => [{ text: pick(greetings) }] },
]

const fallback: Rule = {
  when: /^/,
  say: (question) => [
    { reasoning: `No rule of mine fits “${shortened(question, 60)}”, so I repeat it.` },
    { text: saidBack(question) },
  ],
}

function calling(name: string): ModelPiece {
  const call: ToolCall = {
    id: `call_${Math.random().toString(36).slice(2, 10)}`,
    type: 'function',
    function: { name, arguments: '{}' },
  }
  return { toolCalls: [call] }
}

/** Gives a text word by word. By the clock, because timers of hidden tabs fire once a second only. */
async function* paced(text: string, signal: AbortSignal): AsyncGenerator<string> {
  const words = text.match(/\s*\S+\s*/g) ?? []
  const start = performance.now()
  for (let sent = 0; sent < words.length; ) {
    await pause(1000 / speed, signal)
    const due = Math.max(sent + 1, Math.floor(((performance.now() - start) / 1000) * speed))
    yield words.slice(sent, due).join('')
    sent = due
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
  signal.throwIfAborted()
}

const pick = <T>(choices: readonly [T, ...T[]]): T => choices[Math.floor(Math.random() * choices.length)] ?? choices[0]

function countedWords(question: string): string {
  const text = question.replace(/^.*?count (?:the )?(?:words|letters)(?: (?:in|of))?[\s:]*/i, '') || question
  return `“${shortened(text, 80)}” has **${counted(text.split(/\s+/).filter(Boolean).length, 'word')}** and ${counted(text.replace(/\s/g, '').length, 'letter')}.`
}

function counting(to: number): string {
  const end = Math.min(to, 400)
  const numbers = Array.from({ length: end }, (_, index) => index + 1).join(', ')
  return end < to ? `${numbers} … and so on to ${to}.` : `${numbers}. Done.`
}

function filesSeen(labels: readonly string[]): string {
  const many = labels.length > 1
  return `You attached ${counted(labels.length, 'file')}:\n\n${labels.map((label) => `- ${label}`).join('\n')}\n\nI am a script and can’t look into ${many ? 'them' : 'it'}, but ${many ? 'they are' : 'it is'} stored with this conversation. Connect a model in the settings to ask about pictures and text files.`
}

function saidBack(question: string): string {
  return `You wrote:\n\n${quoted(question)}\n\nI am only a script, so that is as far as I go. Try **“make a list”**, **“show some code”**, **“how much storage do we use?”** or **“count to 50”**, or connect a real model in the settings.`
}

function recollection(history: readonly Message[]): string {
  const asked = history.filter((message) => message.role === 'user').slice(0, -1)
  const first = asked[0]
  if (first === undefined) return 'This is where we begin: there is nothing before your question.'
  return `You have asked ${counted(asked.length, 'thing')} before this. The first was:\n\n${quoted(messageText(first))}\n\nI read it from the stored history, not from memory: close the tab, come back, and I will still know.`
}

const quoted = (text: string): string => `> ${shortened(text, 200).replace(/\n/g, '\n> ')}`

const greetings = [
  'Hello! What shall we write down today?',
  'Hi there. Ask me something; I answer without any network.',
  'Good to see you. Everything we say stays in this browser.',
] as const

const introductions = [
  'I am a **script** that runs on this page. No server, no key, no network: I am here so that you can watch a conversation being stored.\n\nSettings let you connect any OpenAI-compatible model instead.',
  'Just a few rules and a timer, pretending to be a model. What is *real* is how this chat is kept: each word is journalled while I write, and survives if you close the tab.',
] as const

const lists = [
  'Three things to try here:\n\n1. **Open a second tab** and put it next to this one. It updates live.\n2. **Reload while I write.** What I have said so far is still there.\n3. **Regenerate a reply** with the button below. Both versions stay, and you can switch.',
  'A plan for a quiet morning:\n\n- Make coffee, slowly\n- Open one window\n- Write **one page** by hand\n  - no phone\n  - no second page\n- Go for a walk before the mail',
  'Some ideas:\n\n- [x] Ask for a list\n- [ ] Ask for some code\n- [ ] Edit your question and send it again\n- [ ] Drop a `.jsonl` session on this window',
] as const

const snippets = [
  "This is how this app saves what I say:\n\n```ts\nconst session = await client.session(key)\nawait session.append({ role: 'user', content: question })\n\nconst reply = session.stream({ role: 'assistant' })\nfor await (const text of model) reply.write(text)\nawait reply.end()\n```\n\n`append` resolves when the message is **stored**, and a streamed reply is journalled while it grows.",
  'A small one:\n\n```ts\nfunction debounce(run: () => void, waitMs: number) {\n  let timer: ReturnType<typeof setTimeout>\n  return () => {\n    clearTimeout(timer)\n    timer = setTimeout(run, waitMs)\n  }\n}\n```\n\nHowever often you call it, `run` is called once: when the calls have stopped for `waitMs`.',
] as const

const table =
  'Where a chat can be kept:\n\n| Place | Survives | Holds |\n| :--- | :--- | ---: |\n| Memory | nothing | all you have |\n| Web Storage | restarts | 5 MB |\n| IndexedDB | restarts | gigabytes |\n\nThis app takes the last one it can get.'

const story = `### The lighthouse that kept letters

There was a lighthouse whose keeper wrote down **everything the ships said**. Not on loose sheets, because the wind took those, but line under line in one heavy book that nobody tore a page from.

When the keeper was wrong, she did not scratch out the line. She wrote the better one below, with the number of the old one beside it, and whoever read the book knew both.

One night the lamp went out in the middle of a word. In the morning the new keeper found *“the ship from the nor”*, and under it, in her own hand: *“broken off here.”* She did not guess the rest. She trimmed the wick, opened the window, and asked the ship again.

Later there were two lighthouses, and each had its book. In winter a boat carried the pages across. It did not matter which book arrived first, or that some pages came twice: they had numbers, and **every line found its place**.

The lamps are electric now. The books are still there.`
