import { contentNodes } from '../conversation/content-nodes.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { OpeningIds } from '../conversation/opening-ids.ts'
import { isObject } from '../is-plain-object.ts'
import { contentOfParts, firstText, objectsOf, textParts, thinkingParts } from '../message-content.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads a prompt of Google AI Studio, as it is in Google Drive: `{ runSettings, systemInstruction, chunkedPrompt: {
 * chunks: [{ role, text, isThought }] } }`. Thoughts belong to the answer that follows. Files are in Drive, and only
 * their ids are kept.
 */
export function readAiStudio({ runSettings, systemInstruction, chunkedPrompt }: Fields, ids: OpeningIds): Conversation {
  const chunks = objectsOf(isObject(chunkedPrompt) ? chunkedPrompt['chunks'] : undefined)
  const model = isObject(runSettings) ? firstText(runSettings['model']) : undefined
  const instruction = isObject(systemInstruction)
    ? [firstText(systemInstruction['text']), ...objectsOf(systemInstruction['parts']).map(({ text }) => text)]
    : []
  const messages: Fields[] = textParts(instruction.filter((text) => typeof text === 'string').join('\n')).map(
    ({ text }) => ({ role: 'system', content: text }),
  )
  let thoughts: string[] = []
  for (const { role, text, isThought, createTime, ...more } of chunks) {
    if (isThought === true) {
      if (typeof text === 'string') thoughts.push(text)
      continue
    }
    const isUser = role === 'user'
    const parts = [...(isUser ? [] : thinkingParts(thoughts.join('\n'))), ...textParts(text)]
    thoughts = []
    const attachments = attachmentsOf(more)
    if (parts.length === 0 && attachments.length === 0) continue
    messages.push({
      role: isUser ? 'user' : 'assistant',
      content: contentOfParts(parts),
      ...(isUser || model === undefined ? {} : { model }),
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(typeof createTime === 'string' ? { createdAt: createTime } : {}),
    })
  }
  return { dialect: 'ai-studio', sourceId: ids(undefined, messages), custom: { model }, nodes: contentNodes(messages) }
}

/** Files in Google Drive that stand in the place of a text. */
function attachmentsOf(chunk: Fields): readonly Fields[] {
  return ['driveImage', 'driveDocument', 'driveAudio', 'driveVideo'].flatMap((kind) => {
    const file = chunk[kind]
    return isObject(file) ? [{ type: kind, id: file['id'] }] : []
  })
}
