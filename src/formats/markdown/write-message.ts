import type { Message } from '../../contract/message.ts'
import { type MessagePiece, messagePieces } from '../message-pieces.ts'
import { isoText } from '../time.ts'
import { contained, fenced, plain } from './contain.ts'

const titles: Readonly<Record<string, string>> = {
  user: 'User',
  human: 'User',
  assistant: 'Assistant',
  system: 'System',
  developer: 'System',
  tool: 'Tool',
  toolResult: 'Tool',
}

/** A readable time, which is the same in every locale. */
export function readableTime(at: number): string {
  const time = isoText(at)
  return time === undefined ? '' : `${time.slice(0, 16).replace('T', ' ')} UTC`
}

/** A message as a section: role and time, then the content. Reasoning, tool calls and their results are folded. */
export function messageSection(message: Message, at: number): string {
  const time = readableTime(at)
  const heading = `## ${titles[message.role] ?? plain(message.role)}${time === '' ? '' : ` · ${time}`}`
  return `${[heading, ...messagePieces(message).map(pieceBlock)].filter((block) => block !== '').join('\n\n')}\n\n`
}

function pieceBlock(piece: MessagePiece): string {
  switch (piece.kind) {
    case 'text':
      return contained(piece.text.trimEnd())
    case 'reasoning':
      return piece.text.trim() === '' ? '' : folded('Reasoning', contained(piece.text.trimEnd()))
    case 'call':
      return folded(`Tool call: ${piece.name}`, fenced(indented(piece.arguments), 'json'))
    case 'result':
      return folded(
        `${piece.isError ? 'Error' : 'Result'}${piece.name === '' ? '' : ` of ${piece.name}`}`,
        fenced(piece.text),
      )
    case 'image':
    case 'file': {
      const label = [piece.kind, piece.name, piece.type]
        .filter((part) => part !== '')
        .map(plain)
        .join(', ')
      // The data of a picture would be longer than the conversation.
      return /^https?:/i.test(piece.url)
        ? `[${label}](<${piece.url.replace(/[<>\s\\]/g, encodeURIComponent)}>)`
        : `*(${label})*`
    }
  }
}

function folded(title: string, content: string): string {
  return `<details>\n<summary>${title.replace(/\s+/g, ' ').replace(/&/g, '&amp;').replace(/</g, '&lt;')}</summary>\n\n${content}\n\n</details>`
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
