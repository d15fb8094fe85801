import { Chat } from '@ai-sdk/svelte'
import { it } from 'vitest'
import { walkChat } from './support/walk-chat.ts'

it('keeps a chat of Svelte over reloads: calls of tools, versions, and a reply that was stopped', () =>
  walkChat((init) => new Chat(init as never) as never))
