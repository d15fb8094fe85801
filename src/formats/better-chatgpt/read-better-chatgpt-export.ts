import { contentNodes } from '../conversation/content-nodes.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { OpeningIds } from '../conversation/opening-ids.ts'
import { isObject } from '../is-plain-object.ts'
import { objectsOf } from '../message-content.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads an export of BetterChatGPT: `{ chats: [{ id, title, messages, config, folder }], folders, version }`. */
export function readBetterChatGpt({ chats, folders }: Fields, ids: OpeningIds): readonly Conversation[] {
  return objectsOf(chats).map(({ id, title, messages, config, folder }): Conversation => {
    const list = objectsOf(messages)
    const named = isObject(folders) && typeof folder === 'string' ? folders[folder] : undefined
    const name = isObject(named) ? named['name'] : undefined
    return {
      dialect: 'better-chatgpt',
      sourceId: ids(id, list),
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof name === 'string' ? { tags: [name] } : {}),
      custom: { model: isObject(config) ? config['model'] : undefined },
      nodes: contentNodes(list.map(({ role, content }) => ({ role, content }))),
    }
  })
}
